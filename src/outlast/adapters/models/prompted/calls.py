"""Parse tool calls from the text of a model."""

from __future__ import annotations

import re
from json import JSONDecoder
from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.models.providers.sanitize import clean_params
from outlast.ports.model import Call

if TYPE_CHECKING:
    from collections.abc import Collection

ANSWER: Final = "answer"
SAY: Final = "say"  # text beside a call
_MAX_CALLS: Final = 20  # per reply; a model that writes more repeats itself
_MAX_STARTS: Final = 200  # candidate starts of JSON in a reply
_JSON_START: Final = re.compile(r'[{\[](?=\s*["{\[])')
_NAMES: Final = ("name", "tool", "tool_name", "function")
_ARGUMENTS: Final = ("arguments", "parameters", "params", "args", "input")
_WRAPPING: Final = re.compile(r"</?tool_call>|```(?:json|tool_call)?", re.IGNORECASE)


def _reject_constant(word: str) -> Any:  # noqa: ANN401 - it never returns
    raise ValueError(word)


_READER: Final = JSONDecoder(parse_constant=_reject_constant)


def parse_reply(reply: str, tools: Collection[str]) -> tuple[str, tuple[Call, ...]]:
    """Return the text and the calls of a reply; JSON without a known tool stays text."""
    calls: list[Call] = []
    texts: list[str] = []
    rest = 0
    for start, end, value in _find_objects(reply):
        found_calls = _find_calls(value, tools)
        if not found_calls:
            continue
        texts += [reply[rest:start], _say_text(value)]
        rest = end
        for call in found_calls:
            if call.name == ANSWER and ANSWER not in tools:
                texts.append(str(call.params.get("text", "")))
            elif call not in calls and len(calls) < _MAX_CALLS:
                calls.append(call)
    texts.append(reply[rest:])
    words = "".join(texts)
    return (_WRAPPING.sub("", words) if rest else words).strip(), tuple(calls)


def _find_objects(reply: str) -> list[tuple[int, int, Any]]:
    """Return the outermost JSON values as (start, end, value)."""
    objects, at = [], 0
    for _ in range(_MAX_STARTS):
        match = _JSON_START.search(reply, at)
        if match is None:
            break
        try:
            value, at = _READER.raw_decode(reply, match.start())
        except (ValueError, RecursionError):
            at = match.end()
        else:
            objects.append((match.start(), at, value))
    return objects


def _say_text(value: Any) -> str:  # noqa: ANN401 - any JSON
    words = value.get(SAY) if isinstance(value, dict) else None
    return words if isinstance(words, str) else ""


def _find_calls(value: Any, tools: Collection[str]) -> list[Call]:  # noqa: ANN401 - any JSON
    if isinstance(value, list):
        return [call for item in value[:_MAX_CALLS] for call in _find_calls(item, tools)]
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("tool_calls"), list):
        return _find_calls(value["tool_calls"], tools)
    if isinstance(value.get("function"), dict):
        return _find_calls(value["function"], tools)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    if name != ANSWER and name not in tools:
        return []
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    params = _read_params(value, given)
    return [] if params is None else [Call(name, params)]


def _read_params(value: dict[str, Any], given: Any) -> dict[str, Any] | None:  # noqa: ANN401 - any JSON
    if given is None:  # the arguments stand beside the name
        given = {key: item for key, item in value.items() if key not in (*_NAMES, SAY)}
    return clean_params(given, "")
