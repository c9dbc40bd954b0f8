"""The conversation loop: find out what a message means (M8) and act on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.prompt import aside_messages
from outlast.application.loops.endings import (
    LoopEnd,
    cancel_plan,
    failure_end,
    finished_end,
    run_to_end,
)
from outlast.application.loops.messages import reopen_task
from outlast.application.loops.notices import answer_slash_command, emit_message, emit_notice
from outlast.application.loops.questions import answer_oldest, open_questions, resolve_questions
from outlast.application.loops.session import LoopOptions, Session, goal_of
from outlast.application.loops.settlement import settle_attempts
from outlast.application.loops.tool_loop import tool_loop
from outlast.domain.commands import Pause, Resume
from outlast.domain.intents import Intent, classify_message
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.events import Stopped
    from outlast.ports.model import ToolSpec
    from outlast.texts import Language

_DEFAULT = LoopOptions()


def converse(  # noqa: PLR0913 - one keyword per option
    message: str,
    *,
    tools: tuple[ToolSpec, ...],
    plan_tools: tuple[ToolSpec, ...] = (),
    options: LoopOptions = _DEFAULT,
    language: Language = "en",
    interrupted: bool = False,
) -> e.Loop[Stopped]:
    """Do what a message asks for, on the plan of the run, which may have ended.

    `tools` act on the world, `plan_tools` on the plan; the latter are offered only while there is a
    stored plan, or one can be created. `interrupted` tells that the last runner of the plan died.
    """
    session = Session(tools, plan_tools, options, language)
    valid = message.encode(errors="replace").decode()  # lone surrogates cannot be stored
    return run_to_end(_handle_message(session, valid, interrupted=interrupted), session)


def _handle_message(session: Session, message: str, *, interrupted: bool) -> e.Loop[LoopEnd]:
    plan = (yield from e.record()).plan
    same_goal = not plan.is_scratch and goal_of(message).strip() == plan.goal.strip()
    may_be_unsettled = interrupted or (plan.status == "completed" and plan.attempts)
    if same_goal and plan.has_ended and may_be_unsettled:
        plan, _ = yield from settle_attempts(session, plan)
        raise finished_end(plan, session.language)
    if interrupted and not plan.is_scratch and plan.status in ("idle", "running"):
        plan = (yield from e.record(Pause("interrupted"))).plan
    intent = _interpret(plan, message, same_goal=same_goal and not plan.has_ended)
    resumed = plan.status == "paused" or intent.kind == "not_done"
    match intent.kind:
        case "slash" if intent.command != "cancel":
            reply = answer_slash_command(
                intent.command, plan, session.iteration_limit(plan), session.language
            )
            raise LoopEnd("answered", reply)
        case "slash" | "cancel":
            raise (yield from cancel_plan(plan, session.language))
        case "answer":
            plan = yield from answer_oldest(session, message, plan)
        case "continue":
            plan = yield from _resume(session, plan)
        case "not_done" if not plan.is_scratch and plan.last_completed is not None:
            plan = yield from _reopen_last(session, plan, plan.last_completed)
        case _ if not plan.is_scratch and plan.status == "paused":
            raise (yield from _answer_aside(session, plan, message))
    return (yield from _work(session, plan, message, resumed=resumed))


def _interpret(plan: e.PlanView, message: str, *, same_goal: bool) -> Intent:
    """Return the intent of a message; repeating an unfinished plan's goal means to continue."""
    if same_goal:
        return Intent("continue", message)
    has_question = not plan.has_ended and bool(open_questions(plan))
    return classify_message(
        message, paused=not plan.is_scratch and plan.status == "paused", question=has_question
    )


def _resume(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    plan = yield from resolve_questions(session, plan)
    if plan.status != "paused":
        return plan
    return (yield from e.record(Resume())).plan


def _reopen_last(session: Session, plan: e.PlanView, task: int) -> e.Loop[e.PlanView]:
    """Reopen the task completed last. A paused plan stays paused until a person resumes it."""
    plan = (yield from reopen_task(plan, task)).plan
    if plan.status == "paused":
        raise LoopEnd("paused", pause_notice(plan, session.language))
    return plan


def _answer_aside(session: Session, plan: e.PlanView, message: str) -> e.Loop[LoopEnd]:
    """Answer a message beside a paused plan, leave the plan as it is, and tell how to resume it."""
    notice = pause_notice(plan, session.language)
    yield from emit_notice(notice, "paused")
    messages = aside_messages(message, plan, session.language)
    reply = yield from e.think(messages, (), planning_characters=len(messages[1].text))
    thought = reply.outcome
    if thought.error:
        end = failure_end(thought, session.language)
        return end if end.why == "budget" else LoopEnd(end.why, f"{end.text}\n\n{notice}")
    answer = f"{thought.text}\n\n{notice}".strip()
    yield from emit_message(answer)
    return LoopEnd("answered", answer)


def pause_notice(plan: e.PlanView, language: Language = "en") -> str:
    """Return the progress of a paused plan and how to resume it."""
    return text("loop_limit", language, done=plan.done, total=plan.total)


def _work(session: Session, plan: e.PlanView, message: str, *, resumed: bool) -> e.Loop[LoopEnd]:
    """Settle open attempts, start the conversation, call the hooks, and run the tool loop."""
    plan, settled = yield from settle_attempts(session, plan)
    session.start(message, plan, settled, resumed=resumed or bool(settled))
    if session.options.enable_planning:
        for point in ("session_start", "user_prompt"):
            reply = yield from e.consult(point, message if point == "user_prompt" else "")
            plan, advised = reply.plan, reply.outcome
            yield from emit_notice(advised.notification)
            session.inject(advised.inject)
            if not advised.should_continue:
                raise LoopEnd("answered", advised.notification)
    return (yield from tool_loop(session, plan))
