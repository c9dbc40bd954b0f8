r"""Replace `{{…}}` in a script by results from the conversation.

`{{read_file}}` is the last result of that tool, `{{add_tasks.ids.0}}` a field of a JSON result, and
`{{bash ~ (\d+) passed}}` the match of a regular expression (its group, if it has one). `any` means
the last result of any tool, `user` the last user message. A backslash escapes the braces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json

from outlast.agent.models.tool_call_ids import tool_results
from outlast.errors import ModelFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.context.chat_model import Message

_REFERENCE: Final = re.compile(r"(\\?)\{\{(.+?)\}\}", re.DOTALL)
_PARTS: Final = re.compile(r"\s*([\w-]+)((?:\.[\w-]+)*)\s*(?:~\s*(.+?))?\s*", re.DOTALL)


def has_reference(value: str) -> bool:
    """Return whether a text contains a reference."""
    return _REFERENCE.search(value) is not None


def fill(value: Any, messages: Sequence[Message]) -> Any:  # noqa: ANN401 - any JSON
    """Replace references in a JSON value; a text that is one reference keeps its JSON type."""
    if isinstance(value, dict):
        return {key: fill(item, messages) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, messages) for item in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole and not whole[1] and "{{" not in whole[2]:
        return _resolve(whole[2], messages)
    return fill_text(value, messages)


def fill_text(value: str, messages: Sequence[Message]) -> str:
    """Replace references in a text."""

    def substitute(match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        value = _resolve(match[2], messages)
        return value if isinstance(value, str) else json.encode(value).decode()

    return _REFERENCE.sub(substitute, value)


def _resolve(reference: str, messages: Sequence[Message]) -> Any:  # noqa: ANN401 - any JSON
    parts = _PARTS.fullmatch(reference)
    if parts is None:
        raise ModelFailed("script_reference", reference=reference)
    result = _last_text(parts[1], messages)
    if result is None:
        raise ModelFailed("script_reference", reference=reference)
    try:
        value = _read_field(result, parts[2]) if parts[2] else result
        return _search(str(value), parts[3]) if parts[3] else value
    except (DecodeError, LookupError, TypeError, ValueError, re.error) as error:
        raise ModelFailed("script_reference", reference=reference) from error


def _last_text(name: str, messages: Sequence[Message]) -> str | None:
    if name == "user":
        texts = [message.text for message in messages if message.role == "user"]
    else:
        texts = [text for call, text in tool_results(messages) if name in ("any", call.name)]
    return texts[-1] if texts else None


def _read_field(encoded: str, path: str) -> Any:  # noqa: ANN401 - any JSON
    value = json.decode(encoded)
    for step in path[1:].split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _search(text: str, expression: str) -> str:
    match = re.search(expression, text)
    if match is None:
        raise LookupError(expression)
    return match[1] if match.re.groups else match[0]
