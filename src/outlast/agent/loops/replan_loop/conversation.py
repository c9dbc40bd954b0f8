"""A message to a plan that the replan loop works on: find out what it means (M8), then work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.events import Stopped
from outlast.agent.loops.endings import LoopEnd, cancel_plan, finished_end, pause_at_end
from outlast.agent.loops.messages import find_undone_task
from outlast.agent.loops.notices import answer_slash_command
from outlast.agent.loops.replan_loop.loop import replan_loop
from outlast.agent.loops.session import message_of
from outlast.model.commands import AnswerQuestion, Interject, Reopen, Resume, Return
from outlast.model.intents import classify_message, is_same_goal
from outlast.model.model import PERSON
from outlast.redact.truncate import text_of

if TYPE_CHECKING:
    from outlast.agent.agent_spec import Replan
    from outlast.context.plan_view import PlanView
    from outlast.model.commands import Command
    from outlast.model.model import Question

_ANSWERABLE: Final = ("ask", "replan")


def replan_conversation(
    message: str, options: Replan, *, speaker: str = PERSON, resume: bool = False
) -> e.Loop[Stopped]:
    """Do what a message asks for on the plan of the run, and report how that ended.

    With `resume` the work goes on as after "continue", whatever the message says.
    """
    valid = message.encode(errors="replace").decode()  # lone surrogates cannot be stored
    loop = _handle_message(valid, options, speaker, resume=resume)
    end, plan = yield from pause_at_end(loop, options.language)
    answer = end.text if end.why == "answered" else ""
    stopped = Stopped(plan.status, end.why, end.text, answer)
    yield from e.Emit(stopped)
    return stopped


def _handle_message(
    message: str, options: Replan, speaker: str, *, resume: bool
) -> e.Loop[LoopEnd]:
    plan = (yield from e.record()).plan
    question = _open_question(plan)
    intent = classify_message(message, paused=True, question=question is not None)
    is_answer = question is not None and options.in_chat  # even if it repeats the goal
    is_goal = not is_answer and is_same_goal(text_of(message), plan.goal)
    if "cancel" in (intent.kind, intent.command) and not is_goal:
        return (yield from cancel_plan(plan, options.language))
    commands: list[Command] = []
    if intent.kind == "not_done" and not is_goal and plan.status != "failed":
        commands += yield from _reopen(plan, message)
    if plan.has_ended and not commands:
        return finished_end(plan, options.language)
    if intent.kind == "slash" and not is_goal:
        reply = answer_slash_command(intent.command, plan, 0, options.language)
        return LoopEnd("answered", reply)
    words = "" if is_goal else message_of(intent.words or message)
    if resume or (intent.kind == "continue" and not is_goal):
        options, words = replace(options, continues=True), message_of(intent.words)
    if words and question is not None and not resume:
        commands.append(AnswerQuestion(words, speaker, question.id))
    elif words and not is_goal:
        commands.append(Interject(words, speaker))
    if plan.status == "paused":
        commands.append(Resume())
    recorded = yield from e.record(*commands, author=speaker)
    if recorded.outcome.error:
        return LoopEnd("waiting" if question else "paused", recorded.outcome.error)
    return (yield from replan_loop(options))


def _reopen(plan: PlanView, message: str) -> e.Loop[tuple[Command, ...]]:
    """Return the commands that open again what a message says is not done (R0.12)."""
    undone = yield from find_undone_task(plan, message)
    if undone is None:
        return ()
    current = () if plan.current is None else (Return(plan.current.id),)
    return (*current, Reopen(undone))


def _open_question(plan: PlanView) -> Question | None:
    """Return the oldest question that a message answers."""
    return next((each for each in plan.questions if each.kind in _ANSWERABLE), None)
