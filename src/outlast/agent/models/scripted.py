r"""A model that replies from a script, for tests and demos; `script:FILE` names a file of turns.

`{{read_file}}` in a script is the last result of that tool, `{{add_tasks.ids.0}}` a field of a JSON
result, and `{{bash ~ (\d+) passed}}` the match of a regular expression (its group, if it has one).
`any` means the last result of any tool, `user` the last user message. A backslash escapes the
braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from json import dumps, loads
from typing import Annotated, Any, Final

from msgspec import DecodeError, Meta, Struct, ValidationError, convert, json
from msgspec.structs import replace

from outlast.agent.models.tool_call_ids import tool_results
from outlast.context.chat_model import Call, Message, Price, Reply, ToolSpec, Usage
from outlast.documents.contracts.yaml_text import find_expansion
from outlast.errors import InvalidDocument, ModelFailed
from outlast.language import text
from outlast.system.disk import describe_error

_REFERENCE: Final = re.compile(r"(\\?)\{\{(.+?)\}\}", re.DOTALL)
_PARTS: Final = re.compile(r"\s*([\w-]+)((?:\.[\w-]+)*)\s*(?:~\s*(.+?))?\s*", re.DOTALL)
# Words, punctuation marks and Chinese characters: never more than the text has bytes.
_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")
MAX_BYTES: Final = 1_000_000
Texts = str | list[str]
_ERROR_PATH: Final = re.compile(r" - at (?:`key` in )?`\$")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")


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


class Turn(Struct, frozen=True):
    """A reply, and the conversations it fits.

    It fits if the conversation contains every text of `when` and none of `unless`, the last tool
    result is of `after_tool`, and the turn was played fewer than `times` times. `{{read_file}}`
    in `say` or `calls` is replaced by the last result of that tool.
    """

    when: str | tuple[str, ...] | None = None
    say: str = ""
    calls: tuple[Call, ...] = ()
    unless: str | tuple[str, ...] = ()
    after_tool: str = ""
    times: int | None = None


class ScriptedModel:
    """Replies with the first turn that fits the conversation.

    It keeps no state, so it continues after a restart. It counts words as tokens.
    """

    def __init__(
        self, turns: Sequence[Turn], *, name: str = "scripted", price: Price | None = None
    ) -> None:
        """Take the turns, the most specific first."""
        self.turns = tuple(turns)
        self.name, self.price = name, price

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - the script names its tools
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Play the first turn that fits, or raise `ModelFailed`."""
        reply = self._add_price(count_usage(self._play(messages), messages, max_tokens))
        if on_text is not None:
            for line in reply.text.splitlines(keepends=True):
                on_text(line)
        return reply

    def _play(self, messages: Sequence[Message]) -> Reply:
        shown = "\n".join(message.text for message in messages)
        for turn in self.turns:
            if is_match(turn, shown, messages):
                calls = (replace(call, params=fill(call.params, messages)) for call in turn.calls)
                return Reply(fill_text(turn.say, messages), tuple(calls))
        raise ModelFailed("script_exhausted", turns=len(self.turns))

    def _add_price(self, reply: Reply) -> Reply:
        if self.price is None or reply.usage is None:
            return reply
        usage = replace(reply.usage, money=self.price.cost(reply.usage))
        return replace(reply, usage=usage)


def is_match(turn: Turn, shown: str, messages: Sequence[Message]) -> bool:
    """Return whether a turn fits a conversation whose texts are `shown`."""
    if not all(part in shown for part in as_tuple(turn.when or ())):
        return False
    if any(part in shown for part in as_tuple(turn.unless)):
        return False
    if turn.after_tool:
        answered = tool_results(messages)
        if not answered or answered[-1][0].name != turn.after_tool:
            return False
    return turn.times is None or _count_plays(turn, messages) < turn.times


