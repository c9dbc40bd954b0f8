"""Parse the task lists of other tools: TodoWrite's todos, and the tasks.json of task-master."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from outlast.domain.commands import CreatePlan
from outlast.domain.limits import make_slug
from outlast.domain.model import MAIN, Phase, Task
from outlast.domain.state import task_number
from outlast.errors import InvalidDocument
from outlast.formats.json import foreign_fields
from outlast.formats.json.extension import EXTENSION, infer_how_and_actor
from outlast.formats.json.extension_parse import number_tasks, take_id
from outlast.formats.json.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from outlast.domain.model import TaskStatus
    from outlast.formats.json.extension_parse import Ref

Json = dict[str, Any]
_TODOS: Final = "todos"
_TASKS: Final = "tasks"


def _is_list_with(value: object, field: str) -> bool:
    """Return whether a value is a list of objects that have a field."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and field in item for item in value)
    )


# TodoWrite

_TODO_STATUSES: Final = ("pending", "in_progress", "completed")


def is_todo_list(document: object) -> bool:
    """Return whether a document is a list of todos, or the arguments of TodoWrite."""
    todos = document.get(_TODOS) if isinstance(document, dict) else document
    return _is_list_with(todos, "content")


def parse_todos(document: Any, plan_id: str) -> CreatePlan:  # noqa: ANN401 - JSON
    """Parse todos into a plan whose tasks are done one after the other."""
    top = Reader(document if isinstance(document, dict) else {_TODOS: document}, "")
    tasks = []
    for number, reader in enumerate(top.sections(_TODOS), 1):
        status: TaskStatus = reader.choice("status", _TODO_STATUSES, "pending")
        active_form = reader.text("activeForm")
        tasks.append(_task(reader, number, "content", status, active_form=active_form))
    return CreatePlan(
        plan_id,
        top.text("goal"),
        order="sequential",
        tasks=tuple(tasks),
        **_progress_fields(tasks),
    )


# task-master

_STATUSES: Final[dict[str, TaskStatus]] = {
    "pending": "pending",
    "in-progress": "in_progress",
    "review": "in_progress",
    "done": "completed",
    "deferred": "pending",
    "blocked": "pending",
    "cancelled": "skipped",
}
_DESCRIPTIONS: Final = ("description", "details", "testStrategy")


class _Entry(NamedTuple):
    """A task or a subtask; a number in its dependencies is looked up in each of its scopes."""

    reader: Reader
    ref: str
    phase: str
    scopes: tuple[str, ...]
    parent: str = ""


def is_task_master(document: object) -> bool:
    """Return whether a document is a tasks.json, with or without tags."""
    return isinstance(document, dict) and bool(_task_lists(document))


def _task_lists(document: Json) -> dict[str, Json]:
    """Return the objects with a list of tasks, by their tags."""
    objects = {"": document} if _TASKS in document else document
    return {
        tag: value
        for tag, value in objects.items()
        if isinstance(value, dict) and _is_list_with(value.get(_TASKS), "title")
    }


def parse_task_master(document: Any, plan_id: str) -> CreatePlan:  # noqa: ANN401 - JSON
    """Parse a tasks.json; older ones name the project, which is the goal then.

    Several tags become phases. A task needs its subtasks, which are placed before it.
    """
    lists, phases = _task_lists(document), [MAIN]
    if len(lists) > 1:
        ids: list[str] = []
        for tag in lists:
            ids.append(make_slug(tag, ids))
        phases = [Phase(phase, tag) for phase, tag in zip(ids, lists, strict=True)]
    entries = [
        entry
        for (tag, fields), phase in zip(lists.items(), phases, strict=True)
        for entry in _entries(Reader(fields, tag), phase.id, f"{tag}:" if len(lists) > 1 else "")
    ]
    tasks = _number_and_link(entries)
    return CreatePlan(
        plan_id,
        Reader(document, "").section("meta").text("projectName"),
        phases=tuple(phases),
        tasks=tuple(tasks),
        **_progress_fields(tasks),
    )


def _entries(section: Reader, phase: str, prefix: str) -> Iterator[_Entry]:
    for task in section.sections(_TASKS):
        ref = f"{prefix}{take_id(task)}"
        for subtask in task.sections("subtasks"):
            own = f"{ref}.{take_id(subtask)}"
            yield _Entry(subtask, own, phase, (f"{ref}.", prefix), ref)
        yield _Entry(task, ref, phase, (prefix,))


def _number_and_link(entries: list[_Entry]) -> list[Task]:
    refs: list[Ref] = [task_number(entry.ref) or entry.ref for entry in entries]
    numbers = number_tasks([entry.reader for entry in entries], refs, [0] * len(entries))
    ids = {entry.ref: number for entry, number in zip(entries, numbers, strict=True)}
    needs = {entry.ref: [*_needs(entry, ids)] for entry in entries}
    subtasks: dict[str, list[int]] = {}
    for entry in entries:
        subtasks.setdefault(entry.parent, []).append(ids[entry.ref])
    tasks = []
    for entry, ref in zip(entries, refs, strict=True):
        linked = chain(needs[entry.ref], needs.get(entry.parent, ()), subtasks.get(entry.ref, ()))
        status = _STATUSES[entry.reader.choice("status", _STATUSES, "pending")]
        texts = [entry.reader.text(name).strip() for name in _DESCRIPTIONS]
        tasks.append(
            _task(
                entry.reader,
                ids[entry.ref],
                "title",
                status,
                phase=entry.phase,
                needs=tuple(dict.fromkeys(linked)),
                description="\n\n".join(filter(None, texts)),
                alias=ref if isinstance(ref, str) else "",
            )
        )
    return tasks


def _needs(entry: _Entry, ids: Mapping[str, int]) -> Iterator[int]:
    for index, ref in enumerate(entry.reader.take("dependencies", (list,), [])):
        named = [ids[f"{scope}{ref}"] for scope in entry.scopes if f"{scope}{ref}" in ids]
        if not named:
            where = f"{entry.reader.path_of('dependencies')}[{index}]"
            raise InvalidDocument("document_unknown_task", where=where, task_id=str(ref))
        yield named[0]


# Both


def _task(reader: Reader, number: int, name: str, status: TaskStatus, **fields: Any) -> Task:  # noqa: ANN401 - of `Task`
    """Return a task; what is left in its object is kept as foreign fields."""
    line = " ".join(reader.require(name, (str,)).split())
    how, actor = infer_how_and_actor(status)
    foreign = {key: value for key, value in reader.rest.items() if key != EXTENSION}
    extra = foreign_fields.dump(foreign, reader.where)
    return Task(number, line, status=status, how=how, actor=actor, extra=extra, **fields)


def _progress_fields(tasks: list[Task]) -> Json:
    begun = any(task.status != "pending" for task in tasks)
    return {"begun": begun, "next_id": max(task.id for task in tasks) + 1}
