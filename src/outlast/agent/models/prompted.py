"""Models without native tool calls: describe tools in text, and read calls from text.

Tools are described by signatures such as `read_file(path: string, limit?: integer)`. Calls are
parsed however the model has written them.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import json

from outlast.agent.models.providers.sanitize import clean_params
from outlast.agent.models.tool_call_ids import renumber_calls
from outlast.context.chat_model import Call, Message, Model, Price, Reply, ToolSpec
from outlast.documents.contracts.lenient_json import Candidate, find_json, read_json
from outlast.documents.contracts.problems import BrokenText
from outlast.errors import ModelBusy, ModelFailed
from outlast.language import Language, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


ANSWER: Final = "answer"
SAY: Final = "say"  # text beside a call
_MAX_CALLS: Final = 20  # per reply; a model that writes more repeats itself
_MAX_LINES: Final = 200  # of a reply, that may be calls
_NAMES: Final = ("name", "tool", "tool_name", "function", "action")
_SURE_ARGUMENTS: Final = ("arguments", "parameters")  # of a call, even of an unknown tool
_ARGUMENTS: Final = (*_SURE_ARGUMENTS, "params", "args", "input", "action_input")
_WRAPPING: Final = re.compile(r"</?tool_call>|```(?:json|tool_call|tool_code)?", re.IGNORECASE)
_NAME_KEY: Final = re.compile(rf"""["'\u201c]?(?:{"|".join(_NAMES)})["'\u201d]?\s*:""")
_WORD: Final = re.compile(r"[\w.-]+")
_UNKNOWN: Final = re.compile(r"[A-Za-z][\w.-]{0,63}")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BESIDE: Final = frozenset((*_ARGUMENTS, "action", "json", "with", "tool_call", "tool_code"))
_LOOK_BACK: Final = 120  # characters before an object that may name its tool
_LOOK_IN: Final = 300  # characters of a broken object that may name its tool
_CALL_LINE: Final = re.compile(r"^[ \t>*`-]*([A-Za-z][\w.]*)\(", re.MULTILINE)
_LINE_END: Final = re.compile(r"[ \t;`*]*(?:\n|\Z)")
_CALL_END: Final = re.compile(r"[\s)`*;]*+(?:</[\w=]++>)?+[\s`]*+")
_KEYWORD: Final = re.compile(r"\s*+(\w++)\s*+=(?!=)")
_COMMA: Final = re.compile(r"\s*+,?+\s*+")
_OUR_TAGS: Final = re.compile(r"<(?=\s*/?\s*tool)", re.IGNORECASE)
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_CALL_FORM: Final = '{"name": "…", "arguments": {…}}'
_ANSWER_FORM: Final = f'{{"name": "{ANSWER}", "arguments": {{"text": "…"}}}}'
_ANSWER_FIELDS: Final = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}
_MAX_DEPTH: Final = 6


def parse_reply(reply: str, tools: Sequence[ToolSpec]) -> Reply:
    """Return the text and the calls of a reply, and how many calls are broken beyond repair.

    JSON that is no call stays text. A call of a tool that does not exist is kept: the loop tells
    the model which tools there are.
    """
    return _ReplyParser(reply, {tool.name: tool for tool in tools}).parse()


