"""Tool results as messages for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.escape import quote
from outlast.formats.redact.truncate import head_and_tail
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.model import Call
    from outlast.texts import Language


def tool_message(call: Call, output: str, error: str, language: Language = "en") -> Message:
    """Return the result of a call; it was truncated where the tool ran."""
    content = text("call_failed", language, problem=error) if error else output
    return Message("tool", quote(content, len(content)), call_id=call.id)


def truncate_result(result: str, limit: int, language: Language = "en") -> str:
    """Return a result; of a long one both ends and the number of characters left out."""
    if len(result) <= limit:
        return result
    half = limit // 2
    note = text("call_cut", language, count=len(result) - 2 * half)
    return f"\n{note}\n".join(head_and_tail(result, half))


def not_run_message(call: Call, language: Language = "en") -> Message:
    """Return the answer to a call that was not run because the plan ended before it."""
    return Message("tool", text("call_not_run", language), call_id=call.id)
