"""Render a plan as the PlanManager dictionary (R2): `meta`, `state` and `tasks`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.documents.json import foreign_fields
from outlast.documents.json.extension import EXTENSION, plan_extension, task_extension, task_keys
from outlast.documents.json.foreign_fields import add_foreign
from outlast.language import times

if TYPE_CHECKING:
    from outlast.model.model import Task
    from outlast.model.state import PlanState

Json = dict[str, Any]


def render(state: PlanState) -> Json:
    """Return the whole plan; `manager_parse.parse` restores it."""
    foreign = foreign_fields.load(state.extra)
    current = state.tasks_in_progress()
    meta = {
        "goal": state.goal,
        "created_at": _time(state, foreign, "created_at"),
        "updated_at": _time(state, foreign, "updated_at"),
    }
    status = {
        "current_task_id": _id(state.tasks[current[0]]) if current else None,
        "status": state.status,
    }
    document = {
        "meta": add_foreign(meta, foreign.get("meta", {})),
        "state": add_foreign(status, foreign.get("state", {})),
        "tasks": [_task(state, task) for task in state.tasks_in_order()],
    }
    document = add_foreign(document, foreign.get("top", {}))
    extension = _plan_extension(state, foreign)
    if extension:
        document[EXTENSION] = extension
    return document


def _task(state: PlanState, task: Task) -> Json:
    fields = task_keys(task)
    fields["id"] = _id(task)
    fields["dependencies"] = [_id(state.tasks[d]) for d in task.needs]
    extension = task_extension(task)
    for field in ("started_at", "ended_at"):
        if moment := getattr(task, field):
            extension[field] = times.write(moment)
    foreign = foreign_fields.load(task.extra)
    extension = add_foreign(extension, foreign.pop(EXTENSION, {}))
    if not task.reasoning and "reasoning" in foreign:  # null, as it was given
        fields["reasoning"] = foreign["reasoning"]
    fields = add_foreign(fields, foreign)
    if extension:
        fields[EXTENSION] = extension
    return fields


def _id(task: Task) -> int | str:
    return task.alias or task.id


def _time(state: PlanState, foreign: Json, field: str) -> Any:  # noqa: ANN401 - a time as its author wrote it
    written = times.write(getattr(state, field))
    match foreign.get("times", {}).get(field):
        case [rendered, original] if rendered == written:
            return original
    return written


def _plan_extension(state: PlanState, foreign: Json) -> Json:
    fields: Json = {} if foreign.get("bare") else {"id": state.id}
    fields.update(plan_extension(state, "graph"))
    if state.iteration_count:
        fields["iteration_count"] = state.iteration_count
    return add_foreign(fields, foreign.get(EXTENSION, {}))
