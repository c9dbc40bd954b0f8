"""What came of a call, for the model that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.escape import quoted
from outlast.formats.redact.truncate import both_ends
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.model import Call
    from outlast.texts import Language


def tool_message(call: Call, output: str, failed: str, language: Language = "en") -> Message:
    """Return what came of a call; what is too long of it was cut where it was run."""
    said = text("call_failed", language, problem=failed) if failed else output
    return Message("tool", quoted(said, len(said)), call_id=call.id)


def shortened(result: str, longest: int, language: Language = "en") -> str:
    """Return what came of a call; of one that is too long both ends, and how much is missing."""
    if len(result) <= longest:
        return result
    half = longest // 2
    note = text("call_cut", language, count=len(result) - 2 * half)
    return f"\n{note}\n".join(both_ends(result, half))


def not_run(call: Call, language: Language = "en") -> Message:
    """Return the answer to a call that was not carried out, since the plan ended before it."""
    return Message("tool", text("call_not_run", language), call_id=call.id)
