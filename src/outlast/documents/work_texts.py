"""Words about the work on a plan: decisions on attempts, stray files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language import listing, text

if TYPE_CHECKING:
    from outlast.language import Language
    from outlast.model.model import Decision, Footprint

DECISION_TEXTS: Final[dict[Decision, str]] = {
    "next": "decision_next",
    "retry": "decision_retry",
    "skip": "decision_skip",
    "replan": "decision_replan",
    "abort": "decision_abort",
}
_FILES_SHOWN: Final = 10


def shown_files(footprint: Footprint, language: Language) -> str:
    """Return the first of the files, and how many there are more."""
    shown = footprint.outside[:_FILES_SHOWN]
    more = footprint.count - len(shown)
    rest = [text("report_more_files", language, count=more)] if more > 0 else []
    return listing([*shown, *rest], language)
