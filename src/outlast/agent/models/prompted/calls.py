"""Parse tool calls from the text of a model, however it has written them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from outlast.agent.models.providers.sanitize import clean_params
from outlast.context.chat_model import Call, Reply
from outlast.documents.contracts.candidates import find_json
from outlast.documents.contracts.lenient_json import read_json
from outlast.documents.contracts.problems import BrokenText

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.context.chat_model import ToolSpec
    from outlast.documents.contracts.candidates import Candidate

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
