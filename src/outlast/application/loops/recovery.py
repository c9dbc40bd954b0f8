"""Find out what became of the attempts that nobody has seen the end of, before anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.loops.endings import Ended
from outlast.application.loops.questions import put
from outlast.domain.intents import settlement
from outlast.domain.loop_commands import AskQuestion
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.context.summary import Settled
    from outlast.application.loops.session import Session
    from outlast.domain.model import Attempt, Question
    from outlast.ports.tool import Settlement


def settle_all(session: Session, plan: e.PlanView) -> e.Loop[tuple[e.PlanView, list[Settled]]]:
    """Settle every open attempt; what only a person knows, a person is asked.

    Without an answer nothing goes on, unless the plan has ended: what was open there holds up
    nothing new.
    """
    settled: list[Settled] = []
    for attempt in plan.attempts:
        reply = yield from e.settle(attempt)
        plan, found = reply.plan, reply.found
        if found == "unknown":
            plan, found = yield from _asked(session, attempt, plan)
        settled.append((attempt, found))
    return plan, settled


def _asked(
    session: Session, attempt: Attempt, plan: e.PlanView
) -> e.Loop[tuple[e.PlanView, Settlement]]:
    """Ask a person what became of an attempt."""
    words = text("loop_unsettled", session.language, attempt=attempt.id, what=attempt.what)
    if not _about(attempt, plan):
        plan = (yield from e.record(AskQuestion(words, "settle", attempt.id))).plan
    for question in _about(attempt, plan):
        plan, said = yield from put(session, question)
        if said is not None:
            return plan, "done" if settlement(said) == "done" else "not_done"
    if plan.ended:
        return plan, "unknown"
    raise Ended("unsettled", words)


def _about(attempt: Attempt, plan: e.PlanView) -> list[Question]:
    return [one for one in plan.questions if one.about == attempt.id][:1]
