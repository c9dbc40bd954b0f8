"""Read YAML as plain data: no aliases, no tags, no types that JSON does not have."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from outlast.documents.contracts.lenient_json import MAX_DEPTH
from outlast.documents.contracts.problems import BrokenText, Problem, child_path

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

MAX_CHARACTERS: Final = 32 * 1024  # it is read slowly
_TAG: Final = "tag:yaml.org,2002:"
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,400}")
_TRUE: Final = ("true", "True", "TRUE")


def read_yaml(source: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a YAML document; raise `BrokenText`."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if len(source) > MAX_CHARACTERS:
        raise BrokenText(Problem("contract_too_long", details={"limit": MAX_CHARACTERS}), 0)
    try:
        line = find_expansion(source)
        if line:
            raise BrokenText(Problem("contract_yaml_form", details={"line": line}), 0)
        node = YAML(typ="safe", pure=True).compose(source)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _syntax_error(mark.line + 1 if mark else 1, error.problem or "YAML") from None
    except (YAMLError, ValueError) as error:
        raise _syntax_error(1, type(error).__name__) from None
    return None if node is None else _read_value(node, "")


def find_expansion(source: str) -> int:
    """Return the first line with an alias or deep nesting, which can expand without limit; or 0."""
    from ruamel.yaml import YAML
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    depth = 0
    for event in YAML(typ="safe", pure=True).parse(source):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > MAX_DEPTH or isinstance(event, AliasEvent):
            return int(event.start_mark.line) + 1
    return 0


def _syntax_error(line: int, problem: str) -> BrokenText:
    return BrokenText(Problem("contract_yaml", details={"line": line, "problem": problem}), 0)


def _read_value(node: Node, path: str) -> Any:  # noqa: ANN401 - any JSON
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    if isinstance(node, MappingNode):
        return _read_mapping(node, path)
    if isinstance(node, SequenceNode):
        return [_read_value(item, child_path(path, index)) for index, item in enumerate(node.value)]
    return _read_scalar(node, path)


def _read_mapping(node: Node, path: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key_node, item in node.value:
        key = key_node.value
        line = key_node.start_mark.line + 1
        if type(key) is not str or key == "<<":
            raise BrokenText(Problem("contract_yaml_form", path, {"line": line}), 0)
        if key in fields:
            raise BrokenText(Problem("contract_twice", path, {"line": line, "key": key}), 0)
        fields[key] = _read_value(item, child_path(path, key))
    return fields


def _read_scalar(node: Node, path: str) -> Any:  # noqa: ANN401 - any JSON
    """Return a scalar; what is no number, no boolean and not null is a string, dates too."""
    kind, word = str(node.tag).removeprefix(_TAG), node.value
    if kind == "null":
        return None
    if kind == "bool":
        return word in _TRUE
    if kind == "int" and _WHOLE.fullmatch(word):
        return int(word)
    if kind != "float":
        return word
    try:
        number = float(word)
    except ValueError:  # `.nan` and `.inf`
        number = math.nan
    if not math.isfinite(number):
        line = node.start_mark.line + 1
        raise BrokenText(Problem("contract_not_finite", path, {"line": line}), 0)
    return number
