"""The executor: calls the model, tools and people, and commits to the plan."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import convert

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Answered, Outcome, Recorded, Settled, Thought
from outlast.agent.events import TodoUpdated
from outlast.agent.runtime import delegation, probes
from outlast.agent.runtime.attempt_costs import add_price
from outlast.agent.runtime.guards import run_in_thread, shield, to_text, validate_reply
from outlast.agent.runtime.questions import ask_person
from outlast.agent.runtime.workspace import checked_files
from outlast.context.chat_model import Usage
from outlast.context.tool import Settlement, Tool
from outlast.documents.waiting_edits import EDIT
from outlast.errors import ClaimLost, ModelFailed, OutlastError, Refused
from outlast.language import text
from outlast.model.commands import AnswerQuestion, Complete, Start, TaskRef
from outlast.model.execute import return_commit
from outlast.model.ledger import THINK
from outlast.plan.answers import answer_question
from outlast.plan.tools.call_record import parse_call_line
from outlast.plan.tools.dispatch import run_tool
from outlast.plan.tools.tool_sets import find_tool, is_plan_change
from outlast.system.logs import LOG
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.agent.runtime.lane import Lane
    from outlast.model.state import PlanState

T = TypeVar("T")


async def _think(effect: e.Think, lane: Lane) -> Thought:
    resources, model = lane.run.resources, lane.run.resources.model
    try:
        pending = model.think(
            effect.messages,
            effect.tools,
            max_tokens=effect.max_tokens,
            on_text=lane.stream if resources.listener and not effect.is_silent else None,
        )
        reply = validate_reply(await shield(pending))
    except Exception as error:  # noqa: BLE001 - whatever a provider raises, the model failed
        return Thought(
            error=lane.run.error_text(error),
            code=_code(error),
            usage=add_price(_failure_usage(error), model.price),
            retry_after=_retry_after(error),
        )
    usage = add_price(reply.usage, model.price)
    return Thought(reply.text, reply.calls, usage=usage, invalid_calls=reply.invalid_calls)


async def _act(effect: e.Act, lane: Lane) -> Acted:
    tool = lane.run.resources.tool(effect.call.name)
    if tool is None:
        return Acted(error=text("tool_missing", lane.run.language, tool=effect.call.name))
    try:
        return Acted(to_text(await shield(tool.run(effect.call.params))))
    except Exception as error:  # noqa: BLE001 - whatever a tool raises, it failed
        return Acted(error=lane.run.error_text(error), code=_code(error))


async def _call_plan_tool(effect: e.PlanTool, lane: Lane) -> Acted:
    tool = find_tool(effect.call.name)
    if tool is None:
        return Acted(error=text("tool_missing", lane.run.language, tool=effect.call.name))
    call = partial(run_tool, lane.plan, tool, effect.call.params, lane.run.language)
    may_check = lane.snapshot.has_checks and is_plan_change(effect.call)
    if lane.has_unrecorded_words:  # a completion makes its result of them
        await lane.flush()
    result = await _run_with_checks(lane, call, may_check=may_check)
    lane.mark_stale()
    if result.todos is not None:
        lane.emit(TodoUpdated(result.todos))
    if result.is_refused:
        return Acted(error=result.text, code=result.code)
    return Acted(result.text)


async def _run_with_checks(
    lane: Lane, call: Callable[[], T], *, may_check: bool, task: TaskRef | None = None
) -> T:
    """Make a call that commits; while it may run checks, no other lane changes their files."""
    if not may_check:
        return await run_in_thread(lane.core, call)
    if task is None:  # any task
        claim = lane.run.workspace.for_checks(task=lane.task)
    else:
        target = await lane.read(lambda state: state.task(task))
        claim = lane.run.workspace.for_checks(checked_files(target), target.id)
    async with claim:
        return await run_in_thread(lane.core, call)


async def _ask(effect: e.Ask, lane: Lane) -> Answered:
    return await ask_person(lane, effect.question)


async def _settle(effect: e.Settle, lane: Lane) -> Settled:
    if effect.attempt.kind == THINK:
        return Settled("not_done")  # the reply was never used
    if effect.attempt.kind == e.Delegate.kind:
        return await delegation.settle_order(effect, lane)
    tool_name, params = parse_call_line(effect.attempt.what)
    tool = lane.run.resources.tool(tool_name)
    if tool is not None and params is not None:
        settlement = await call_in_thread(partial(_ask_tool, tool, params))
        if settlement != "unknown":
            return Settled(settlement, "tool")

    def is_needed(state: PlanState) -> bool:
        return state.needs_outcome(effect.attempt)

    return Settled("unknown", needed=await lane.read(is_needed))


async def _record(effect: e.Record, lane: Lane) -> Recorded:
    """Commit commands; the task that the last one starts or completes has its checks run."""
    if effect.can_wait:
        lane.defer(*effect.commands)
        return Recorded()
    if not effect.commands:
        await lane.refresh()
        return Recorded()
    commands, reason = effect.commands, effect.reason
    try:
        if isinstance(commands[-1], Start | Complete) and lane.snapshot.has_checks:
            await lane.flush()
            commit = partial(lane.core.commit_with_checks, commands, return_commit, reason=reason)
            await _run_with_checks(lane, commit, may_check=True, task=commands[-1].task)
            lane.mark_stale()
        elif isinstance(commands[-1], AnswerQuestion) and _has_effects(lane, commands[-1]):
            await lane.flush()
            answer = partial(answer_question, lane.core, commands[-1], return_commit)
            await _run_with_checks(lane, answer, may_check=True)
            lane.mark_stale()
        else:
            author = effect.author
            await lane.commit(commands, return_commit, reason=reason, key=effect.key, author=author)
    except ClaimLost as error:
        raise e.LeaseLost from error
    except Refused as error:
        lane.mark_stale()
        return Recorded(error.code, lane.run.error_text(error))
    await delegation.report_decisions(commands, lane)
    return Recorded()


def _has_effects(lane: Lane, command: AnswerQuestion) -> bool:
    questions = lane.view.questions
    return any(each.id == command.question and each.kind in (EDIT, "checks") for each in questions)


def _ask_tool(tool: Tool, params: dict[str, Any]) -> Settlement:
    """Ask a tool how a call ended; a tool that fails to tell leaves the question to a person."""
    try:
        settlement: Settlement = convert(tool.settle(params), Settlement)
    except Exception:
        LOG.exception("%s failed to settle an attempt", tool.name)
        return "unknown"
    return settlement


def _code(error: Exception) -> str:
    return error.code if isinstance(error, OutlastError) else ""


def _failure_usage(error: Exception) -> Usage | None:
    """Return the usage of a failed model call: nothing, unless reported; None if unknown."""
    usage = error.details.get("usage", Usage()) if isinstance(error, ModelFailed) else None
    return usage if isinstance(usage, Usage) else None


def _retry_after(error: Exception) -> float | None:
    seconds = error.details.get("retry_after") if isinstance(error, OutlastError) else None
    return float(seconds) if isinstance(seconds, int | float) else None


_HANDLERS: Final[dict[type[e.Effect], Callable[[Any, Lane], Awaitable[Outcome]]]] = {
    e.Think: _think,
    e.Act: _act,
    e.PlanTool: _call_plan_tool,
    e.Settle: _settle,
    e.Record: _record,
    e.Ask: _ask,
    e.FindTasks: probes.find_tasks,
    e.ReadExchange: probes.read_exchange,
    e.ReadBrief: probes.read_brief,
    e.ReadEdits: probes.read_edits,
    e.ReadSchedule: probes.read_schedule,
    e.ReadPosition: probes.read_position,
    e.ReadReplan: probes.read_replan_state,
    e.ReadOutline: probes.read_outline,
    e.PreviewReplan: probes.preview_replan,
    e.ReadUnapproved: probes.read_unapproved,
    e.Delegate: delegation.delegate,
    e.RunChecks: delegation.run_checks,
    e.TryAgent: delegation.try_agent,
    e.EndSessions: delegation.end_sessions,
}


async def execute(effect: e.Effect, lane: Lane) -> Outcome:
    """Carry out an effect; only here the types of effects are told apart."""
    handler = _HANDLERS.get(type(effect))
    if handler is None:
        raise TypeError(effect)  # handled by a middleware or by the driver
    return await handler(effect, lane)
