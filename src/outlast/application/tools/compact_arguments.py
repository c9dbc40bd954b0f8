"""Kinds of argument that only the compact tools have."""

from __future__ import annotations

from typing import Final, Literal, cast, get_args

from msgspec import Struct

from outlast.application.tools.arguments import (
    Json,
    Kind,
    Readers,
    read_fields,
    read_list,
    read_peers,
)
from outlast.domain.limits import check_choice, check_flag, check_name, check_text
from outlast.domain.model import CATEGORIES
from outlast.errors import InvalidArgument

TodoStatus = Literal["pending", "in_progress", "completed"]
TODO_STATUSES: Final[tuple[TodoStatus, ...]] = get_args(TodoStatus)


class Wanted(Struct, frozen=True):
    """A task to be added; `after` are ids of tasks, or names of others in the same call."""

    name: str
    after: tuple[int | str, ...] = ()


class TodoItem(Struct, frozen=True):
    """One line of a todo list; `phase` names the phase of the plan that it belongs to."""

    content: str
    status: TodoStatus
    active_form: str = ""
    phase: str | None = None


def _read_wanted(value: object, argument: str) -> tuple[Wanted, ...]:
    found = []
    for index, item in enumerate(read_list(value, argument)):
        where = f"{argument}[{index}]"
        fields: Json = {"name": item}
        if type(item) is not str:
            fields = read_fields(item, where, _WANTED)
        if "name" not in fields:
            raise InvalidArgument("field_missing", argument=f"{where}.name")
        found.append(Wanted(check_name(fields["name"], where), fields.get("after", ())))
    return tuple(found)


def _read_todos(value: object, argument: str) -> tuple[TodoItem, ...]:
    if type(value) is not list and type(value) is not tuple:
        raise InvalidArgument("todos_not_array", argument=argument)
    found = []
    for index, item in enumerate(value):
        where = f"{argument}[{index}]"
        fields = read_fields(item, where, _TODO)
        for name in ("content", "status"):
            if name not in fields:
                raise InvalidArgument("field_missing", argument=f"{where}.{name}")
        found.append(
            TodoItem(
                fields["content"],
                fields["status"],
                fields.get("activeForm", ""),
                fields.get("phaseId"),
            )
        )
    return tuple(found)


def _read_status(value: object, argument: str) -> TodoStatus:
    return cast("TodoStatus", check_choice(value, argument, TODO_STATUSES))


_WANTED: Final[Readers] = {"name": check_name, "after": read_peers}
_TODO: Final[Readers] = {
    "content": check_name,
    "status": _read_status,
    "activeForm": check_text,
    "phaseId": check_name,
}

NUMBER: Final = Kind({"type": "integer"}, "int")
FALSE: Final = Kind({"type": "boolean", "default": False}, "bool", check_flag)
CATEGORY: Final = Kind({"type": "string", "enum": list(CATEGORIES)}, "str")
WANTED: Final = Kind(
    {
        "type": "array",
        "items": {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "after": {"type": "array", "items": {"type": ["integer", "string"]}},
                    },
                    "required": ["name"],
                },
            ]
        },
    },
    "Sequence[str | Mapping[str, object]]",
    _read_wanted,
)
TODOS: Final = Kind(
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "content": {"type": "string", "description": "Task description"},
                "status": {"type": "string", "enum": list(TODO_STATUSES)},
                "activeForm": {"type": "string", "description": "Present continuous form"},
                "phaseId": {"type": "string", "description": "Phase ID for persistent plans"},
            },
            "required": ["content", "status", "activeForm"],
        },
    },
    "Sequence[Mapping[str, object]]",
    _read_todos,
)
