"""Finding the calls of tools in what a model has written."""

from __future__ import annotations

import re
from json import JSONDecoder
from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.models.providers.sanitize import clean_params
from outlast.ports.model import Call

if TYPE_CHECKING:
    from collections.abc import Collection

ANSWER: Final = "answer"
SAY: Final = "say"  # words beside a call
_MOST: Final = 20  # calls in one reply; whoever writes more repeats itself
_LOOKS: Final = 200  # places in a reply where JSON may begin
_BEGINNING: Final = re.compile(r'[{\[](?=\s*["{\[])')
_NAMES: Final = ("name", "tool", "tool_name", "function")
_ARGUMENTS: Final = ("arguments", "parameters", "params", "args", "input")
_WRAPPING: Final = re.compile(r"</?tool_call>|```(?:json|tool_call)?", re.IGNORECASE)


def _constant(word: str) -> Any:  # noqa: ANN401 - it never returns
    raise ValueError(word)


_READER: Final = JSONDecoder(parse_constant=_constant)


def spoken(written: str, tools: Collection[str]) -> tuple[str, tuple[Call, ...]]:
    """Return what is said and what is called; JSON that calls no tool there is stays text."""
    calls: list[Call] = []
    said: list[str] = []
    rest = 0
    for start, end, value in _objects(written):
        found = _called(value, tools)
        if not found:
            continue
        said += [written[rest:start], _beside(value)]
        rest = end
        for call in found:
            if call.name == ANSWER and ANSWER not in tools:
                said.append(str(call.params.get("text", "")))
            elif call not in calls and len(calls) < _MOST:
                calls.append(call)
    said.append(written[rest:])
    words = "".join(said)
    return (_WRAPPING.sub("", words) if rest else words).strip(), tuple(calls)


def _objects(written: str) -> list[tuple[int, int, Any]]:
    """Return the outermost JSON objects and lists, each with where it begins and ends."""
    found, at = [], 0
    for _ in range(_LOOKS):
        match = _BEGINNING.search(written, at)
        if match is None:
            break
        try:
            value, at = _READER.raw_decode(written, match.start())
        except (ValueError, RecursionError):
            at = match.end()
        else:
            found.append((match.start(), at, value))
    return found


def _beside(value: Any) -> str:  # noqa: ANN401 - any JSON
    words = value.get(SAY) if isinstance(value, dict) else None
    return words if isinstance(words, str) else ""


def _called(value: Any, tools: Collection[str]) -> list[Call]:  # noqa: ANN401 - any JSON
    if isinstance(value, list):
        return [call for one in value[:_MOST] for call in _called(one, tools)]
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("tool_calls"), list):
        return _called(value["tool_calls"], tools)
    if isinstance(value.get("function"), dict):
        return _called(value["function"], tools)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    if name != ANSWER and name not in tools:
        return []
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    params = _params(value, given)
    return [] if params is None else [Call(name, params)]


def _params(value: dict[str, Any], given: Any) -> dict[str, Any] | None:  # noqa: ANN401 - any JSON
    if given is None:  # arguments beside the name
        given = {key: one for key, one in value.items() if key not in (*_NAMES, SAY)}
    return clean_params(given, "")
