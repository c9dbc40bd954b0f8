"""The files by which a shell sees that a plan has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outlast.plan.plan import Plan

_JOURNAL: Final = "journal.jsonl"


def watched_files(plan: Plan) -> tuple[str, ...]:
    """Return the journal and the file that people edit."""
    views = plan.files.paths()[:1]
    return tuple(path for view in views for path in (f"{view.rpartition('/')[0]}/{_JOURNAL}", view))
