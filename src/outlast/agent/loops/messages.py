"""What people say and change while a loop works; each iteration tells the model what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.loops.endings import LoopEnd, cancel_plan
from outlast.agent.loops.notices import answer_slash_command, emit_notice
from outlast.agent.loops.questions import ask_person
from outlast.context.blocks import reopened_note
from outlast.documents.waiting_edits import EDIT, question_text
from outlast.language import text
from outlast.model.commands import Command, NoteLoop, Reopen, Return, Start, TakeInterjections
from outlast.model.intents import classify_message, not_done_subject

if TYPE_CHECKING:
    from outlast.agent.loops.session import Session
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Interjection


def read_news(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Tell the model what people have changed and said since it was told last."""
    plan = yield from _read_edits(session, plan)
    plan = yield from _read_messages(session, plan)
    return (yield from _ask_about_edits(session, plan))


def acknowledge_news(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Mark what people said and changed as read, with the next commit; the model has seen it."""
    plan = yield from _acknowledge_messages(session, plan)
    if not session.has_told_edits:
        return plan
    session.has_told_edits = False
    return (yield from e.record(NoteLoop(seen=session.seen_revision), can_wait=True)).plan


# Messages


def _read_messages(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Handle the messages that are not in the conversation yet."""
    while unread := session.unread_messages(plan):
        session.last_read = unread[0].id
        plan = yield from _handle_message(session, plan, unread[0])
    if plan.goal != session.goal_shown:
        session.show_goal(plan)
    return plan


def _acknowledge_messages(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    if not any(message.id <= session.last_read for message in plan.new_messages):
        return plan
    return (yield from e.record(_take(session, session.last_read), can_wait=True)).plan


def _take(session: Session, last: int) -> TakeInterjections:
    """Return the command that marks messages as read; those that were commands are dropped."""
    commands, session.commands = session.commands, []
    return TakeInterjections(last, tuple(commands))


def _handle_message(session: Session, plan: PlanView, message: Interjection) -> e.Loop[PlanView]:
    intent = classify_message(message.text, paused=True, question=False)
    if not intent.words:
        session.commands.append(message.id)
    if "cancel" in (intent.kind, intent.command):
        if session.is_on_plan(plan):
            raise (yield from cancel_plan(plan, session.language, TakeInterjections(message.id)))
        yield from _acknowledge_messages(session, plan)
        raise LoopEnd("cancelled", text("loop_stopped", session.language))
    if intent.kind == "slash":
        limit = session.iteration_limit(plan)
        yield from emit_notice(
            answer_slash_command(intent.command, plan, limit, session.language), "command"
        )
        return plan
    is_undone = intent.kind == "not_done" and session.is_on_plan(plan)
    task = (yield from find_undone_task(plan, message.text)) if is_undone else None
    session.add_user_message(message.text)
    if task is None:
        return plan
    reply = yield from reopen_task(plan, task, _take(session, message.id))
    if not reply.outcome.error:
        session.inject((reopened_note(task, session.language),))
    return reply.plan


def find_undone_task(plan: PlanView, message: str) -> e.Loop[int | None]:
    """Return the finished task that is not done as a message says: the one it names, else the last.

    None if it names one that is not finished, or that does not exist.
    """
    subject = not_done_subject(message)
    if not subject or plan.last_completed is None:
        return plan.last_completed
    (named,) = (yield from e.FindTasks((subject,))).outcome.tasks
    if named.task is None and named.is_clear:
        return plan.last_completed
    return named.task.id if named.task and named.task.finished else None


def reopen_task(
    plan: PlanView, task: int, *commands_before: Command
) -> e.Loop[e.Reply[e.Recorded]]:
    """Reopen a completed task and start it; the task started meanwhile becomes pending again.

    `commands_before` are part of the same commit.
    """
    return_current = (Return(plan.current.id),) if plan.current else ()
    start = () if plan.status == "paused" else (Start(plan.actor, task),)
    commands = (*commands_before, *return_current, Reopen(task))
    reply = yield from e.record(*commands, *start)
    if reply.outcome.error:  # another task may have to come first now
        reply = yield from e.record(*commands)
    return reply


# Edits of the plan


def _read_edits(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Tell the model what people changed since it was told last; tell people what they saved."""
    is_behind = not session.iterations and session.seen_revision < plan.revision
    if not session.is_on_plan(plan) or not (plan.may_be_edited or is_behind):
        session.seen_revision = plan.revision
        return plan
    starts = not session.iterations and not session.history.messages
    reply = yield from e.ReadEdits(session.seen_revision, with_goal=starts)
    edits, session.seen_revision = reply.outcome, reply.outcome.revision
    for save in edits.saves:
        yield from emit_notice(save, "edit")
    if edits.lines:
        lines = list(edits.lines)
        if edits.more:
            more = {"count": edits.more, "read": session.tool_names["read"]}
            lines.append(text("told_more", session.language, **more))
        session.inject(("\n".join(lines),))
        session.has_told_edits = True
    return reply.plan


def _ask_about_edits(session: Session, plan: PlanView) -> e.Loop[PlanView]:
    """Ask whether the person made the edits that wait, once in a run.

    Without a yes or no the run goes on, and the question stays open.
    """
    for question in plan.questions:
        if question.kind == EDIT and question.id not in session.edits_asked:
            session.edits_asked.add(question.id)
            shown = replace(question, text=question_text(question, session.language))
            plan, _ = yield from ask_person(session, shown)
    return plan
