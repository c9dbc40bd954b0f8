"""Dialects: parse a tool call of any model SDK, and answer in the same dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from outlast.application.tools.outcome import Outcome
from outlast.ports.model import Call

Json = dict[str, Any]
FormatAnswer = Callable[[Any, Outcome], Json | str]


class ParsedCall(Struct, frozen=True):
    """A tool call: the name and the unchecked arguments."""

    name: object
    arguments: object
    id: object
    format_answer: FormatAnswer

    def answer(self, outcome: Outcome) -> Json | str:
        """Return the outcome in the dialect of the call."""
        return self.format_answer(self.id, outcome)


def parse_call(call: object) -> ParsedCall:
    """Recognize the dialect of a call, a dict or an object of an SDK, by its fields."""
    if isinstance(call, Call):
        return ParsedCall(call.name, call.params, call.id, _plain)
    function, kind = _field(call, "function"), _field(call, "type")
    if function is not None:
        arguments = _field(function, "arguments")
        return ParsedCall(_field(function, "name"), arguments, _field(call, "id"), _chat)
    if kind == "function_call":
        arguments = _field(call, "arguments")
        return ParsedCall(_field(call, "name"), arguments, _field(call, "call_id"), _responses)
    if kind == "tool_use":
        return ParsedCall(
            _field(call, "name"), _field(call, "input"), _field(call, "id"), _anthropic
        )
    name, arguments = _field(call, "name"), _field(call, "arguments")
    return ParsedCall(name, arguments, None, _plain if name is None else _mcp)


def _field(value: object, name: str) -> Any:  # noqa: ANN401 - any value of an SDK
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _plain(_id: object, outcome: Outcome) -> str:
    return outcome.text


def _chat(call_id: object, outcome: Outcome) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": outcome.text}


def _responses(call_id: object, outcome: Outcome) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": outcome.text}


def _anthropic(call_id: object, outcome: Outcome) -> Json:
    answer = {"type": "tool_result", "tool_use_id": call_id, "content": outcome.text}
    return answer | {"is_error": True} if outcome.is_refused else answer


def _mcp(_id: object, outcome: Outcome) -> Json:
    content = [{"type": "text", "text": outcome.text}]
    return {"content": content, "isError": outcome.is_refused}
