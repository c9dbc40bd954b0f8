r"""`{{…}}` in a script: what a tool has said, looked up in the conversation.

`{{read_file}}` is what the tool said last, `{{add_tasks.ids.0}}` a field of it if that was JSON,
`{{bash ~ (\d+) passed}}` what an expression finds in it (its group, if it has one). `any` stands
for whichever tool came last, `user` for the last message of a person. A backslash keeps the braces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json

from outlast.adapters.models.tool_call_ids import results
from outlast.errors import ModelFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.model import Message

_REFERENCE: Final = re.compile(r"(\\?)\{\{(.+?)\}\}", re.DOTALL)
_PARTS: Final = re.compile(r"\s*([\w-]+)((?:\.[\w-]+)*)\s*(?:~\s*(.+?))?\s*", re.DOTALL)


def has_reference(value: str) -> bool:
    """Tell whether something is to be filled in."""
    return _REFERENCE.search(value) is not None


def filled(value: Any, messages: Sequence[Message]) -> Any:  # noqa: ANN401 - any JSON
    """Return a value of a script with everything filled in; JSON stays what it is."""
    if isinstance(value, dict):
        return {key: filled(one, messages) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, messages) for one in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole and not whole[1] and "{{" not in whole[2]:
        return _found(whole[2], messages)
    return filled_text(value, messages)


def filled_text(value: str, messages: Sequence[Message]) -> str:
    """Return a text of a script with everything filled in."""

    def put(match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        found = _found(match[2], messages)
        return found if isinstance(found, str) else json.encode(found).decode()

    return _REFERENCE.sub(put, value)


def _found(reference: str, messages: Sequence[Message]) -> Any:  # noqa: ANN401 - any JSON
    parts = _PARTS.fullmatch(reference)
    if parts is None:
        raise ModelFailed("script_reference", reference=reference)
    said = _said(parts[1], messages)
    if said is None:
        raise ModelFailed("script_reference", reference=reference)
    try:
        value = _field(said, parts[2]) if parts[2] else said
        return _searched(str(value), parts[3]) if parts[3] else value
    except (DecodeError, LookupError, TypeError, ValueError, re.error) as error:
        raise ModelFailed("script_reference", reference=reference) from error


def _said(name: str, messages: Sequence[Message]) -> str | None:
    if name == "user":
        said = [message.text for message in messages if message.role == "user"]
    else:
        said = [text for call, text in results(messages) if name in ("any", call.name)]
    return said[-1] if said else None


def _field(said: str, path: str) -> Any:  # noqa: ANN401 - any JSON
    value = json.decode(said)
    for step in path[1:].split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _searched(said: str, expression: str) -> str:
    match = re.search(expression, said)
    if match is None:
        raise LookupError(expression)
    return match[1] if match.re.groups else match[0]
