"""Tool calls that are refused: each is an event and in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from outlast.agent.events import CallRefused
from outlast.errors import Refused
from outlast.model.commands import NoteRefusal
from outlast.model.execute import return_commit
from outlast.plan.tools.call_record import call_line
from outlast.redact.fast import redact_text

if TYPE_CHECKING:
    from outlast.agent.effects import ToolCall
    from outlast.agent.runtime.lane import Lane

_CHARACTERS: Final = 480  # of 500: a redaction may need some more


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
