"""Parse the key `outlast`, and number the tasks of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.documents.json.extension import infer_begun_and_hold, infer_how_and_actor
from outlast.documents.json.reader import Reader, wrong_type
from outlast.errors import InvalidDocument
from outlast.language import times
from outlast.model.limits import LARGEST_ID, default_title
from outlast.model.model import CHECK_KINDS, HOLDS, HOWS, MAIN, MAIN_PHASE, ORDERS, Check, Phase
from outlast.model.state import task_number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.model.model import Order, Task, TaskStatus

Ref = int | str
Json = dict[str, Any]


def plan_fields(own: Reader, goal: str, order: Order, status: str, tasks: tuple[Task, ...]) -> Json:
    """Read the extension of a plan, as fields of `CreatePlan`."""
    begun, hold = infer_begun_and_hold(status, tasks)
    return {
        "goal": goal,
        "key": own.text("key"),
        "title": own.text("title", default_title(goal)),
        "order": own.choice("order", ORDERS, order),
        "phases": _phases(own),
        "tasks": tasks,
        "next_id": max(own.whole_number("next_id"), *(task.id + 1 for task in tasks), 1),
        "begun": own.take("begun", (bool,), begun),
        "hold": own.choice("hold", HOLDS, hold),
    }


def task_fields(own: Reader, status: TaskStatus) -> Json:
    """Read the extension of a task, as fields of `Task`."""
    how, actor = infer_how_and_actor(status)
    return {
        "status": status,
        "description": own.text("description"),
        "phase": own.text("phase", MAIN_PHASE),
        "error": own.take("error", (str,)),
        "retry_count": own.whole_number("retry_count"),
        "active_form": own.text("active_form"),
        "kind": own.text("kind"),
        "checks": _checks(own),
        "run": own.text("run"),
        "files": own.texts("files"),
        "protect": own.texts("protect"),
        "constraints": own.text("constraints"),
        "expected": own.text("expected"),
        "how": own.choice("how", HOWS, how),
        "actor": own.text("actor", actor),
    }


def take_id(reader: Reader) -> Ref:
    """Take the id of a task; raise `InvalidDocument` if it is missing."""
    ref: Ref = reader.require("id", (int, str))
    if ref == "":
        raise InvalidDocument("document_missing", where=reader.path_of("id"))
    return ref


def number_tasks(readers: list[Reader], refs: Sequence[Ref], given: list[int]) -> list[int]:
    """Return a number for each task: its own, the one in its foreign id, or a free one."""
    _refuse_duplicates(readers, refs)
    wanted = [
        ref if type(ref) is int else own or task_number(str(ref))
        for ref, own in zip(refs, given, strict=True)
    ]
    taken = {ref for ref in refs if type(ref) is int}
    free = max([0, *(w for w in wanted if w <= LARGEST_ID)])
    ids = []
    for ref, want in zip(refs, wanted, strict=True):
        if type(ref) is int or (want and want not in taken):
            ids.append(want)
        else:
            free += 1
            ids.append(free)
        taken.add(ids[-1])
    return ids


def _refuse_duplicates(readers: list[Reader], refs: Sequence[Ref]) -> None:
    seen: set[Ref] = set()
    for reader, ref in zip(readers, refs, strict=True):
        if ref in seen:
            raise InvalidDocument("document_id_twice", where=reader.path_of("id"), id=ref)
        seen.add(ref)


def take_dependencies(reader: Reader, known: dict[Ref, int]) -> tuple[int, ...]:
    """Take the dependencies of a task, each once."""
    tasks: dict[int, None] = {}
    for index, ref in enumerate(reader.take("dependencies", (list,), [])):
        where = f"{reader.path_of('dependencies')}[{index}]"
        if type(ref) is not int and type(ref) is not str:
            raise wrong_type(where, "task id", ref)
        task = known.get(ref) or known.get(task_number(str(ref)))
        if task is None:
            raise InvalidDocument("document_unknown_task", where=where, task_id=ref)
        tasks[task] = None
    return tuple(tasks)


def take_time(own: Reader, name: str) -> datetime | None:
    """Take a time that Outlast wrote; raise `InvalidDocument` for any other form."""
    value = own.take(name, (str,))
    moment = times.read(value)
    if value is not None and moment is None:
        raise InvalidDocument("document_bad_time", where=own.path_of(name))
    return moment


def _checks(own: Reader) -> tuple[Check, ...]:
    return tuple(
        check.refuse_unknown(
            Check(check.choice("kind", CHECK_KINDS, "command"), check.text("rule"))
        )
        for check in own.sections("checks")
    )


def _phases(own: Reader) -> tuple[Phase, ...]:
    phases = tuple(
        phase.refuse_unknown(
            Phase(phase.require("id", (str,)), phase.require("title", (str,)), phase.text("notes"))
        )
        for phase in own.sections("phases")
    )
    return phases or (MAIN,)
