"""What an edited file was made from: the plan as it was when the file showed it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.formats.times import write_milliseconds

if TYPE_CHECKING:
    from outlast.domain.state import PlanState
    from outlast.ports.edits import Edit
    from outlast.ports.store import Store

_UPDATED: Final = re.compile(r"^\s*\*Last updated: (\S+)\*\s*$", re.MULTILINE)


def base_of(store: Store, edit: Edit, told: int | None) -> PlanState | None:
    """Return the plan that a file was made from; None if nobody knows.

    The file tells by the revision in it, else by the time in it; else the last one is taken that
    was shown in it. A revision that is yet to come, or that is another plan's, says nothing.
    """
    now, plan = store.read(lambda state: (state.revision, state.id))
    for revision in (told or _dated(store, edit.text), edit.revision):
        if 0 < revision <= now:
            base = store.before(revision + 1)
            if base.id == plan:
                return base
    return None


def _dated(store: Store, text: str) -> int:
    """Return the newest revision of the time that a file says it was made at; 0 for none."""
    said = _UPDATED.findall(text)
    if not said:
        return 0
    made = (commit for commit in reversed(store.since(0)) if commit.changes)
    return next((one.revision for one in made if write_milliseconds(one.at) == said[-1]), 0)
