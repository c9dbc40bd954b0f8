"""Tool calls: parse one in the dialect of any model SDK, and answer it in the same dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from outlast.context.chat_model import Call
from outlast.redact.text_fields import Text

Json = dict[str, Any]


class Todo(Struct, frozen=True, rename={"active_form": "activeForm"}):
    """One line of the model's own to-do list."""

    content: Text
    status: Literal["pending", "in_progress", "completed"]
    active_form: Text = ""


class Outcome(Struct, frozen=True):
    """The answer to the model; `code` is the error code if the call was refused.

    `todos` is the model's own todo list, if the call has set it.
    """

    text: str
    code: str = ""
    todos: tuple[Todo, ...] | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the call was refused."""
        return bool(self.code)


FormatAnswer = Callable[["ParsedCall", Outcome], Json | str]


class ParsedCall(Struct, frozen=True):
    """A tool call: the name and the unchecked arguments.

    `is_known` is False for a call in a form that no dialect has: its arguments are not found.
    """

    name: object
    arguments: object
    id: object
    format_answer: FormatAnswer
    is_known: bool = True

    def answer(self, outcome: Outcome) -> Json | str:
        """Return the outcome in the dialect of the call."""
        return self.format_answer(self, outcome)


def parse_call(call: object) -> ParsedCall:
    """Recognize the dialect of a call, a dict or an object of an SDK, by its fields."""
    if isinstance(call, Call):
        return ParsedCall(call.name, call.params, call.id, _plain)
    if (function := _field(call, "function")) is not None:
        arguments = _field(function, "arguments")
        return ParsedCall(_field(function, "name"), arguments, _field(call, "id"), _chat)
    part = _field(call, "functionCall") or _field(call, "function_call")
    if part is not None:
        return _GEMINI.parse(part)
    dialect = _dialect_of(call)
    if dialect is not None:
        return dialect.parse(call)
    return ParsedCall(_field(call, "name"), None, None, _plain, is_known=False)


def _dialect_of(call: object) -> _Dialect | None:
    kind = _field(call, "type")
    if type(kind) is str and kind in _BY_TYPE:
        return _BY_TYPE[kind]
    if _field(call, "args") is not None:
        return _GEMINI
    return _MCP if _is_mcp(call) else None


def _is_mcp(call: object) -> bool:
    """Return whether a call is one of MCP, where arguments may be missing."""
    if isinstance(call, dict):
        return "arguments" in call or ("name" in call and _WITHOUT_ARGUMENTS.issuperset(call))
    return hasattr(call, "arguments")


def _field(value: object, name: str) -> Any:  # noqa: ANN401 - any value of an SDK
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _plain(_call: ParsedCall, outcome: Outcome) -> str:
    return outcome.text


def _chat(call: ParsedCall, outcome: Outcome) -> Json:
    return {"role": "tool", "tool_call_id": call.id, "content": outcome.text}


def _responses(call: ParsedCall, outcome: Outcome) -> Json:
    return {"type": "function_call_output", "call_id": call.id, "output": outcome.text}


def _anthropic(call: ParsedCall, outcome: Outcome) -> Json:
    answer = {"type": "tool_result", "tool_use_id": call.id, "content": outcome.text}
    return answer | {"is_error": True} if outcome.is_refused else answer


def _gemini(call: ParsedCall, outcome: Outcome) -> Json:
    response = {"error" if outcome.is_refused else "output": outcome.text}
    named = {"name": call.name, "response": response}
    return {"functionResponse": named if call.id is None else {"id": call.id, **named}}


def _mcp(_call: ParsedCall, outcome: Outcome) -> Json:
    content = [{"type": "text", "text": outcome.text}]
    return {"content": content, "isError": outcome.is_refused}


class _Dialect(Struct, frozen=True):
    """Where a call has its arguments and its id beside its `name`, and how it is answered."""

    arguments: str
    id: str
    format_answer: FormatAnswer

    def parse(self, call: object) -> ParsedCall:
        """Read a call of this dialect."""
        arguments, call_id = _field(call, self.arguments), _field(call, self.id)
        return ParsedCall(_field(call, "name"), arguments, call_id, self.format_answer)


_GEMINI: Final = _Dialect("args", "id", _gemini)

_MCP: Final = _Dialect("arguments", "", _mcp)

_BY_TYPE: Final = {
    "function_call": _Dialect("arguments", "call_id", _responses),
    "tool_use": _Dialect("input", "id", _anthropic),
    "tool_call": _Dialect("args", "id", _chat),  # LangChain, which takes OpenAI's messages
}

_WITHOUT_ARGUMENTS: Final = frozenset(("_meta", "id", "name", "type"))
