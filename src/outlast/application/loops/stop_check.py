"""A model that says no more wants to stop: let it, unless the plan is not finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.loops.endings import Ended
from outlast.application.loops.questions import open_questions
from outlast.domain.budget import Spend, exceeds
from outlast.domain.loop_commands import NoteLoop
from outlast.ports import effects as e
from outlast.ports.events import Notified, Said
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.texts import Language

_LEAST: Final = Spend(model_calls=1, tokens=1, money=1e-6, time=1e-3, tool_calls=1)  # to go on


def stop(session: Session, plan: e.PlanView, words: str) -> e.Loop[e.PlanView]:
    """Say what the model says and end, or hold it up and return the plan to go on with."""
    if session.options.enable_planning and not _waits(plan):
        advised = yield from e.consult("on_stop", words)
        plan = advised.plan
        held = not advised.should_continue and not _waits(plan)
        if held and plan.stops < session.options.stop_limit:
            yield from notify(advised.notification)
            session.inject(advised.inject)
            return (yield from e.record(NoteLoop(stops=plan.stops + 1))).plan
        let_go = text("loop_let_go", session.language, done=plan.done, total=plan.total)
        yield from notify(let_go if held else advised.notification)
    yield from say(words)
    if session.planned(plan) and plan.ended:
        raise finished(plan, session.language)
    raise Ended("answered", words)


def say(words: str) -> e.Loop[None]:
    """Let people read what the model says, if it says anything."""
    if words.strip():
        yield from e.tell(Said(words))


def finished(plan: e.PlanView, language: Language) -> Ended:
    """Return the end of a plan that has ended."""
    key = "loop_completed" if plan.status == "completed" else "loop_failed"
    return Ended("finished", text(key, language, done=plan.done, total=plan.total))


def notify(notification: str, kind: str = "hook") -> e.Loop[None]:
    """Let people know, if there is something to know."""
    if notification:
        yield from e.tell(Notified(notification, kind))


def _waits(plan: e.PlanView) -> bool:
    """Tell whether the plan rests, waits for a person or is out of budget: nobody is held then."""
    spent = exceeds(plan.budget, plan.used, _LEAST)
    return bool(spent or plan.status == "paused" or open_questions(plan))
