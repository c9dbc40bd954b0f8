"""The executor: calls the model, tools and people, and commits to the plan."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import convert

from outlast.agent import effects as e
from outlast.agent.context.conversation import restore_exchange
from outlast.agent.effects import (
    Acted,
    BriefText,
    Exchange,
    FoundTasks,
    Outcome,
    PlanEdits,
    Recorded,
    Settled,
    Thought,
)
from outlast.agent.events import Streamed, TodoUpdated
from outlast.agent.runtime.attempt_costs import add_price
from outlast.agent.runtime.delegation import delegation, positions
from outlast.agent.runtime.delegation.delegation import try_agent
from outlast.agent.runtime.edit_lines import read_edits
from outlast.agent.runtime.guards import run_in_thread, shield, to_text, validate_reply
from outlast.agent.runtime.questions import ask_person
from outlast.agent.runtime.workspace_lock import checked_files
from outlast.context.brief import render_brief
from outlast.context.chat_model import Usage
from outlast.context.tool import Settlement
from outlast.documents.waiting_edits import EDIT
from outlast.errors import ClaimLost, ModelFailed, OutlastError, Refused
from outlast.language import text
from outlast.model.commands import AnswerQuestion, Complete, Start
from outlast.model.execute import return_commit
from outlast.model.ledger import THINK
from outlast.model.markers import find_named_task
from outlast.plan.answers import answer_question
from outlast.plan.plan_view import plan_view
from outlast.plan.tools.call_record import parse_call_line
from outlast.plan.tools.dispatch import run_tool
from outlast.plan.tools.tool_sets import find_tool, is_plan_change
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool, call_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.agent.runtime.lane import Lane
    from outlast.context.chat_model import Message
    from outlast.context.tool import Tool
    from outlast.model.commands import TaskRef
    from outlast.model.markers import NamedTask
    from outlast.model.state import PlanState

T = TypeVar("T")


async def execute(  # noqa: C901, PLR0911 - one for each effect
    effect: e.Effect, lane: Lane
) -> Outcome:
    """Carry out an effect; only here the types of effects are told apart."""
    match effect:
        case e.Think():
            return await _think(effect, lane)
        case e.Act():
            return await _act(effect, lane)
        case e.PlanTool():
            return await _call_plan_tool(effect, lane)
        case e.Settle():
            return await _settle(effect, lane)
        case e.FindTasks():
            return await _find_tasks(effect, lane)
        case e.Record():
            return await _record(effect, lane)
        case e.ReadExchange():
            return Exchange(await call_in_pool(partial(_read_exchange, lane)))
        case e.ReadBrief():
            return await _read_brief(effect, lane)
        case e.ReadEdits():
            return await _read_edits(effect, lane)
        case e.Ask():
            return await ask_person(lane, effect.question)
        case _:
            return await _orchestrate(effect, lane)


async def _orchestrate(  # noqa: C901, PLR0911 - one for each effect
    effect: e.Effect, lane: Lane
) -> Outcome:
    """Carry out an effect of an orchestrator, or of the replan loop."""
    match effect:
        case e.Delegate():
            return await delegation.delegate(effect, lane)
        case e.RunChecks():
            return await delegation.run_checks(effect, lane)
        case e.ReadSchedule():
            return await positions.read_schedule(effect, lane)
        case e.ReadPosition():
            return await positions.read_position(effect, lane)
        case e.TryAgent():
            return await try_agent(lane)
        case e.ReadReplan():
            return await positions.read_replan_state(lane)
        case e.ReadOutline():
            return await positions.read_outline(lane)
        case e.PreviewReplan():
            return await positions.preview_replan(effect, lane)
        case e.ReadUnapproved():
            return await positions.read_unapproved(lane)
        case e.EndSessions():
            return await delegation.end_sessions(lane)
        case _:
            raise TypeError(effect)  # handled by a middleware or by the driver


async def _think(effect: e.Think, lane: Lane) -> Thought:
    resources, model = lane.run.resources, lane.run.resources.model

    def emit_text(piece: str) -> None:
        lane.emit(Streamed(piece))

    try:
        pending = model.think(
            effect.messages,
            effect.tools,
            max_tokens=effect.max_tokens,
            on_text=emit_text if resources.listener and not effect.is_silent else None,
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


def _read_exchange(lane: Lane) -> tuple[Message, ...]:
    """Read the last exchange from the transcript; nothing without one."""
    run = lane.run
    transcript = run.resources.transcript_of(run.plan)
    return restore_exchange(transcript.tail(), run.language) if transcript else ()


async def _find_tasks(effect: e.FindTasks, lane: Lane) -> FoundTasks:
    def find(state: PlanState) -> tuple[NamedTask, ...]:
        return tuple(find_named_task(text, state.tasks.values()) for text in effect.texts)

    return FoundTasks(await lane.read(find))


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


async def _read_brief(effect: e.ReadBrief, lane: Lane) -> BriefText:
    """Render the brief, which takes its time; the loop shows unread messages itself."""
    await lane.flush()
    settings, language = lane.run.spec.settings, lane.run.language

    def render(state: PlanState) -> str:
        return render_brief(
            state,
            plan_view(state, lane.core.actor),
            language,
            limit=effect.limit,
            tokens=settings.loop.brief_tokens,
            settled=effect.settled,
            unread=False,
            without=effect.without,
        )

    return BriefText(await call_in_pool(partial(lane.core.read, render)))


async def _read_edits(effect: e.ReadEdits, lane: Lane) -> PlanEdits:
    lane.may_be_edited = False
    await lane.run.sync_views()
    store, language = lane.core.store, lane.run.language
    read = partial(read_edits, store, effect.since, language, with_goal=effect.with_goal)
    edits = await call_in_pool(read)
    if edits.revision > lane.view.revision:
        lane.mark_stale()
    return edits


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
