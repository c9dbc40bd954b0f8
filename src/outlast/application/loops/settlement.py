"""Settle the attempts that a crash left open, before any other work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.loops.endings import LoopEnd
from outlast.application.loops.questions import ask_person
from outlast.domain.commands import AskQuestion
from outlast.domain.intents import parse_done_answer
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.domain.model import Attempt, Question
    from outlast.ports.tool import Settlement


def settle_attempts(
    session: Session, plan: e.PlanView
) -> e.Loop[tuple[e.PlanView, list[e.SettledAttempt]]]:
    """Settle every open attempt; ask a person where no tool can tell.

    Without an answer the run ends, except on a plan that has ended: there an open attempt blocks
    nothing.
    """
    settled: list[e.SettledAttempt] = []
    for attempt in plan.attempts:
        reply = yield from e.settle(attempt)
        plan, settlement = reply.plan, reply.outcome.settlement
        if settlement == "unknown":
            plan, settlement = yield from _ask_about(session, attempt, plan)
        settled.append((attempt, settlement))
    return plan, settled


def _ask_about(
    session: Session, attempt: Attempt, plan: e.PlanView
) -> e.Loop[tuple[e.PlanView, Settlement]]:
    """Ask a person how an attempt ended."""
    wording = text("loop_unsettled", session.language, attempt=attempt.id, what=attempt.what)
    task = next((task.id for task in plan.tasks if task.id == attempt.task), None)
    if not _questions_about(attempt, plan):
        plan = (yield from e.record(AskQuestion(wording, "settle", attempt.id, task))).plan
    for question in _questions_about(attempt, plan):
        plan, answer = yield from ask_person(session, question)
        if answer is not None:
            return plan, "done" if parse_done_answer(answer) == "done" else "not_done"
    if plan.has_ended:
        return plan, "unknown"
    raise LoopEnd("unsettled", wording)


def _questions_about(attempt: Attempt, plan: e.PlanView) -> list[Question]:
    asked = (question for question in plan.questions if question.kind == "settle")
    return [question for question in asked if question.about == attempt.id][:1]
