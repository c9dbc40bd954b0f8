"""What people say to a loop at work, taken at its next iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.checked import reopened
from outlast.application.loops.ending import Ended
from outlast.application.loops.slash import slash
from outlast.application.loops.stopping import notify
from outlast.domain.commands import Abort, Reopen, Return, Start
from outlast.domain.intents import understand
from outlast.domain.loop_commands import TakeInterjections
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.domain.commands import Command
    from outlast.texts import Language


def hear(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Heed what was said since the loop last listened."""
    for said in plan.said:
        if said.id > session.heard:
            session.heard = said.id
            plan = yield from _heed(session, plan, said.text)
    return plan


def heard(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Take what was said as heard, now that the model has seen it."""
    if any(said.id <= session.heard for said in plan.said):
        return (yield from e.record(TakeInterjections(session.heard))).plan
    return plan


def _heed(session: Session, plan: e.PlanView, message: str) -> e.Loop[e.PlanView]:
    taken = TakeInterjections(session.heard)
    intent = understand(message, paused=False, question=False)
    if "cancel" in (intent.kind, intent.command):
        if session.planned(plan):
            raise (yield from cancel(plan, session.language, taken))
        raise Ended("cancelled", text("loop_dropped", session.language))
    if intent.kind == "slash":
        limit = session.limit(plan)
        yield from notify(slash(intent.command, plan, limit, session.language), "command")
        return (yield from e.record(taken)).plan
    if intent.kind == "not_done" and session.planned(plan) and plan.last_done is not None:
        undone = plan.last_done
        plan = yield from reopen(plan, taken)
        session.hear(message)
        session.inject((reopened(undone, session.language),))
        return plan
    session.hear(message)
    return plan


def cancel(plan: e.PlanView, language: Language, *taken: Command) -> e.Loop[Ended]:
    """Give the plan up, and return the end that this makes."""
    if not plan.kept or plan.ended:
        return Ended("answered", text("nothing_to_cancel", language))
    words = text("loop_dropped", language)
    yield from e.record(*taken, Abort(), reason=words)
    return Ended("cancelled", words)


def reopen(plan: e.PlanView, *taken: Command) -> e.Loop[e.PlanView]:
    """Take the task up again that was completed last; the one begun meanwhile goes back."""
    if plan.last_done is None:
        return plan
    back = (Return(plan.current.id),) if plan.current else ()
    start = () if plan.status == "paused" else (Start(plan.actor, plan.last_done),)
    again = (*taken, *back, Reopen(plan.last_done))
    done = yield from e.record(*again, *start)
    if done.failed:  # another one may have to come first meanwhile
        done = yield from e.record(*again)
    return done.plan
