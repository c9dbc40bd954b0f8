"""What calls leave behind for people: events, OpenTelemetry spans, lines of the transcript.

A refusal is also in the journal. Lines of the transcript tell run, lane and attempt apart.
"""

from __future__ import annotations

from asyncio import CancelledError
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import to_builtins

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Outcome, Thought, ToolCall
from outlast.agent.events import CallEnded, CallRefused, CallStarted
from outlast.errors import Refused
from outlast.language import text
from outlast.model.commands import NoteRefusal
from outlast.model.execute import return_commit
from outlast.plan.tools.call_record import call_line
from outlast.redact.text_fields import redact_text
from outlast.system.tracer import OUTCOME, SpanWriter, span

if TYPE_CHECKING:
    from outlast.agent.runtime.lane import CallNext, Lane

_MILLISECOND: Final = timedelta(milliseconds=1)
_CHARACTERS: Final = 480  # of 500: a redaction may need some more


async def emit_tool_events(effect: e.ToolCall, lane: Lane, call_next: CallNext) -> Outcome:
    """Emit both events around a tool call."""
    call, started = effect.call, lane.run.now()

    def emit_end(output: str = "", error: str = "") -> None:
        milliseconds = max((lane.run.now() - started) / _MILLISECOND, 0.0)
        lane.emit(CallEnded(call, output, error, milliseconds))

    lane.emit(CallStarted(call))
    try:
        outcome = await call_next(effect)
    except CancelledError:
        emit_end(error=text("call_interrupted", lane.run.language))
        raise
    except GeneratorExit:
        raise
    except BaseException as error:
        emit_end(error=type(error).__name__)
        raise
    if isinstance(outcome, Acted):
        emit_end(outcome.output, outcome.error)
    return outcome


async def record_refusal(
    effect: ToolCall, lane: Lane, by: Literal["hook", "permission"], reason: str
) -> None:
    """Commit that a call was refused, before anything that follows it, and emit an event."""
    line, note = call_line(effect.call)[:_CHARACTERS], redact_text(reason)[:_CHARACTERS]
    lane.emit(CallRefused(effect.call, by, note))
    try:
        await lane.commit((NoteRefusal(line, by, note, effect.task),), return_commit)
    except Refused:  # the task is gone
        await lane.commit((NoteRefusal(line, by, note),), return_commit)


async def trace_think(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Open a span for a model call."""
    return await _trace(
        "outlast.think", effect, lane, call_next, model=lane.run.resources.model.name
    )


async def trace_tool_call(effect: e.ToolCall, lane: Lane, call_next: CallNext) -> Outcome:
    """Open a span for a tool call."""
    return await _trace("outlast.act", effect, lane, call_next, tool=effect.call.name)


async def _trace(
    name: str, effect: e.Think | e.ToolCall, lane: Lane, call_next: CallNext, **details: str
) -> Outcome:
    facts = {**details, **_place(effect, lane)}
    with span(name, **{f"outlast.{key}": value for key, value in facts.items()}) as note:
        outcome = await call_next(effect)
        _describe(outcome, note)
        return outcome


def _place(effect: e.Think | e.ToolCall, lane: Lane) -> dict[str, str | int]:
    """Return which attempt an effect belongs to; a plan tool has none."""
    attempt = "" if isinstance(effect, e.PlanTool) else effect.attempt
    return {"lane": lane.id, "attempt": attempt, "task": effect.task or 0}


def _describe(outcome: Outcome, note: SpanWriter) -> None:
    if not isinstance(outcome, Thought | Acted):
        return
    word = (outcome.code or "failed") if outcome.error else "done"
    note(OUTCOME, word, failed=bool(outcome.error))
    if isinstance(outcome, Thought) and outcome.usage is not None:
        note("outlast.tokens.input", outcome.usage.input)
        note("outlast.tokens.output", outcome.usage.output)


async def write_think(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Write the new messages of a request, and the reply."""
    tools = [tool.name for tool in effect.tools]
    _write(lane, effect, "think", messages=to_builtins(lane.requests.last.new), tools=tools)
    outcome = await call_next(effect)
    if isinstance(outcome, Thought):
        calls, usage = to_builtins(outcome.calls), to_builtins(outcome.usage)
        fields = {"text": outcome.text, "calls": calls, "usage": usage, "failed": outcome.error}
        _write(lane, effect, "thought", **fields)
    return outcome


async def write_tool_call(effect: e.ToolCall, lane: Lane, call_next: CallNext) -> Outcome:
    """Write a call and its result."""
    _write(lane, effect, "act", call=to_builtins(effect.call))
    outcome = await call_next(effect)
    if isinstance(outcome, Acted):
        _write(lane, effect, "acted", output=outcome.output, failed=outcome.error)
    return outcome


def _write(lane: Lane, effect: e.Think | e.ToolCall, kind: str, **fields: Any) -> None:  # noqa: ANN401 - JSON
    run = lane.run
    entry = {"at": run.now().isoformat(), "kind": kind, "run": run.token}
    entry |= {**_place(effect, lane), **fields}
    run.transcript.write(run.plan, entry, is_scratch=run.is_scratch)
