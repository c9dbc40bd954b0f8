"""A tool of a plan: its parameters, their JSON Schema for a model, and how values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from outlast.errors import InvalidArgument
from outlast.model.commands import NewTask
from outlast.model.limits import (
    NAME_CHARACTERS,
    check_name,
    check_ref,
    check_text,
    display_key,
    wrong_type_error,
)
from outlast.model.model import STATUS_FILTERS, StatusFilter
from outlast.model.state import PlanState, task_number

Json = dict[str, Any]
Ref = int | str
Readers = dict[str, Callable[[object, str], Any]]
REQUIRED: Final = object()


class Kind(Struct, frozen=True, gc=False):
    """A kind of argument; `python` is its type in the signatures of `PlanManager`.

    `read` turns a value into what `Plan` takes. Without it the value is passed on unread, and the
    plan checks it.
    """

    schema: Json
    read: Callable[[object, str], Any] | None = None
    python: Any = None


class Parameter(Struct, frozen=True, gc=False):
    """A parameter of a tool; a model may also call it by its `other_name`."""

    name: str
    kind: Kind
    description: str
    default: Any = REQUIRED
    other_name: str = ""

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        return self.default is REQUIRED


class PlanTool(Struct, frozen=True, gc=False):
    """A tool that a model can call.

    A lean tool answers with a line of text and has the shortest possible schema. A tool that is
    not keyed may commit several times and guards itself against doing so twice.
    """

    name: str
    description: str
    handler: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    lean: bool = False
    keyed: bool = True

    @property
    def snake_name(self) -> str:
        """The name in snake_case."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in self.name)

    def read(self, positional: Sequence[object], named: Mapping[str, object]) -> list[Any]:
        """Check the arguments of a model or a program; return one value per parameter."""
        if named or len(positional) != len(self.parameters):
            values = self._bind(positional, named)
        else:
            values = [*positional]
        for index, parameter in enumerate(self.parameters):
            if values[index] is None:
                values[index] = self._default(parameter)
            elif parameter.kind.read is not None:
                values[index] = parameter.kind.read(values[index], parameter.name)
        return values

    def read_call(self, arguments: dict[str, object]) -> list[Any]:
        """Read the arguments of a model's call with good will; return one value per parameter."""
        from outlast.documents.contracts.fit import fit

        schema = {
            "type": "object",
            "properties": {p.name: p.kind.schema for p in self.parameters},
            "required": [p.name for p in self.parameters if p.is_required],
            "additionalProperties": False,
        }
        names = {p.other_name: p.name for p in self.parameters if p.name not in arguments}
        given = {names.get(name, name): value for name, value in arguments.items()}
        return self.read((), fit(given, schema, "keep")[0])

    def _default(self, parameter: Parameter) -> Any:  # noqa: ANN401 - as the table says
        if parameter.is_required:
            self._refuse("argument_missing", parameter.name)
        return parameter.default

    def _bind(self, positional: Sequence[object], named: Mapping[str, object]) -> list[Any]:
        names = [parameter.name for parameter in self.parameters]
        if len(positional) > len(names):
            raise InvalidArgument(
                "arguments_too_many", tool=self.name, takes=self.signature(), got=len(positional)
            )
        bound = dict(zip(names, positional, strict=False))
        for name, value in named.items():
            if type(name) is not str or name not in names:
                self._refuse("argument_unknown", display_key(name))
            if name in bound:
                self._refuse("argument_twice", name)
            bound[name] = value
        return [bound.get(name) for name in names]

    def _refuse(self, text: str, argument: str) -> None:
        raise InvalidArgument(text, argument=argument, tool=self.name, takes=self.signature())

    def signature(self) -> str:
        """Return the parameters as error messages show them."""
        shown = [p.name if p.is_required else f"{p.name}?" for p in self.parameters]
        return f"({', '.join(shown)})"


def check_arguments(arguments: object) -> dict[str, object]:
    """Return the arguments of a call if they are an object whose keys are strings."""
    if type(arguments) is not dict:
        raise wrong_type_error("arguments", "dict", arguments)
    for key in arguments:
        if type(key) is not str:
            raise wrong_type_error("arguments", "dict with str keys", key)
    return arguments


def read_list(value: object, argument: str) -> list[Any] | tuple[Any, ...]:
    """Read an array of anything."""
    if type(value) is list or type(value) is tuple:
        return value
    raise wrong_type_error(argument, "list", value)


def read_fields(value: object, argument: str, fields: Readers) -> Json:
    """Read an object that has some of these fields; null counts as absent."""
    if type(value) is not dict:
        raise wrong_type_error(argument, "dict", value)
    read = {}
    for name, item in value.items():
        if type(name) is not str or name not in fields:
            where = f"{argument}.{display_key(name)}"
            raise InvalidArgument("field_unknown", argument=where, takes=list(fields))
        if item is not None:
            read[name] = fields[name](item, f"{argument}.{name}")
    return read


# Needs: the tasks that a task depends on


