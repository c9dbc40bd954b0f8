"""The stop check: refuse the stop of a model that calls no tool while tasks are open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.loops.endings import LoopEnd, finished_end
from outlast.application.loops.notices import emit_message, emit_notice
from outlast.application.loops.questions import open_questions
from outlast.domain.budget import Spend, find_overrun
from outlast.domain.commands import NoteLoop
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session

_MINIMUM: Final = Spend(
    model_calls=1, tokens=1, money=1e-6, time=1e-3, tool_calls=1
)  # needed to continue


def handle_stop(session: Session, plan: e.PlanView, reply: str) -> e.Loop[e.PlanView]:
    """End the run with the model's reply, or refuse the stop and return the plan."""
    if session.options.enable_planning and not _cannot_continue(plan):
        consulted = yield from e.consult("on_stop", reply)
        plan, advised = consulted.plan, consulted.outcome
        is_held = not advised.should_continue and not _cannot_continue(plan)
        if is_held and plan.stop_count < session.options.stop_limit:
            yield from emit_notice(advised.notification)
            session.inject(advised.inject)
            return (yield from e.record(NoteLoop(stops=plan.stop_count + 1))).plan
        release_notice = text("loop_unfinished", session.language, done=plan.done, total=plan.total)
        yield from emit_notice(release_notice if is_held else advised.notification)
    yield from emit_message(reply)
    if session.is_on_plan(plan) and plan.has_ended:
        raise finished_end(plan, session.language)
    raise LoopEnd("answered", reply)


def _cannot_continue(plan: e.PlanView) -> bool:
    """Return whether the plan is paused, waits for a person or has no budget left."""
    exhausted = find_overrun(plan.budget, plan.used, _MINIMUM)
    return bool(exhausted or plan.status == "paused" or open_questions(plan))
