"""Understand what a person says (M8), and do what is meant by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.prompt import aside
from outlast.application.loops.endings import Ended, cancel, ended, failed
from outlast.application.loops.messages import reopen
from outlast.application.loops.options import LoopOptions
from outlast.application.loops.questions import answer, open_questions, wait_for
from outlast.application.loops.recovery import settle_all
from outlast.application.loops.session import Session, goal_of
from outlast.application.loops.slash_commands import slash
from outlast.application.loops.stop_check import finished, notify, say
from outlast.application.loops.tool_loop import tool_loop
from outlast.domain.commands import Pause, Resume
from outlast.domain.intents import Intent, understand
from outlast.formats.redact.fast import without_secrets
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.events import Stopped
    from outlast.ports.model import ToolSpec
    from outlast.texts import Language

_DEFAULT = LoopOptions()


def converse(  # noqa: PLR0913 - one keyword for each thing that can be chosen
    message: str,
    *,
    tools: tuple[ToolSpec, ...],
    plan_tools: tuple[ToolSpec, ...] = (),
    options: LoopOptions = _DEFAULT,
    language: Language = "en",
    interrupted: bool = False,
) -> e.Loop[Stopped]:
    """Do what a message asks for; the desk sits on the plan of the key, also one that has ended.

    `tools` act on the world, `plan_tools` on the plan: they are offered only while there is a plan
    that is kept. `interrupted` says that the last runner of the plan died.
    """
    session = Session(tools, plan_tools, options, language)
    whole = message.encode(errors="replace").decode()  # half characters can be kept nowhere
    return ended(_heed(session, whole, interrupted=interrupted), language)


def _heed(session: Session, message: str, *, interrupted: bool) -> e.Loop[Ended]:
    plan = (yield from e.record()).plan
    again = plan.kept and without_secrets(goal_of(message)).strip() == plan.goal.strip()
    unseen = interrupted or (plan.status == "completed" and plan.attempts)
    if again and plan.ended and unseen:
        plan, _ = yield from settle_all(session, plan)
        raise finished(plan, session.language)
    if interrupted and plan.kept and plan.status in ("idle", "running"):
        plan = (yield from e.record(Pause("interrupted"))).plan
    intent = _understood(plan, message, again=again and not plan.ended)
    resumed = plan.status == "paused" or intent.kind == "not_done"
    match intent.kind:
        case "slash" if intent.command != "cancel":
            words = slash(intent.command, plan, session.limit(plan), session.language)
            raise Ended("answered", words)
        case "slash" | "cancel":
            raise (yield from cancel(plan, session.language))
        case "answer":
            plan = yield from answer(session, message, plan)
        case "continue":
            plan = yield from _resumed(session, plan)
        case "not_done" if plan.kept and plan.last_done is not None:
            plan = yield from _corrected(session, plan, plan.last_done)
        case _ if plan.kept and plan.status == "paused":
            raise (yield from _aside(session, plan, message))
    return (yield from _work(session, plan, message, resumed=resumed))


def _understood(plan: e.PlanView, message: str, *, again: bool) -> Intent:
    """Return what a message means; the goal of an unfinished plan said again means to go on."""
    if again:
        return Intent("continue", message)
    asked = not plan.ended and bool(open_questions(plan))
    return understand(message, paused=plan.kept and plan.status == "paused", question=asked)


def _resumed(session: Session, plan: e.PlanView) -> e.Loop[e.PlanView]:
    plan = yield from wait_for(session, plan)
    if plan.status != "paused":
        return plan
    return (yield from e.record(Resume())).plan


def _corrected(session: Session, plan: e.PlanView, undone: int) -> e.Loop[e.PlanView]:
    """Reopen the task completed last; a paused plan stays so until somebody says to go on."""
    plan = (yield from reopen(plan, undone)).plan
    if plan.status == "paused":
        raise Ended("paused", announcement(plan, session.language))
    return plan


def _aside(session: Session, plan: e.PlanView, message: str) -> e.Loop[Ended]:
    """Answer a message beside a paused plan, which stays as it is, and say how to resume it."""
    how = announcement(plan, session.language)
    yield from notify(how, "paused")
    messages = aside(message, plan, session.language)
    thought = yield from e.think(messages, (), planning=len(messages[1].text))
    if thought.failed:
        end = failed(thought, session.language)
        return end if end.why == "budget" else Ended(end.why, f"{end.words}\n\n{how}")
    words = f"{thought.text}\n\n{how}".strip()
    yield from say(words)
    return Ended("answered", words)


def announcement(plan: e.PlanView, language: Language = "en") -> str:
    """Say how far a paused plan is, and how to resume it."""
    return text("loop_limit", language, done=plan.done, total=plan.total)


def _work(session: Session, plan: e.PlanView, message: str, *, resumed: bool) -> e.Loop[Ended]:
    """Settle what is open, begin a conversation and work."""
    plan, settled = yield from settle_all(session, plan)
    session.begin(message, plan, settled, resumed=resumed or bool(settled))
    if session.options.enable_planning:
        for point in ("session_start", "user_prompt"):
            advised = yield from e.consult(point, message if point == "user_prompt" else "")
            plan = advised.plan
            yield from notify(advised.notification)
            session.inject(advised.inject)
            if not advised.should_continue:
                raise Ended("answered", advised.notification)
    return (yield from tool_loop(session, plan))
