"""Render `MISSION.md`: goal, plan, decisions and open questions of a plan that agents work on.

It is never read back. What agents and models wrote is escaped: it makes no heading and no link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.foreign_text import escape, fence
from outlast.language import Language, listing, status_words, text, with_colon
from outlast.model.model import LABEL_TEXTS, Decision, Footprint, Task, TaskDecision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.state import PlanState

NAME: Final = "MISSION.md"
_MARKS: Final = {
    "pending": " ",
    "in_progress": "~",
    "completed": "x",
    "failed": "!",
    "skipped": "-",
}
_DECISIONS_SHOWN: Final = 50
_REASON_CHARACTERS: Final = 500
DECISION_TEXTS: Final[dict[Decision, str]] = {
    "next": "decision_next",
    "retry": "decision_retry",
    "skip": "decision_skip",
    "replan": "decision_replan",
    "abort": "decision_abort",
}
_FILES_SHOWN: Final = 10


def render(state: PlanState) -> str:
    """Return the file; empty for a plan that no agent has worked on."""
    ledger = state.ledger
    if not ledger.reports and not ledger.decisions:
        return ""
    run = state.last_run
    language: Language = "zh" if run is not None and run.language == "zh" else "en"
    return "\n".join(_lines(state, language))


def _lines(state: PlanState, language: Language) -> Iterator[str]:
    title = with_colon(text("mission_title", language), state.title, language)
    hint, plan = text("mission_hint", language), text("mission_plan", language)
    yield from (f"# {escape(title)}", "", f"*{hint}*", "")
    yield from _heading(text("section_goal", language))
    yield from (*fence(state.goal.splitlines()), "")
    yield from _heading(f"{plan} ({state.progress.current}/{state.progress.total})")
    yield from (_task_line(state, task, language) for task in state.tasks_in_order())
    yield from ("", *_heading(text("mission_questions", language)))
    yield from _question_lines(state, language)
    yield from _heading(text("mission_decisions", language))
    yield from _decision_lines(state.ledger.decisions, language)


def _heading(content: str) -> list[str]:
    return [f"## {content}", ""]


def _task_line(state: PlanState, task: Task, language: Language) -> str:
    words = [_state_words(state, task, language)]
    report = state.ledger.reports.get(task.id)
    if report is not None:
        said = {"agent": report.agent, "status": report.status}
        words.append(text("mission_reported", language, **said))
    left = state.ledger.footprints.get(task.id)
    if left is not None and left.count:
        files = shown_files(left, language)
        key = "mission_outside_shared" if left.shared else "mission_outside"
        words.append(with_colon(text(key, language), files, language))
    blocked = state.blocked_by(task)
    if blocked:
        needs = listing(blocked, language)
        words.append(with_colon(text("report_needs", language), needs, language))
    name = f"{task.id} {escape(task.name)}"
    return f"- [{_MARKS[task.status]}] {name} ({escape(listing(words, language))})"


def _state_words(state: PlanState, task: Task, language: Language) -> str:
    """Return the status of a task; of a completed one, how that is known."""
    if task.status != "completed" or not task.how:
        return status_words(task.status, language)
    proofs = state.ledger.proofs.get(task.id)
    latest = None if proofs is None else proofs.latest
    label = latest.strength if task.how == "proved" and latest is not None else task.how
    return text(LABEL_TEXTS[label], language)


def _question_lines(state: PlanState, language: Language) -> Iterator[str]:
    questions = state.open_questions()
    if not questions:
        yield from (text("mission_none", language), "")
    for question in questions:
        key = "report_question_task" if question.task else "report_question"
        heading = text(key, language, id=question.id, task=question.task)
        yield from (f"**{heading}**", "", *fence(question.text.splitlines()), "")


def _decision_lines(decisions: tuple[TaskDecision, ...], language: Language) -> Iterator[str]:
    """Yield the decisions, the newest first."""
    if not decisions:
        yield from (text("mission_none", language), "")
    for decision in decisions[: -_DECISIONS_SHOWN - 1 : -1]:
        word = text(DECISION_TEXTS[decision.decision], language)
        head = text("mission_decision", language, task=decision.task, decision=word, by=decision.by)
        yield f"- {escape(with_colon(head, decision.reason[:_REASON_CHARACTERS], language))}"
    earlier = len(decisions) - _DECISIONS_SHOWN
    if earlier > 0:
        more = text("mission_more", language, count=earlier)
        yield f"- {more}"
    yield ""


def shown_files(footprint: Footprint, language: Language) -> str:
    """Return the first of the files, and how many there are more."""
    shown = footprint.outside[:_FILES_SHOWN]
    more = footprint.count - len(shown)
    rest = [text("report_more_files", language, count=more)] if more > 0 else []
    return listing([*shown, *rest], language)