def read_needs(value: object, argument: str) -> tuple[Ref, ...]:
    """Read an array of ids or names of tasks."""
    return tuple(
        check_name(ref, f"{argument}[{index}]")
        if type(ref) is str
        else check_ref(ref, f"{argument}[{index}]")
        for index, ref in enumerate(read_list(value, argument))
    )


def peer_positions(names: Iterable[str], first_id: int) -> dict[Ref, list[int]]:
    """Return the 1-based positions of new tasks, by name and by the id each task will get."""
    positions: dict[Ref, list[int]] = {}
    for position, name in enumerate(names, 1):
        positions.setdefault(name, []).append(position)
        positions.setdefault(first_id + position - 1, []).append(position)
    return positions


def split_needs(
    refs: Iterable[Ref],
    peers: Mapping[Ref, Sequence[int]],
    existing: Mapping[Ref, Sequence[int]],
    argument: str,
) -> tuple[tuple[Ref, ...], tuple[int, ...]]:
    """Return what a new task needs: tasks of the plan, and positions in the same call.

    A name in the same call comes first, then an id, then the name of a task in the plan. What is
    none of them is left for the plan to refuse. Raises `InvalidArgument` for an ambiguous name and
    for one that is too long for an id.
    """
    needs: list[Ref] = []
    positions: list[int] = []
    for ref in refs:
        same_call = peers.get(ref) or peers.get(task_number(str(ref).removeprefix("#")), ())
        in_plan = () if same_call else existing.get(ref) or (check_ref(ref, argument),)
        if len(same_call) > 1 or len(in_plan) > 1:
            ids = [*(same_call or in_plan)]
            raise InvalidArgument("name_twice", argument=argument, name=ref, ids=ids)
        positions += same_call
        needs += in_plan
    return tuple(needs), tuple(positions)


def ids_by_name(state: PlanState, refs: Iterable[Ref]) -> dict[Ref, list[int]]:
    """Return the plan's tasks that are needed by name, where the name is no id."""
    names = {ref for ref in refs if type(ref) is str and state.find(ref) is None}
    ids: dict[Ref, list[int]] = {}
    for task in state.tasks.values() if names else ():
        if task.name in names:
            ids.setdefault(task.name, []).append(task.id)
    return ids


def resolve_needs(state: PlanState, refs: tuple[Ref, ...], argument: str) -> tuple[Ref, ...]:
    """Return needs with the names of tasks in the plan replaced by their ids."""
    return split_needs(refs, {}, ids_by_name(state, refs), argument)[0]


# The kinds


def _read_updates(value: object, argument: str) -> Json:
    """Read the fields of `updateTask` into the arguments of `Plan.update`."""
    updates = read_fields(value, argument, _FIELDS)
    if not updates:
        raise InvalidArgument("nothing_to_update", argument=argument, takes=list(_FIELDS))
    if "dependencies" in updates:
        updates["needs"] = updates.pop("dependencies")
    return updates


def _read_new_tasks(value: object, argument: str) -> tuple[NewTask, ...]:
    items = []
    for index, item in enumerate(read_list(value, argument)):
        where = f"{argument}[{index}]"
        fields = read_fields(item, where, _FIELDS)
        if "name" not in fields:
            raise InvalidArgument("field_missing", argument=f"{where}.name")
        items.append(fields)
    peers = peer_positions((fields["name"] for fields in items), 1)
    return tuple(
        _new_task(fields, peers, f"{argument}[{index}].dependencies")
        for index, fields in enumerate(items)
    )


def _new_task(fields: Json, peers: Mapping[Ref, Sequence[int]], argument: str) -> NewTask:
    needs, positions = split_needs(fields.get("dependencies", ()), peers, {}, argument)
    return NewTask(
        name=fields["name"],
        needs=needs,
        peers=positions,
        reasoning=fields.get("reasoning", ""),
        description=fields.get("description", ""),
    )


_FIELDS: Final[Readers] = {
    "name": check_name,
    "dependencies": read_needs,
    "reasoning": check_text,
    "description": check_text,
}
_REF_SCHEMA: Final = {"type": ["integer", "string"]}

TASK_ID: Final = Kind(_REF_SCHEMA, python=Ref)
NAME: Final = Kind({"type": "string", "maxLength": NAME_CHARACTERS}, python=str)
TEXT: Final = Kind({"type": "string"}, python=str)
FLAG: Final = Kind({"type": "boolean"}, python=bool)
TASK_IDS: Final = Kind({"type": "array", "items": _REF_SCHEMA}, read_needs, Sequence[Ref])
FILTER: Final = Kind({"type": "string", "enum": list(STATUS_FILTERS)}, python=StatusFilter)

_FIELDS_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "name": NAME.schema,
        "dependencies": TASK_IDS.schema,
        "reasoning": TEXT.schema,
        "description": TEXT.schema,
    },
    "additionalProperties": False,
}

UPDATES: Final = Kind(_FIELDS_SCHEMA | {"minProperties": 1}, _read_updates, Mapping[str, object])
NEW_TASKS: Final = Kind(
    {"type": "array", "items": _FIELDS_SCHEMA | {"required": ["name"]}},
    _read_new_tasks,
    Sequence[Mapping[str, object]],
)
