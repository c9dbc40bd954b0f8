"""Messages that people send to a working loop; each iteration reads the new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.blocks import reopened_note
from outlast.application.loops.endings import LoopEnd, cancel_plan
from outlast.application.loops.notices import answer_slash_command, emit_notice
from outlast.domain.commands import Reopen, Return, Start, TakeInterjections
from outlast.domain.intents import classify_message
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.loops.session import Session
    from outlast.domain.commands import Command
    from outlast.domain.model import Interjection


def read_messages(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Handle the messages that are not in the conversation yet."""
    while session.has_unread_messages(plan):
        message = plan.new_messages[session.read_count]
        session.read_count += 1
        plan = yield from _handle_message(session, plan, message)
    return plan


def acknowledge_messages(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    """Remove messages from the plan once the model has seen them."""
    read = plan.new_messages[: session.read_count]
    if not read:
        return plan
    recorded = yield from e.record(TakeInterjections(read[-1].id))
    return _mark_acknowledged(session, recorded)


def _handle_message(
    session: Session, plan: e.PlanView, message: Interjection
) -> e.Loop[e.PlanView]:
    intent = classify_message(message.text, paused=False, question=False)
    if "cancel" in (intent.kind, intent.command):
        if session.is_on_plan(plan):
            raise (yield from cancel_plan(plan, session.language, TakeInterjections(message.id)))
        yield from acknowledge_messages(session, plan)
        raise LoopEnd("cancelled", text("loop_task_cancelled", session.language))
    if intent.kind == "slash":
        limit = session.iteration_limit(plan)
        yield from emit_notice(
            answer_slash_command(intent.command, plan, limit, session.language), "command"
        )
        return plan
    if intent.kind == "not_done" and session.is_on_plan(plan) and plan.last_completed is not None:
        recorded = yield from reopen_task(plan, plan.last_completed, TakeInterjections(message.id))
        session.add_user_message(message.text)
        if not recorded.error:
            session.inject((reopened_note(plan.last_completed, session.language),))
        return _mark_acknowledged(session, recorded)
    session.add_user_message(message.text)
    return plan


def _mark_acknowledged(session: Session, recorded: e.Recorded) -> e.PlanView:
    if not recorded.error:
        session.read_count = 0
    return recorded.plan


def reopen_task(plan: e.PlanView, task: int, *commands_before: Command) -> e.Loop[e.Recorded]:
    """Reopen a completed task and start it; the task started meanwhile becomes pending again.

    `first` are commands of the same commit.
    """
    return_current = (Return(plan.current.id),) if plan.current else ()
    start = () if plan.status == "paused" else (Start(plan.actor, task),)
    commands = (*commands_before, *return_current, Reopen(task))
    recorded = yield from e.record(*commands, *start)
    if recorded.error:  # another task may have to come first now
        recorded = yield from e.record(*commands)
    return recorded
