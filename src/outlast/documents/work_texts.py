"""Words about the work on a plan: decisions, what became of attempts and tasks, stray files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language import listing, text

if TYPE_CHECKING:
    from outlast.language import Language
    from outlast.model.history.work_record import Worth
    from outlast.model.model import Decision, Footprint, Outcome, SettledBy

WORTH_TEXTS: Final[dict[Worth, str]] = {
    "failed": "worth_failed",
    "doubtful": "worth_doubtful",
    "unproved": "worth_unproved",
    "open": "worth_open",
    "pending": "worth_pending",
    "skipped": "worth_skipped",
    "weak": "worth_weak",
}
DECISION_TEXTS: Final[dict[Decision, str]] = {
    "next": "decision_next",
    "retry": "decision_retry",
    "skip": "decision_skip",
    "replan": "decision_replan",
    "abort": "decision_abort",
}
OUTCOME_TEXTS: Final[dict[Outcome, str]] = {
    "done": "attempt_done",
    "failed": "attempt_failed",
    "lost": "attempt_lost",
}
SETTLED_TEXTS: Final[dict[SettledBy, str]] = {
    "check": "attempt_settled_check",
    "key": "attempt_settled_key",
    "session": "attempt_settled_session",
    "person": "attempt_settled_person",
    "tool": "attempt_settled_tool",
}
_FILES_SHOWN: Final = 10


def shown_files(footprint: Footprint, language: Language) -> str:
    """Return the first of the files, and how many there are more."""
    shown = footprint.outside[:_FILES_SHOWN]
    more = footprint.count - len(shown)
    rest = [text("report_more_files", language, count=more)] if more > 0 else []
    return listing([*shown, *rest], language)