class _ReplyParser:
    """Collects the calls and the text of one reply."""

    def __init__(self, reply: str, tools: dict[str, ToolSpec]) -> None:
        self._reply, self._tools = reply, tools
        self._plain_names = {_plain(name): name for name in (*tools, ANSWER)}
        self._calls: list[Call] = []
        self._texts: list[str] = []
        self._rest = 0  # where the text begins that is not yet taken

    def parse(self) -> Reply:
        broken = 0
        for candidate in find_json(self._reply):
            if candidate.problem is not None:
                broken += self._is_broken_call(candidate)
            else:
                self._take(candidate)
        if not self._rest and not broken:
            self._take_lines()
        words = "".join((*self._texts, self._reply[self._rest :]))
        words = (_WRAPPING.sub("", words) if self._rest else words).strip()
        return Reply(words, tuple(self._calls), invalid_calls=broken)

    def _take(self, candidate: Candidate) -> None:
        """Take the calls and the words of a JSON value out of the text."""
        value, words = candidate.value, ""
        calls = self._find_calls(value) or self._call_named_before(candidate)
        if isinstance(value, dict):
            words = next((value[key] for key in (SAY, ANSWER) if type(value.get(key)) is str), "")
        if calls or (words and len(value) == 1):
            self._add(candidate.start, candidate.end, calls, words)

    def _add(self, start: int, end: int, calls: list[Call], words: str = "") -> None:
        self._texts += [self._reply[self._rest : start], words]
        self._rest = end
        for call in calls:
            if call.name == ANSWER and ANSWER not in self._tools:
                self._texts.append(str(call.params.get("text", "")))
            elif call not in self._calls and len(self._calls) < _MAX_CALLS:
                self._calls.append(call)

    def _find_calls(self, value: Any, *, is_call: bool = False) -> list[Call]:  # noqa: ANN401 - any JSON
        """Return the calls in a value; with `is_call` it stands where a call is expected."""
        if isinstance(value, list):
            items = value[:_MAX_CALLS]
            return [call for item in items for call in self._find_calls(item, is_call=is_call)]
        if not isinstance(value, dict):
            return []
        for key in ("tool_calls", "tool_call", "function"):
            if isinstance(value.get(key), list | dict):
                return self._find_calls(value[key], is_call=True)
        name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
        if name is None:
            return self._call_by_key(value)
        given = next((value[key] for key in _ARGUMENTS if key in value), None)
        tool = self._resolve(name)
        if tool is None:
            is_sure = is_call or any(key in value for key in _SURE_ARGUMENTS)
            tool = name if is_sure and _UNKNOWN.fullmatch(name) else None
        return [] if tool is None else _make_call(tool, value, given)

    def _call_by_key(self, value: dict[str, Any]) -> list[Call]:
        """Return the call in `{"read_file": {"path": "a"}}`."""
        if len(value) != 1:
            return []
        [(key, given)] = value.items()
        tool = self._resolve(key)
        return _make_call(tool, {}, given) if tool and isinstance(given, dict) else []

    def _call_named_before(self, candidate: Candidate) -> list[Call]:
        """Return the call whose arguments an object is, if the words before it name the tool.

        It must end the reply: an object in the middle may be an example, or a quotation.
        """
        value = candidate.value
        if not _CALL_END.fullmatch(self._reply, candidate.end):
            return []
        before = self._reply[max(candidate.start - _LOOK_BACK, self._rest) : candidate.start]
        words = [word for word in _WORD.findall(before) if word.lower() not in _BESIDE]
        tool = self._resolve(words[-1]) if words else None
        if tool is None or tool not in self._tools or not isinstance(value, dict):
            return []
        schema = self._tools[tool].parameters
        fits = value.keys() <= schema.get("properties", {}).keys()
        is_complete = value.keys() >= set(schema.get("required", ()))
        return _make_call(tool, {}, value) if value and fits and is_complete else []

    def _is_broken_call(self, candidate: Candidate) -> bool:
        """Return whether what is broken was meant as a call."""
        start = self._reply[candidate.start : candidate.start + _LOOK_IN]
        words = _WORD.findall(start)
        return bool(_NAME_KEY.search(start)) and any(self._resolve(word) for word in words)

    def _take_lines(self) -> None:
        """Take calls such as `read_file(path="a")` if they are the last lines of a reply."""
        end = len(self._reply)
        lines = list(self._find_lines())
        first = len(lines)
        while first and not _WRAPPING.sub("", self._reply[lines[first - 1][1] : end]).strip():
            first -= 1
            end = lines[first][0]
        for start, end, call in lines[first:]:
            self._add(start, end, [call])

    def _find_lines(self) -> Iterator[tuple[int, int, Call]]:
        """Yield the start, the end and the call of each line that is one."""
        at = 0
        for match in islice(_CALL_LINE.finditer(self._reply), _MAX_LINES):
            tool = self._tools.get(self._resolve(match[1]) or "")
            if tool is None or match.start() < at:
                continue
            arguments = _read_arguments(self._reply, match.end(), tool)
            if arguments is not None:
                params, at = arguments
                yield match.start(), at, Call(tool.name, params)

    def _resolve(self, name: str) -> str | None:
        """Return the tool that a name means: `readFile` and `functions.read_file` are read_file."""
        return self._plain_names.get(_plain(name.rpartition(".")[2]))


def _plain(name: str) -> str:
    return _CAMEL.sub("_", name).replace("-", "_").lower()


def _make_call(tool: str, value: dict[str, Any], given: Any) -> list[Call]:  # noqa: ANN401 - any JSON
    """Return a call with its arguments; none if they are no object.

    Without arguments of their own they stand beside the name.
    """
    if tool == ANSWER and isinstance(given, str):
        given = {"text": given}
    if given is None:
        given = {key: item for key, item in value.items() if key not in (*_NAMES, SAY)}
    params = clean_params(given, "")
    return [] if params is None else [Call(tool, params)]


def _read_arguments(reply: str, at: int, tool: ToolSpec) -> tuple[dict[str, Any], int] | None:
    """Read arguments as in Python, up to the end of a line; one without a name comes first."""
    params: dict[str, Any] = {}
    first: str = next(iter(tool.parameters.get("required", ())), "")
    for name, value, end in _iterate_arguments(reply, at):
        key = name or ("" if params else first)
        if key in params or key not in tool.parameters.get("properties", {}):
            return None
        params[key], at = value, end
    line_end = _LINE_END.match(reply, at + 1) if reply[at : at + 1] == ")" else None
    return None if line_end is None else (params, line_end.end())


def _iterate_arguments(reply: str, at: int) -> Iterator[tuple[str, Any, int]]:
    """Yield the name, the value and the end of each argument; stop at what is none."""
    while reply[at : at + 1] != ")":
        keyword = _KEYWORD.match(reply, at)
        try:
            value, at = read_json(reply, keyword.end() if keyword else at)
        except BrokenText:
            return
        comma = _COMMA.match(reply, at)
        at = comma.end() if comma else at
        yield keyword[1] if keyword else "", value, at


