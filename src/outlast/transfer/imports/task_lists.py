"""Parse the task lists of other tools: TodoWrite's todos, Claude Code's tasks, task-master's."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from outlast.documents.json import foreign_fields
from outlast.documents.json.extension import EXTENSION, infer_how_and_actor
from outlast.documents.json.extension_parse import Ref, number_tasks, take_id
from outlast.documents.json.reader import Reader
from outlast.documents.markdown.document import UnparsedLine
from outlast.errors import InvalidDocument
from outlast.model.commands import CreatePlan
from outlast.model.limits import make_slug
from outlast.model.model import MAIN, Phase, Task, TaskStatus
from outlast.model.state import task_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


Json = dict[str, Any]
_TODOS: Final = "todos"
_TASKS: Final = "tasks"


def _is_list_with(value: object, *fields: str) -> bool:
    """Return whether a value is a list of objects that have all of these fields."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and item.keys() >= {*fields} for item in value)
    )


# TodoWrite

_TODO_STATUSES: Final[dict[str, TaskStatus]] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
    "cancelled": "skipped",  # of other agents that have this tool
}


def is_todo_list(document: object) -> bool:
    """Return whether a document is a list of todos, or the arguments of TodoWrite."""
    todos = document.get(_TODOS) if isinstance(document, dict) else document
    return _is_list_with(todos, "content", "status")


def parse_todos(document: Any, plan_id: str) -> CreatePlan:  # noqa: ANN401 - JSON
    """Parse todos into a plan whose tasks are done one after the other."""
    top = Reader(document if isinstance(document, dict) else {_TODOS: document}, "")
    tasks = []
    for number, reader in enumerate(top.sections(_TODOS), 1):
        status = _TODO_STATUSES[reader.choice("status", _TODO_STATUSES, "pending")]
        active_form = reader.text("activeForm")
        tasks.append(_task(reader, number, "content", status, active_form=active_form))
    return CreatePlan(
        plan_id,
        top.text("goal"),
        order="sequential",
        tasks=tuple(tasks),
        extra=foreign_fields.dump_of_form("todos", _foreign(top)),
        **_progress_fields(tasks),
    )


# Claude Code


def is_claude_tasks(document: object) -> bool:
    """Return whether a document is a task of Claude Code, or a list of them."""
    return bool(_claude_tasks(document))


def _claude_tasks(document: object) -> list[Json]:
    """Return the tasks in a document: a list, an object with one, or a single task."""
    listed: Any = document.get(_TASKS) if isinstance(document, dict) else document
    if _is_list_with([document], "subject", "status"):
        return [cast("Json", document)]
    return listed if _is_list_with(listed, "subject", "status") else []


def parse_claude_tasks(
    documents: Mapping[str, object], plan_id: str
) -> tuple[CreatePlan, tuple[UnparsedLine, ...]]:
    """Parse the tasks in files of Claude Code, in the order of their ids.

    A task needs those that block it. One that blocks it but is in no file is reported: Claude Code
    deletes the files of tasks.
    """
    readers = []
    for name, document in documents.items():
        listed = _claude_tasks(document)
        if not listed:
            raise InvalidDocument("document_missing", where=f"{name}.subject")
        where = name if len(documents) > 1 else ""
        many = listed != [document]
        readers += [
            Reader(task, f"{where}[{index}]" if many else where)
            for index, task in enumerate(listed)
        ]
    refs: list[Ref] = [task_number(str(ref)) or ref for ref in map(take_id, readers)]
    numbered = sorted(
        zip(number_tasks(readers, refs, [0] * len(refs)), refs, readers, strict=True),
        key=lambda task: task[0],
    )
    ids = {str(ref): number for number, ref, _ in numbered}
    needs: dict[int, dict[int, None]] = {number: {} for number, _, _ in numbered}
    unread = []
    for number, ref, reader in numbered:
        for name in ("blockedBy", "blocks"):
            gone = []
            for other in reader.take(name, (list,), []):
                known = ids.get(str(other))
                if known is None:
                    gone.append(other)
                    unread.append(UnparsedLine(0, f"{ref}: {name} {other}", "import_need"))
                elif name == "blocks":
                    needs[known][number] = None
                else:
                    needs[number][known] = None
            reader.rest |= {name: gone} if gone else {}
    tasks = [
        _claude_task(reader, number, ref, tuple(needs[number])) for number, ref, reader in numbered
    ]
    plan = CreatePlan(plan_id, "", tasks=tuple(tasks), **_progress_fields(tasks))
    return plan, tuple(unread)


def _claude_task(reader: Reader, number: int, ref: Ref, needs: tuple[int, ...]) -> Task:
    status = _TODO_STATUSES[reader.choice("status", _TODO_STATUSES, "pending")]
    return _task(
        reader,
        number,
        "subject",
        status,
        needs=needs,
        description=reader.text("description"),
        active_form=reader.text("activeForm"),
        alias=ref if isinstance(ref, str) else "",
    )


# task-master

_STATUSES: Final[dict[str, TaskStatus]] = {
    "pending": "pending",
    "in-progress": "in_progress",
    "review": "in_progress",
    "done": "completed",
    "completed": "completed",
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
    sections = {tag: Reader(fields, tag) for tag, fields in lists.items()}
    if len(lists) > 1:
        ids: list[str] = []
        for tag in lists:
            ids.append(make_slug(tag, ids))
        phases = [
            Phase(
                phase, tag, Reader(lists[tag], "").section("metadata").text("description").strip()
            )
            for phase, tag in zip(ids, lists, strict=True)
        ]
    entries = [
        entry
        for (tag, section), phase in zip(sections.items(), phases, strict=True)
        for entry in _entries(section, phase.id, f"{tag}:" if len(lists) > 1 else "")
    ]
    tasks = _number_and_link(entries)
    top = Reader({name: value for name, value in document.items() if name not in lists}, "")
    tags = {tag: section.rest for tag, section in sections.items() if tag and section.rest}
    rest = _foreign(sections[""]) if "" in sections else {**_foreign(top), **tags}
    goal = Reader(document, "").section("meta").text("projectName")
    return CreatePlan(
        plan_id,
        goal,
        phases=tuple(phases),
        tasks=tuple(tasks),
        extra=foreign_fields.dump_of_form("task-master", rest),
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


HAS_FORM: Final[dict[str, Callable[[object], bool]]] = {
    "todos": is_todo_list,
    "claude-tasks": is_claude_tasks,
    "task-master": is_task_master,
}


# All


def _task(reader: Reader, number: int, name: str, status: TaskStatus, **fields: Any) -> Task:  # noqa: ANN401 - of `Task`
    """Return a task; what is left in its object is kept as foreign fields."""
    line = " ".join(reader.require(name, (str,)).split())
    how, actor = infer_how_and_actor(status)
    extra = foreign_fields.dump(_foreign(reader), reader.where)
    return Task(number, line, status=status, how=how, actor=actor, extra=extra, **fields)


def _foreign(reader: Reader) -> Json:
    """Return what was not taken; our own key of a stranger means nothing."""
    return {key: value for key, value in reader.rest.items() if key != EXTENSION}


def _progress_fields(tasks: list[Task]) -> Json:
    begun = any(task.status != "pending" for task in tasks)
    return {"begun": begun, "next_id": max(task.id for task in tasks) + 1}
