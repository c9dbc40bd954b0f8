"""Tool results as messages for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context.chat_model import Message
from outlast.context.escape import quote
from outlast.language import text
from outlast.redact.truncate import head_and_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.context.chat_model import Call
    from outlast.language import Language

_NAME: Final = 100  # characters of a name that is compared
_SIMILARITY: Final = 0.5


def tool_message(call: Call, output: str, error: str, language: Language = "en") -> Message:
    """Return the result of a call; it was truncated where the tool ran."""
    content = text("call_failed", language, problem=error) if error else output
    return Message("tool", quote(content, len(content)), call_id=call.id)


def unknown_tool(name: str, available: Sequence[str], language: Language = "en") -> str:
    """Return the error of a call of a tool that is not offered; name the nearest that is."""
    from difflib import get_close_matches

    nearest = get_close_matches(name[:_NAME].lower(), available, 1, _SIMILARITY)
    if not nearest:
        return text("tool_not_offered", language, takes=list(available))
    return text("tool_nearest", language, nearest=nearest[0], takes=list(available))


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
