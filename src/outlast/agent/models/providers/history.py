"""Convert a conversation to pydantic-ai messages that providers accept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pydantic_ai import messages as m

from outlast.agent.models.tool_call_ids import renumber_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.context.chat_model import Call, Message

_EMPTY: Final = '""'  # providers refuse empty texts
_INVALID_IN_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME: Final = 64


def build_history(messages: Sequence[Message], *, with_cache_point: bool) -> list[m.ModelMessage]:
    """Return the conversation as pydantic-ai messages, optionally with a cache point."""
    converted: list[m.ModelMessage] = []
    names: dict[str, str] = {}
    for message in renumber_calls(messages):
        if message.role == "assistant":
            parts = _response_parts(message)
            names.update((call.id, safe_tool_name(call)) for call in message.calls)
            if parts:
                converted.append(m.ModelResponse(parts))
        elif converted and isinstance(last := converted[-1], m.ModelRequest):
            converted[-1] = m.ModelRequest([*last.parts, _request_part(message, names)])
        else:
            converted.append(m.ModelRequest([_request_part(message, names)]))
    end = converted[-1] if converted else None
    if not isinstance(end, m.ModelRequest):  # providers need a request to answer
        end = m.ModelRequest([m.UserPromptPart(_EMPTY)])
        converted.append(end)
    if with_cache_point:
        converted[-1] = m.ModelRequest(_add_cache_point(end.parts, is_first=len(converted) == 1))
    return converted


def _add_cache_point(
    parts: Sequence[m.ModelRequestPart], *, is_first: bool
) -> list[m.ModelRequestPart]:
    """Insert a cache point before the last user message.

    That message may be the plan block, which the next request replaces.
    """
    *before, last = parts
    point = m.UserPromptPart([m.CachePoint()])
    if not isinstance(last, m.UserPromptPart):
        return [*parts, point]
    if is_first and not any(isinstance(part, m.UserPromptPart) for part in before):
        return [*parts]
    return [*before, point, last]


def _response_parts(message: Message) -> list[m.ModelResponsePart]:
    parts: list[m.ModelResponsePart] = [m.TextPart(message.text)] if message.text.strip() else []
    return [
        *parts,
        *(m.ToolCallPart(safe_tool_name(call), call.params, call.id) for call in message.calls),
    ]


def safe_tool_name(call: Call) -> str:
    """Return a call's name as providers accept it; models may invent invalid names."""
    return _INVALID_IN_NAME.sub("_", call.name)[:_MAX_NAME] or "_"


def _request_part(message: Message, names: dict[str, str]) -> m.ModelRequestPart:
    text = message.text if message.text.strip() else _EMPTY
    if message.role == "tool":
        return m.ToolReturnPart(names[message.call_id], text, message.call_id)
    kind = m.SystemPromptPart if message.role == "system" else m.UserPromptPart
    return kind(text)
