"""Emit an event when a tool call starts and when it ends, however it ends."""

from __future__ import annotations

from asyncio import CancelledError
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from outlast.agent.events import CallEnded, CallStarted
from outlast.agent.outcomes import Acted, Outcome
from outlast.language import text

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.runtime.lane import CallNext, Lane

_MILLISECOND: Final = timedelta(milliseconds=1)


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