def as_tuple(value: str | Sequence[str]) -> tuple[str, ...]:
    """Return one text or several as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)


def _count_plays(turn: Turn, messages: Sequence[Message]) -> int:
    names = [call.name for call in turn.calls]
    has_references = has_reference(turn.say)
    return sum(
        message.role == "assistant"
        and [call.name for call in message.calls] == names
        and (has_references or message.text == turn.say)
        for message in messages
    )


def count_usage(reply: Reply, messages: Sequence[Message], max_tokens: int | None) -> Reply:
    """Add the usage to a reply, and truncate the reply to `max_tokens`."""
    text, calls = reply.text, reply.calls
    if max_tokens is not None and _count_words(text) + _count_call_words(calls) > max_tokens:
        text, calls = _cut_words(text, max_tokens), ()
    input_tokens = sum(
        _count_words(message.text) + _count_call_words(message.calls) for message in messages
    )
    return Reply(text, calls, Usage(input_tokens, _count_words(text) + _count_call_words(calls)))


def _count_words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text))


def _count_call_words(calls: Iterable[Call]) -> int:
    return sum(_count_words(f"{call.name} {json.encode(call.params).decode()}") for call in calls)


def _cut_words(text: str, words: int) -> str:
    for number, match in enumerate(_WORD.finditer(text)):
        if number == words:
            return text[: match.start()]
    return text


class _Call(Struct, forbid_unknown_fields=True):
    name: str
    params: dict[str, Any] = {}


class _Turn(Struct, forbid_unknown_fields=True):
    when: Texts = []
    unless: Texts = []
    after_tool: str = ""
    say: str = ""
    calls: list[_Call] = []
    times: Annotated[int, Meta(ge=1)] | None = None


def load_script(path: str) -> ScriptedModel:
    """Return the scripted model of a file; raise `InvalidDocument` with path and line."""
    return ScriptedModel(parse_turns(_read(path), path), name=f"script:{path}")


def parse_turns(source: str, path: str) -> tuple[Turn, ...]:
    """Parse the turns in the text of a file."""
    data = _load_yaml(source, path)
    try:
        turns = convert(data, list[_Turn])
    except ValidationError as error:
        problem, *where = _ERROR_PATH.split(str(error), 1)
        raise _script_error(path, _line_of(source, "".join(where)), problem) from None
    return tuple(_turn(turn, source, path, number) for number, turn in enumerate(turns))


def _turn(turn: _Turn, source: str, path: str, number: int) -> Turn:
    calls = []
    for position, call in enumerate(turn.calls):
        try:  # YAML has dates and numbers that JSON lacks
            params = loads(dumps(call.params, allow_nan=False))
        except (TypeError, ValueError) as error:
            line = _line_of(source, f"[{number}].calls[{position}].params")
            raise _script_error(path, line, str(error)) from None
        calls.append(Call(call.name, params))
    when, unless = as_tuple(turn.when), as_tuple(turn.unless)
    return Turn(when, turn.say, tuple(calls), unless, turn.after_tool, turn.times)


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a short-lived process cannot afford pathlib
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise InvalidDocument("script_too_large", where=path, most=MAX_BYTES)
        return data.decode("utf-8-sig")
    except OSError as error:
        problem = describe_error(error)
        raise InvalidDocument("script_unreadable", where=path, problem=problem) from error
    except UnicodeDecodeError as error:
        raise InvalidDocument("script_unreadable", where=path, problem="UTF-8") from error


def _load_yaml(source: str, path: str) -> Any:  # noqa: ANN401 - anything YAML can say
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        if line := find_expansion(source):
            raise _script_error(path, line, text("script_alias"))
        return YAML(typ="safe", pure=True).load(source)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _script_error(path, mark.line + 1 if mark else 1, error.problem or "YAML") from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise _script_error(path, 1, type(error).__name__) from None


def _line_of(source: str, where: str) -> int:
    """Return the line of a path such as `[2].calls[0].name`, or of its nearest parent."""
    from ruamel.yaml import YAML

    node: Any = YAML(typ="safe", pure=True).compose(source)
    line = 1
    for key, index in _STEP.findall(where):
        child = _child(node, key, index)
        if child is None:
            break
        node = child
        line = node.start_mark.line + 1
    return line


def _child(node: Any, key: str, index: str) -> Any:  # noqa: ANN401 - a node of the tree, or nothing
    if key and isinstance(node.value, list):
        pairs = [pair for pair in node.value if isinstance(pair, tuple)]
        return next((value for name, value in pairs if name.value == key), None)
    if index.isdigit() and isinstance(node.value, list) and int(index) < len(node.value):
        return node.value[int(index)]
    return None


def _script_error(path: str, line: int, problem: str) -> InvalidDocument:
    return InvalidDocument("script_wrong", where=path, line=line, problem=problem)
