"""`script:FILE`: the turns of a scripted model in a YAML file."""

from __future__ import annotations

import re
from json import dumps, loads
from os import strerror
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, ValidationError, convert

from outlast.adapters.models.scripted.model import ScriptedModel, Turn
from outlast.errors import InvalidDocument
from outlast.ports.model import Call
from outlast.texts import text

LARGEST: Final = 1_000_000
Texts = str | list[str]
_DEEPEST: Final = 40
_PLACE: Final = re.compile(r" - at (?:`key` in )?`\$")
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


def scripted(path: str) -> ScriptedModel:
    """Return the model that plays from a file."""
    return ScriptedModel(turns_of(_read(path), path), name=f"script:{path}")


def turns_of(source: str, path: str) -> tuple[Turn, ...]:
    """Return the turns that a file describes."""
    data = _loaded(source, path)
    try:
        turns = convert(data, list[_Turn])
    except ValidationError as error:
        problem, *where = _PLACE.split(str(error), 1)
        raise _wrong(path, _line(source, "".join(where)), problem) from None
    return tuple(_turn(turn, source, path, number) for number, turn in enumerate(turns))


def _turn(turn: _Turn, source: str, path: str, number: int) -> Turn:
    calls = []
    for place, call in enumerate(turn.calls):
        try:  # YAML knows dates, and numbers that JSON does not
            params = loads(dumps(call.params, allow_nan=False))
        except (TypeError, ValueError) as error:
            line = _line(source, f"[{number}].calls[{place}].params")
            raise _wrong(path, line, str(error)) from None
        calls.append(Call(call.name, params))
    when, unless = _texts(turn.when), _texts(turn.unless)
    return Turn(when, turn.say, tuple(calls), unless, turn.after_tool, turn.times)


def _texts(value: Texts) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as the other adapters do
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise InvalidDocument("script_too_large", where=path, most=LARGEST)
        return data.decode("utf-8-sig")
    except OSError as error:
        problem = strerror(error.errno or 0)
        raise InvalidDocument("script_unreadable", where=path, problem=problem) from error
    except UnicodeDecodeError as error:
        raise InvalidDocument("script_unreadable", where=path, problem="UTF-8") from error


def _loaded(source: str, path: str) -> Any:  # noqa: ANN401 - anything YAML can say
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        _require_simple(source, path)
        return YAML(typ="safe", pure=True).load(source)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _wrong(path, mark.line + 1 if mark else 1, error.problem or "YAML") from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise _wrong(path, 1, type(error).__name__) from None


def _require_simple(source: str, path: str) -> None:
    """Refuse what a few lines of can stand for gigabytes, or for ever."""
    from ruamel.yaml import YAML
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    depth = 0
    for event in YAML(typ="safe", pure=True).parse(source):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > _DEEPEST or isinstance(event, AliasEvent):
            raise _wrong(path, event.start_mark.line + 1, text("script_alias"))


def _line(source: str, where: str) -> int:
    """Return the line of a place such as `[2].calls[0].name`, or of what it would stand in."""
    from ruamel.yaml import YAML

    node: Any = YAML(typ="safe", pure=True).compose(source)
    line = 1
    for key, index in _STEP.findall(where):
        found = _below(node, key, index)
        if found is None:
            break
        node = found
        line = node.start_mark.line + 1
    return line


def _below(node: Any, key: str, index: str) -> Any:  # noqa: ANN401 - a node of the tree, or nothing
    if key and isinstance(node.value, list):
        pairs = [pair for pair in node.value if isinstance(pair, tuple)]
        return next((value for name, value in pairs if name.value == key), None)
    if index.isdigit() and isinstance(node.value, list) and int(index) < len(node.value):
        return node.value[int(index)]
    return None


def _wrong(path: str, line: int, problem: str) -> InvalidDocument:
    return InvalidDocument("script_wrong", where=path, line=line, problem=problem)
