"""What people say to a loop at work, taken at its next iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.checked import reopened
from outlast.application.loops.endings import Ended, cancel
from outlast.application.loops.slash_commands import slash
from outlast.application.loops.stop_check import notify
from outlast.domain.commands import Reopen, Return, Start
from outlast.domain.intents import understand
from outlast.domain.loop_commands import TakeInterjections
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.domain.commands import Command
    from outlast.domain.model import Interjection


def hear(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Heed what was said since the loop last listened."""
    while session.is_spoken_to(plan):
        said = plan.said[session.heard]
        session.heard += 1
        plan = yield from _heed(session, plan, said)
    return plan


def heard(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Take what was said as heard, now that the model has seen it."""
    shown = plan.said[: session.heard]
    if not shown:
        return plan
    done = yield from e.record(TakeInterjections(shown[-1].id))
    return _taken(session, done)


def _heed(session: Session, plan: e.PlanView, said: Interjection) -> e.Loop[e.PlanView]:
    intent = understand(said.text, paused=False, question=False)
    if "cancel" in (intent.kind, intent.command):
        if session.planned(plan):
            raise (yield from cancel(plan, session.language, TakeInterjections(said.id)))
        yield from heard(session, plan)
        raise Ended("cancelled", text("loop_dropped", session.language))
    if intent.kind == "slash":
        limit = session.limit(plan)
        yield from notify(slash(intent.command, plan, limit, session.language), "command")
        return plan
    if intent.kind == "not_done" and session.planned(plan) and plan.last_done is not None:
        done = yield from reopen(plan, plan.last_done, TakeInterjections(said.id))
        session.hear(said.text)
        if not done.failed:
            session.inject((reopened(plan.last_done, session.language),))
        return _taken(session, done)
    session.hear(said.text)
    return plan


def _taken(session: Session, done: e.Recorded) -> e.PlanView:
    if not done.failed:
        session.heard = 0
    return done.plan


def reopen(plan: e.PlanView, undone: int, *taken: Command) -> e.Loop[e.Recorded]:
    """Take the task up again that was completed last; the one begun meanwhile goes back."""
    back = (Return(plan.current.id),) if plan.current else ()
    start = () if plan.status == "paused" else (Start(plan.actor, undone),)
    again = (*taken, *back, Reopen(undone))
    done = yield from e.record(*again, *start)
    if done.failed:  # another one may have to come first meanwhile
        done = yield from e.record(*again)
    return done
