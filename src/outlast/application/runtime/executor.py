"""The executor: calls the model, tools and people, and commits to the plan."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import convert
from msgspec.structs import replace

from outlast.application.context.brief import render_brief
from outlast.application.context.exchange import restore_exchange
from outlast.application.plan.plan_view import plan_view
from outlast.application.runtime.call_record import parse_call_line
from outlast.application.runtime.costs import add_price
from outlast.application.runtime.guards import run_in_thread, shield, to_text, validate_reply
from outlast.application.sync.answers import answer_question
from outlast.application.sync.edit_lines import read_edits
from outlast.application.sync.waiting_edits import EDIT
from outlast.application.tools.dispatch import run_tool
from outlast.application.tools.tool_sets import find_tool, is_plan_change
from outlast.domain.commands import AnswerQuestion, Complete, Start
from outlast.domain.decide.conversation import check_answer
from outlast.domain.execute import return_commit
from outlast.domain.intents import classify_message
from outlast.domain.ledger import THINK
from outlast.domain.replies.markers import find_named_task
from outlast.errors import ClaimLost, InvalidArgument, ModelFailed, OutlastError, Refused
from outlast.ports import effects as e
from outlast.ports.events import Notified, Streamed, TodoUpdated
from outlast.ports.model import Usage
from outlast.ports.tool import Settlement
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool, call_in_thread
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.runtime.lane import Lane
    from outlast.domain.model import Question
    from outlast.domain.replies.markers import NamedTask
    from outlast.domain.state import PlanState
    from outlast.ports.model import Message
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool

T = TypeVar("T")
_MAX_ASKS: Final = 3  # times a person is asked who gives no clear answer


async def execute(effect: e.Effect, lane: Lane) -> e.Outcome:  # noqa: C901, PLR0911 - one for each effect
    """Carry out an effect; the only place that tells the types of effects apart."""
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
            return e.Exchange(await call_in_pool(partial(_read_exchange, lane)))
        case e.ReadBrief():
            return await _read_brief(effect, lane)
        case e.ReadEdits():
            return await _read_edits(effect, lane)
        case e.Ask():
            return e.Answered(await ask_person(lane, effect.question))
        case _:
            raise TypeError(effect)  # handled by a middleware or by the driver


async def ask_person(lane: Lane, question: Question) -> str | None:
    """Ask the person who is present; return None without one, or without a clear answer.

    An answer that does not fit the question is asked again, a few times, with those that do.
    """
    person = lane.run.dependencies.person
    if person is None:
        return None
    await lane.flush()
    try:
        async with lane.without_slot():
            return await _ask_until_clear(lane, question, person)
    except Exception:
        LOG.exception("a person could not be asked")
        return None
    finally:
        lane.mark_stale()


async def _ask_until_clear(lane: Lane, question: Question, person: Person) -> str | None:
    asked = question
    for _ in range(_MAX_ASKS):
        answer = to_text(await shield(person.answer(asked)) or "")
        if not answer.strip():
            return None
        if _is_command(question, answer):
            return answer
        try:
            check_answer(question, answer)
        except InvalidArgument as error:
            asked = replace(question, text=lane.run.error_text(error))
        else:
            return answer
    if question.kind != "permit":
        left_open = text("question_left_open", lane.run.language, question=question.id)
        lane.emit(Notified(left_open, "command"))
    return None


def _is_command(question: Question, answer: str) -> bool:
    """Return whether a reply is a command by M8 instead of an answer; a permission takes none."""
    intent = classify_message(answer, paused=False, question=True)
    return question.kind != "permit" and intent.kind != "answer"


async def _think(effect: e.Think, lane: Lane) -> e.Thought:
    dependencies, model = lane.run.dependencies, lane.run.dependencies.model

    def emit_text(piece: str) -> None:
        lane.emit(Streamed(piece))

    try:
        pending = model.think(
            effect.messages,
            effect.tools,
            max_tokens=effect.max_tokens,
            on_text=emit_text if dependencies.listener else None,
        )
        reply = validate_reply(await shield(pending))
    except Exception as error:  # noqa: BLE001 - whatever a provider raises, the model failed
        return e.Thought(
            error=lane.run.error_text(error),
            code=_code(error),
            usage=add_price(_failure_usage(error), model.price),
            retry_after=_retry_after(error),
        )
    usage = add_price(reply.usage, model.price)
    return e.Thought(reply.text, reply.calls, usage=usage, invalid_calls=reply.invalid_calls)


async def _act(effect: e.Act, lane: Lane) -> e.Acted:
    tool = lane.run.dependencies.tool(effect.call.name)
    if tool is None:
        return e.Acted(error=text("tool_missing", lane.run.language, tool=effect.call.name))
    try:
        return e.Acted(to_text(await shield(tool.run(effect.call.params))))
    except Exception as error:  # noqa: BLE001 - whatever a tool raises, it failed
        return e.Acted(error=lane.run.error_text(error), code=_code(error))


async def _call_plan_tool(effect: e.PlanTool, lane: Lane) -> e.Acted:
    tool = find_tool(effect.call.name)
    if tool is None:
        return e.Acted(error=text("tool_missing", lane.run.language, tool=effect.call.name))
    call = partial(run_tool, lane.plan, tool, effect.call.params, lane.run.language)
    may_check = lane.snapshot.has_checks and is_plan_change(effect.call)
    result = await _run_with_checks(lane, call, may_check=may_check)
    lane.mark_stale()
    if result.todos is not None:
        lane.emit(TodoUpdated(result.todos))
    if result.is_refused:
        return e.Acted(error=result.text, code=result.code)
    return e.Acted(result.text)


async def _run_with_checks(lane: Lane, call: Callable[[], T], *, may_check: bool) -> T:
    """Make a call that commits; while it may run checks, no tool of another lane runs."""
    if not may_check:
        return await run_in_thread(lane.core, call)
    async with lane.run.workspace.for_checks():
        return await run_in_thread(lane.core, call)


async def _settle(effect: e.Settle, lane: Lane) -> e.Settled:
    if effect.attempt.kind == THINK:
        return e.Settled("not_done")  # the reply was never used
    tool_name, params = parse_call_line(effect.attempt.what)
    tool = lane.run.dependencies.tool(tool_name)
    if tool is not None and params is not None:
        settlement = await call_in_thread(partial(_ask_tool, tool, params))
        if settlement != "unknown":
            return e.Settled(settlement, "tool")

    def is_needed(state: PlanState) -> bool:
        return state.needs_outcome(effect.attempt)

    return e.Settled("unknown", needed=await lane.read(is_needed))


def _read_exchange(lane: Lane) -> tuple[Message, ...]:
    """Read the last exchange from the transcript; nothing without one."""
    run = lane.run
    transcript = run.dependencies.transcript_of(run.plan)
    return restore_exchange(transcript.tail(), run.language) if transcript else ()


async def _find_tasks(effect: e.FindTasks, lane: Lane) -> e.FoundTasks:
    def find(state: PlanState) -> tuple[NamedTask, ...]:
        return tuple(find_named_task(text, state.tasks.values()) for text in effect.texts)

    return e.FoundTasks(await lane.read(find))


async def _record(effect: e.Record, lane: Lane) -> e.Recorded:
    """Commit commands; the task that the last one starts or completes has its checks run."""
    if effect.can_wait:
        lane.defer(*effect.commands)
        return e.Recorded()
    if not effect.commands:
        await lane.refresh()
        return e.Recorded()
    commands, reason = effect.commands, effect.reason
    try:
        if isinstance(commands[-1], Start | Complete) and lane.snapshot.has_checks:
            await lane.flush()
            commit = partial(lane.core.commit_with_checks, commands, return_commit, reason=reason)
            await _run_with_checks(lane, commit, may_check=True)
            lane.mark_stale()
        elif isinstance(commands[-1], AnswerQuestion) and _is_about_edits(lane, commands[-1]):
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
        return e.Recorded(error.code, lane.run.error_text(error))
    return e.Recorded()


async def _read_brief(effect: e.ReadBrief, lane: Lane) -> e.BriefText:
    """Render the brief, which takes its time; the loop shows unread messages itself."""
    await lane.flush()
    settings, language = lane.run.dependencies.settings, lane.run.language

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

    return e.BriefText(await call_in_pool(partial(lane.core.read, render)))


async def _read_edits(effect: e.ReadEdits, lane: Lane) -> e.PlanEdits:
    lane.may_be_edited = False
    await lane.run.sync_views()
    store, language = lane.core.store, lane.run.language
    read = partial(read_edits, store, effect.since, language, with_goal=effect.with_goal)
    edits = await call_in_pool(read)
    if edits.revision > lane.view.revision:
        lane.mark_stale()
    return edits


def _is_about_edits(lane: Lane, command: AnswerQuestion) -> bool:
    questions = lane.view.questions
    return any(each.id == command.question and each.kind == EDIT for each in questions)


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
