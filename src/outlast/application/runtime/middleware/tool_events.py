"""Emit an event when a tool call starts and when it ends, however it ends."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING

from outlast.ports import effects as e
from outlast.ports.events import CallEnded, CallStarted
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.runtime.lane import CallNext, Lane


async def emit_tool_events(effect: e.ToolCall, lane: Lane, call_next: CallNext) -> e.Outcome:
    """Emit both events around a tool call."""
    call, started = effect.call, lane.run.now()

    def emit_end(output: str = "", error: str = "") -> None:
        elapsed = max((lane.run.now() - started).total_seconds(), 0.0)
        lane.emit(CallEnded(call, output, error, elapsed))

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
    if isinstance(outcome, e.Acted):
        emit_end(outcome.output, outcome.error)
    return outcome
