"""Tool calls as events: start, end and refusal; a refusal is also in the journal."""

from __future__ import annotations

from asyncio import CancelledError
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from outlast.agent.effects import Acted, Outcome
from outlast.agent.events import CallEnded, CallRefused, CallStarted
from outlast.errors import Refused
from outlast.language import text
from outlast.model.commands import NoteRefusal
from outlast.model.execute import return_commit
from outlast.plan.tools.call_record import call_line
from outlast.redact.fast import redact_text

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.effects import ToolCall
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
