"""A tool call as each kind of model interface gives it, and the answer in the same kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from outlast.application.tools.outcome import Outcome
from outlast.ports.model import Call

Json = dict[str, Any]
Answer = Callable[[Any, Outcome], Json | str]


class ReadCall(Struct, frozen=True):
    """What a model wants: a tool by its name, with arguments that nobody has looked at yet."""

    name: object
    arguments: object
    id: object
    kind: Answer

    def answer(self, outcome: Outcome) -> Json | str:
        """Return what came of it as the model's own interface wants it."""
        return self.kind(self.id, outcome)


def read_call(call: object) -> ReadCall:
    """Tell of what kind a call is by its fields, be it a dict or an object of an SDK."""
    if isinstance(call, Call):
        return ReadCall(call.name, call.params, call.id, _plain)
    function, kind = _field(call, "function"), _field(call, "type")
    if function is not None:
        arguments = _field(function, "arguments")
        return ReadCall(_field(function, "name"), arguments, _field(call, "id"), _chat)
    if kind == "function_call":
        arguments = _field(call, "arguments")
        return ReadCall(_field(call, "name"), arguments, _field(call, "call_id"), _responses)
    if kind == "tool_use":
        return ReadCall(_field(call, "name"), _field(call, "input"), _field(call, "id"), _anthropic)
    name, arguments = _field(call, "name"), _field(call, "arguments")
    return ReadCall(name, arguments, None, _plain if name is None else _mcp)


def _field(value: object, name: str) -> Any:  # noqa: ANN401 - whatever an SDK puts there
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _plain(_id: object, outcome: Outcome) -> str:
    return outcome.text


def _chat(call_id: object, outcome: Outcome) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": outcome.text}


def _responses(call_id: object, outcome: Outcome) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": outcome.text}


def _anthropic(call_id: object, outcome: Outcome) -> Json:
    answer = {"type": "tool_result", "tool_use_id": call_id, "content": outcome.text}
    return answer | {"is_error": True} if outcome.failed else answer


def _mcp(_id: object, outcome: Outcome) -> Json:
    content = [{"type": "text", "text": outcome.text}]
    return {"content": content, "isError": outcome.failed}