class StructuredModel(Model, Protocol):
    """A model that supports structured output."""

    async def think_structured(
        self, messages: Sequence[Message], schema: dict[str, Any], *, max_tokens: int | None = None
    ) -> Reply:
        """Answer a conversation with JSON that fits a schema."""


class PromptedModel:
    """A model whose tools are described in its prompt.

    It asks for structured output until the server rejects the schema, then for plain text. Both
    replies are parsed leniently.
    """

    def __init__(self, inner: StructuredModel) -> None:
        self._inner, self._has_schema_support = inner, True

    @property
    def name(self) -> str:
        """The name shown to people."""
        return f"{self._inner.name}?tools=prompt"

    @property
    def price(self) -> Price | None:
        """The price of the wrapped model."""
        return self._inner.price

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Request a reply; call `on_text` once, since partial JSON is no text."""
        plain = to_plain_text(messages, tools)
        reply = await self._request(plain, tools, max_tokens)
        parsed = parse_reply(reply.text, tools)
        if parsed.text and on_text is not None:
            on_text(parsed.text)
        invalid = reply.invalid_calls + parsed.invalid_calls
        return Reply(parsed.text, parsed.calls, reply.usage, invalid)

    async def _request(
        self, messages: list[Message], tools: Sequence[ToolSpec], max_tokens: int | None
    ) -> Reply:
        if self._has_schema_support and tools:
            try:
                return await self._inner.think_structured(
                    messages, reply_schema(tools), max_tokens=max_tokens
                )
            except ModelBusy:
                raise
            except ModelFailed as error:
                if error.details.get("status") != 400:  # noqa: PLR2004 - Bad Request
                    raise
                self._has_schema_support = False
        return await self._inner.think(messages, (), max_tokens=max_tokens)


def reply_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Return the JSON Schema of a reply: a call of one of the tools, or an answer."""
    fields = {tool.name: tool.parameters for tool in tools} | {ANSWER: _ANSWER_FIELDS}
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    SAY: {"type": "string"},
                    "name": {"const": name},
                    "arguments": arguments,
                },
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for name, arguments in fields.items()
        ]
    }


def to_plain_text(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """Return the conversation with tools, calls and results as plain text."""
    names: dict[str, str] = {}
    heads = [message.text for message in messages if message.role == "system"]
    if tools:  # first, because they change least and servers cache the beginning
        heads.insert(0, _tool_prompt("".join(heads), tools))
    plain = [Message("system", "\n\n".join(heads))] if heads else []
    for message in renumber_calls(messages):
        names.update((call.id, call.name) for call in message.calls)
        if message.role == "system":
            continue
        if message.role == "tool":
            plain.append(Message("user", _result_text(names[message.call_id], message.text)))
        elif message.calls:
            lines = [message.text] if message.text else []
            plain.append(Message("assistant", "\n".join([*lines, *map(_call_text, message.calls)])))
        else:
            plain.append(message)
    return plain


def _tool_prompt(instructions: str, tools: Sequence[ToolSpec]) -> str:
    """Describe the tools in the language of the instructions."""
    language: Language = "zh" if _CHINESE.search(instructions) else "en"
    head = text("prompted_head", language, call=_CALL_FORM, answer=_ANSWER_FORM)
    lines = [text("prompted_tools", language), "<tools>", *map(tool_signature, tools), "</tools>"]
    return "\n".join([head, *lines])


def _call_text(call: Call) -> str:
    return json.encode({"name": call.name, "arguments": call.params}).decode()


def _result_text(name: str, result: str) -> str:
    """Wrap a tool result in a block that its content cannot close."""
    inside = _OUR_TAGS.sub("&lt;", result)
    return f'<tool_response name="{name}">\n{inside}\n</tool_response>'


def tool_signature(tool: ToolSpec) -> str:
    """Return a tool as one line, in a third of the tokens of its schema."""
    return f"{tool.name}({_fields(tool.parameters, 0)}): {' '.join(tool.description.split())}"


def _fields(schema: dict[str, Any], depth: int) -> str:
    needed = schema.get("required", ())
    return ", ".join(
        f"{name}{'' if name in needed else '?'}: {_kind(field, depth)}{_remark(field)}"
        for name, field in schema.get("properties", {}).items()
    )


def _remark(schema: Any) -> str:  # noqa: ANN401 - any JSON
    description = schema.get("description") if isinstance(schema, dict) else None
    return f" ({' '.join(str(description).split())})" if description else ""


def _kind(schema: Any, depth: int) -> str:  # noqa: ANN401 - any JSON
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return "any"
    if choices := _choices(schema, depth):
        return " | ".join(choices)
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{_kind(schema.get('items'), depth + 1)}]"
    if kind == "object" and "properties" in schema:
        return f"{{{_fields(schema, depth + 1)}}}"
    return str(kind)


def _choices(schema: dict[str, Any], depth: int) -> list[str]:
    if isinstance(schema.get("type"), list):
        return list(map(str, schema["type"]))
    forms = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    return [_kind(form, depth + 1) for form in forms] or [
        json.encode(value).decode() for value in values
    ]
