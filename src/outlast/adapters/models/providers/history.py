"""A conversation as pydantic-ai has it, in the form that providers insist on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pydantic_ai import messages as m

from outlast.adapters.models.tool_call_ids import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.model import Call, Message

_EMPTY: Final = '""'  # providers refuse texts in which nothing stands
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME: Final = 64


def history(messages: Sequence[Message], *, marked: bool) -> list[m.ModelMessage]:
    """Return a conversation in pydantic-ai's form; if it is marked, with how far it will stay."""
    found: list[m.ModelMessage] = []
    names: dict[str, str] = {}
    for message in numbered(messages):
        if message.role == "assistant":
            said = _said(message)
            names.update((call.id, tool_name(call)) for call in message.calls)
            if said:
                found.append(m.ModelResponse(said))
        elif found and isinstance(last := found[-1], m.ModelRequest):
            found[-1] = m.ModelRequest([*last.parts, _part(message, names)])
        else:
            found.append(m.ModelRequest([_part(message, names)]))
    end = found[-1] if found else None
    if not isinstance(end, m.ModelRequest):  # there has to be something to answer
        end = m.ModelRequest([m.UserPromptPart(_EMPTY)])
        found.append(end)
    if marked:
        found[-1] = m.ModelRequest(_marked(end.parts, begins=len(found) == 1))
    return found


def _marked(parts: Sequence[m.ModelRequestPart], *, begins: bool) -> list[m.ModelRequestPart]:
    """Return the parts of a request with a mark for the cache.

    It stands before what the user says last, which may be the plan: that is replaced next time.
    """
    *before, last = parts
    point = m.UserPromptPart([m.CachePoint()])
    if not isinstance(last, m.UserPromptPart):
        return [*parts, point]
    if begins and not any(isinstance(part, m.UserPromptPart) for part in before):
        return [*parts]
    return [*before, point, last]


def _said(message: Message) -> list[m.ModelResponsePart]:
    said: list[m.ModelResponsePart] = [m.TextPart(message.text)] if message.text.strip() else []
    return [*said, *(m.ToolCallPart(tool_name(one), one.params, one.id) for one in message.calls)]


def tool_name(call: Call) -> str:
    """Return the name of a call as providers take it back: models make up any."""
    return _NOT_IN_NAMES.sub("_", call.name)[:_LONGEST_NAME] or "_"


def _part(message: Message, names: dict[str, str]) -> m.ModelRequestPart:
    said = message.text if message.text.strip() else _EMPTY
    if message.role == "tool":
        return m.ToolReturnPart(names[message.call_id], said, message.call_id)
    kind = m.SystemPromptPart if message.role == "system" else m.UserPromptPart
    return kind(said)
