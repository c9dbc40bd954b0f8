"""Kinds of argument: the JSON Schema shown to a model and the function that reads a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from outlast.domain.commands import NewTask
from outlast.domain.limits import (
    NAME_CHARACTERS,
    check_name,
    check_ref,
    check_text,
    shown_key,
    wrong_type,
)
from outlast.domain.model import TASK_STATUSES
from outlast.domain.state import number
from outlast.errors import InvalidArgument

Json = dict[str, Any]
Readers = dict[str, Callable[[object, str], Any]]


class Kind(Struct, frozen=True, gc=False):
    """A kind of argument; `python` is its type as a stub spells it.

    `read` turns what was given into what `Plan` takes. Without one the value goes on as it is:
    the plan checks it.
    """

    schema: Json
    python: str
    read: Callable[[object, str], Any] | None = None


def read_list(value: object, argument: str) -> list[Any] | tuple[Any, ...]:
    """Read an array of anything."""
    if type(value) is list or type(value) is tuple:
        return value
    raise wrong_type(argument, "array", value)


def _read_refs(value: object, argument: str) -> tuple[int | str, ...]:
    return tuple(
        check_ref(ref, f"{argument}[{index}]")
        for index, ref in enumerate(read_list(value, argument))
    )


def read_peers(value: object, argument: str) -> tuple[int | str, ...]:
    """Read an array of task ids, or of names of other tasks in the same call."""
    return tuple(
        check_name(ref, f"{argument}[{index}]")
        if type(ref) is str
        else check_ref(ref, f"{argument}[{index}]")
        for index, ref in enumerate(read_list(value, argument))
    )


def read_fields(value: object, argument: str, fields: Readers) -> Json:
    """Read an object with some of these fields; null counts as absent."""
    if type(value) is not dict:
        raise wrong_type(argument, "object", value)
    found = {}
    for name, given in value.items():
        if type(name) is not str or name not in fields:
            where = f"{argument}.{shown_key(name)}"
            raise InvalidArgument("field_unknown", argument=where, takes=list(fields))
        if given is not None:
            found[name] = fields[name](given, f"{argument}.{name}")
    return found


def _read_updates(value: object, argument: str) -> Json:
    found = read_fields(value, argument, _FIELDS)
    if not found:
        raise InvalidArgument("nothing_to_update", argument=argument, takes=list(_FIELDS))
    return found


def _read_new_tasks(value: object, argument: str) -> tuple[NewTask, ...]:
    given = []
    for index, item in enumerate(read_list(value, argument)):
        where = f"{argument}[{index}]"
        fields = read_fields(item, where, _NEW_FIELDS)
        if "name" not in fields:
            raise InvalidArgument("field_missing", argument=f"{where}.name")
        given.append(fields)
    names: dict[str, list[int]] = {}
    for position, fields in enumerate(given, 1):
        names.setdefault(fields["name"], []).append(position)
    return tuple(
        _new_task(fields, names, len(given), f"{argument}[{index}].dependencies")
        for index, fields in enumerate(given)
    )


def _new_task(fields: Json, names: dict[str, list[int]], count: int, argument: str) -> NewTask:
    """Make a task; what its dependencies name in the list become peers, the plan refuses others."""
    peers, others = [], []
    for ref in fields.get("dependencies", ()):
        found = names.get(ref, []) if type(ref) is str else []
        if len(found) > 1:
            raise InvalidArgument("name_twice", argument=argument, name=ref)
        position = found[0] if found else number(str(ref))
        if 0 < position <= count:
            peers.append(position)
        else:
            others.append(ref)
    return NewTask(
        name=fields["name"],
        needs=tuple(others),
        peers=tuple(peers),
        reasoning=fields.get("reasoning", ""),
    )


_FIELDS: Final[Readers] = {
    "name": check_name,
    "dependencies": _read_refs,
    "reasoning": check_text,
}
_NEW_FIELDS: Final[Readers] = {**_FIELDS, "dependencies": read_peers}
_REF_SCHEMA: Final = {"type": ["integer", "string"]}

TASK_ID: Final = Kind(_REF_SCHEMA, "int | str")
NAME: Final = Kind({"type": "string", "maxLength": NAME_CHARACTERS}, "str")
TEXT: Final = Kind({"type": "string"}, "str")
FLAG: Final = Kind({"type": "boolean"}, "bool")
TASK_IDS: Final = Kind({"type": "array", "items": _REF_SCHEMA}, "Sequence[int | str]", _read_refs)
FILTER: Final = Kind({"type": "string", "enum": [*TASK_STATUSES, "blocked"]}, "str")

_FIELDS_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "name": NAME.schema,
        "dependencies": TASK_IDS.schema,
        "reasoning": TEXT.schema,
    },
    "additionalProperties": False,
}

UPDATES: Final = Kind(_FIELDS_SCHEMA | {"minProperties": 1}, "Mapping[str, object]", _read_updates)
NEW_TASKS: Final = Kind(
    {"type": "array", "items": _FIELDS_SCHEMA | {"required": ["name"]}},
    "Sequence[Mapping[str, object]]",
    _read_new_tasks,
)
