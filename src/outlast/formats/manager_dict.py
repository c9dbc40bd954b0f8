"""R2's form of a whole plan, written: `meta`, `state` and `tasks`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from outlast.domain.limits import default_title
from outlast.domain.model import MAIN
from outlast.formats import times
from outlast.formats.manager_infer import infer_stand, infer_work
from outlast.formats.manager_task import EXTENSION, task_object

if TYPE_CHECKING:
    from outlast.domain.model import Phase, Task
    from outlast.domain.state import PlanState

Json = dict[str, Any]


def write(state: PlanState) -> Json:
    """Return the whole plan; `manager_parse.parse` makes the same plan of it again."""
    kept = _kept(state.extra)
    current = state.in_progress()
    document: Json = {
        "meta": {
            "goal": state.goal,
            "created_at": _time(state, kept, "created_at"),
            "updated_at": _time(state, kept, "updated_at"),
            **kept.get("meta", {}),
        },
        "state": {
            "current_task_id": _id(state.tasks[current[0]]) if current else None,
            "status": state.status,
            **kept.get("state", {}),
        },
        "tasks": [_whole_task(state, task) for task in state.in_order()],
        **kept.get("top", {}),
    }
    extension = _plan_extension(state, kept)
    if extension:
        document[EXTENSION] = extension
    return document


def _whole_task(state: PlanState, task: Task) -> Json:
    made = task_object(task, ())
    extension = made.pop(EXTENSION, {})
    made["id"] = _id(task)
    made["dependencies"] = [_id(state.tasks[d]) for d in task.dependencies]
    if task.alias:
        extension["id"] = task.id
    if (task.how, task.actor) != infer_work(task.status):
        extension["how"], extension["actor"] = task.how, task.actor
    for field in ("started_at", "ended_at"):
        if moment := getattr(task, field):
            extension[field] = times.write(moment)
    kept = _kept(task.extra)
    extension.update(kept.pop(EXTENSION, {}))
    made.update(kept)
    if extension:
        made[EXTENSION] = extension
    return made


def _kept(extra: str) -> Json:
    """Return the fields that came from outside and that the model has no place for."""
    fields: Json = json.loads(extra) if extra else {}
    return fields


def _id(task: Task) -> int | str:
    return task.alias or task.id


def _time(state: PlanState, kept: Json, field: str) -> Any:  # noqa: ANN401 - a time as its author wrote it
    written = times.write(getattr(state, field))
    ours, theirs = kept.get("times", {}).get(field, (None, None))
    return theirs if ours == written else written


def _plan_extension(state: PlanState, kept: Json) -> Json:
    found: Json = {} if kept.get("bare") else {"id": state.id}
    if state.key:
        found["key"] = state.key
    if state.title != default_title(state.goal):
        found["title"] = state.title
    if state.order != "graph":
        found["order"] = state.order
    if tuple(state.phases.values()) != (MAIN,):
        found["phases"] = [_phase(phase) for phase in state.phases.values()]
    if state.next_id != max(state.tasks, default=0) + 1:
        found["next_id"] = state.next_id
    if state.iteration_count:
        found["iteration_count"] = state.iteration_count
    if infer_stand(state.status, state.tasks.values()) != (state.begun, state.hold):
        found["begun"], found["hold"] = state.begun, state.hold
    found.update(kept.get(EXTENSION, {}))
    return found


def _phase(phase: Phase) -> Json:
    made = {"id": phase.id, "title": phase.title}
    if phase.notes:
        made["notes"] = phase.notes
    return made
