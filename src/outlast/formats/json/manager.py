"""R2's form of a whole plan, written: `meta`, `state` and `tasks`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.formats import times
from outlast.formats.json import foreign_fields
from outlast.formats.json.extension import EXTENSION, plan_extension, task_extension
from outlast.formats.json.foreign_fields import beside
from outlast.formats.json.manager_task import task_keys

if TYPE_CHECKING:
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState

Json = dict[str, Any]


def write(state: PlanState) -> Json:
    """Return the whole plan; `manager_parse.parse` makes the same plan of it again."""
    theirs = foreign_fields.load(state.extra)
    current = state.in_progress()
    meta = {
        "goal": state.goal,
        "created_at": _time(state, theirs, "created_at"),
        "updated_at": _time(state, theirs, "updated_at"),
    }
    stand = {
        "current_task_id": _id(state.tasks[current[0]]) if current else None,
        "status": state.status,
    }
    document = {
        "meta": beside(meta, theirs.get("meta", {})),
        "state": beside(stand, theirs.get("state", {})),
        "tasks": [_whole_task(state, task) for task in state.in_order()],
    }
    document = beside(document, theirs.get("top", {}))
    extension = _plan_extension(state, theirs)
    if extension:
        document[EXTENSION] = extension
    return document


def _whole_task(state: PlanState, task: Task) -> Json:
    made = task_keys(task)
    made["id"] = _id(task)
    made["dependencies"] = [_id(state.tasks[d]) for d in task.needs]
    extension = task_extension(task)
    for field in ("started_at", "ended_at"):
        if moment := getattr(task, field):
            extension[field] = times.write(moment)
    theirs = foreign_fields.load(task.extra)
    extension = beside(extension, theirs.pop(EXTENSION, {}))
    made = beside(made, theirs)
    if extension:
        made[EXTENSION] = extension
    return made


def _id(task: Task) -> int | str:
    return task.alias or task.id


def _time(state: PlanState, theirs: Json, field: str) -> Any:  # noqa: ANN401 - a time as its author wrote it
    written = times.write(getattr(state, field))
    match theirs.get("times", {}).get(field):
        case [ours, foreign] if ours == written:
            return foreign
    return written


def _plan_extension(state: PlanState, theirs: Json) -> Json:
    found: Json = {} if theirs.get("bare") else {"id": state.id}
    found.update(plan_extension(state, "graph"))
    if state.iteration_count:
        found["iteration_count"] = state.iteration_count
    return beside(found, theirs.get(EXTENSION, {}))
