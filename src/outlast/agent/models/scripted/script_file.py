"""Load the turns of a scripted model from a YAML file (`script:FILE`)."""

from __future__ import annotations

import re
from json import dumps, loads
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, ValidationError, convert

from outlast.agent.models.scripted.model import ScriptedModel, Turn, as_tuple
from outlast.context.chat_model import Call
from outlast.documents.contracts.yaml_text import find_expansion
from outlast.errors import InvalidDocument
from outlast.language import text
from outlast.system.disk import describe_error

MAX_BYTES: Final = 1_000_000
Texts = str | list[str]
_ERROR_PATH: Final = re.compile(r" - at (?:`key` in )?`\$")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")


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
        with open(path, "rb") as file:  # noqa: PTH123 - as the other adapters do
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
