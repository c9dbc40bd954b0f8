"""Settle the attempts that a crash left open, before any other work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.loops.endings import LoopEnd
from outlast.agent.loops.questions import ask_person
from outlast.language import text, visible, with_details
from outlast.model.commands import AskQuestion
from outlast.model.intents import parse_done_answer
from outlast.plan.tools.call_record import describe_recorded_call

if TYPE_CHECKING:
    from outlast.agent.loops.session import Session
    from outlast.context.plan_view import PlanView
    from outlast.context.tool import SettledAttempt, Settlement
    from outlast.model.model import Attempt, Question

_CALL_CHARACTERS: Final = 300
_WORDINGS: Final = {  # by why the last run ended
    "interrupted": "settle_killed",
    "cancelled": "settle_stopped",
}


def settle_attempts(
    session: Session, plan: PlanView
) -> e.Loop[tuple[PlanView, list[SettledAttempt]]]:
    """Settle every open attempt; ask a person where no tool can tell and its task is open.

    Without an answer the run ends, except on a plan that has ended: there an open attempt blocks
    nothing.
    """
    settled: list[SettledAttempt] = []
    for attempt in plan.attempts:
        reply = yield from e.Settle(attempt)
        plan, settlement = reply.plan, reply.outcome.settlement
        if settlement == "unknown" and reply.outcome.needed:
            plan, settlement = yield from _ask_about(session, attempt, plan)
        settled.append((attempt, settlement))
    return plan, settled


def _ask_about(
    session: Session, attempt: Attempt, plan: PlanView
) -> e.Loop[tuple[PlanView, Settlement]]:
    """Ask a person how an attempt ended."""
    wording = _settle_question(session, attempt)
    task = next((task.id for task in plan.tasks if task.id == attempt.task), None)
    if not _questions_about(attempt, plan):
        plan = (yield from e.record(AskQuestion(wording, "settle", attempt.id, task))).plan
    for question in _questions_about(attempt, plan):
        wording = question.text
        plan, answer = yield from ask_person(session, question)
        if answer is not None:
            return plan, "done" if parse_done_answer(answer) == "done" else "not_done"
    if plan.has_ended:
        return plan, "unknown"
    raise LoopEnd("unsettled", wording)


def _settle_question(session: Session, attempt: Attempt) -> str:
    """Return the question about an attempt: which call of which task, and why its run ended."""
    language, what = session.language, visible(describe_recorded_call(attempt.what))
    if len(what) > _CALL_CHARACTERS:
        what = f"{what[: _CALL_CHARACTERS - 1]}…"
    task = text("undo_task", language, what=attempt.task) if attempt.task else ""
    call = with_details(f"`{what}`", task, language)
    return text(_WORDINGS.get(session.last_end, "settle_open"), language, call=call)


def _questions_about(attempt: Attempt, plan: PlanView) -> list[Question]:
    asked = (question for question in plan.questions if question.kind == "settle")
    return [question for question in asked if question.about == attempt.id][:1]
