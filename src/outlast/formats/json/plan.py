"""R0's `plan.json`, written: the fields and the layout of its document."""

from __future__ import annotations

from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final

from outlast.formats import times
from outlast.formats.json.extension import EXTENSION, plan_extension, task_extension
from outlast.formats.json.foreign_fields import beside
from outlast.formats.json.plan_foreign import split

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.model import PlanStatus, Task, TaskStatus
    from outlast.domain.state import PlanState
    from outlast.formats.json.plan_foreign import Foreign

Json = dict[str, Any]
PLAN_NAMES: Final[dict[PlanStatus, str]] = {
    "idle": "pending",
    "running": "running",
    "paused": "paused",
    "completed": "completed",
    "failed": "failed",
}
STEP_NAMES: Final[dict[TaskStatus, str]] = {
    "pending": "pending",
    "in_progress": "running",
    "completed": "completed",
    "failed": "failed",
    "skipped": "completed",
}
_json: Final = JSONEncoder(ensure_ascii=False).encode


def write(state: PlanState, *, with_key: bool = True) -> bytes:
    """Return the file; `plan_json_parse.parse` makes the same plan of it again.

    Where the place of the file tells its key, the file need not.
    """
    plan = to_object(state, with_key=with_key)
    texts = _texts(plan)
    if plan["steps"]:
        steps = [_spread(_texts(step), "    ") for step in plan["steps"]]
        texts["steps"] = "[\n    " + ",\n    ".join(steps) + "\n  ]"
    # What is left to replace is a lone surrogate in an unknown field: JSON writes it the same way.
    return f"{_spread(texts, '')}\n".encode(errors="backslashreplace")


def _texts(fields: Json) -> dict[str, str]:
    return {name: _json(value) for name, value in fields.items()}


def _spread(fields: dict[str, str], indent: str) -> str:
    """Lay an object out with a line for each field."""
    lines = ",\n".join(f"{indent}  {_json(name)}: {text}" for name, text in fields.items())
    return f"{{\n{lines}\n{indent}}}"


def to_object(state: PlanState, *, with_key: bool = True) -> Json:
    """Return the plan as the JSON object that the file holds."""
    mine, theirs = split(state.extra)
    exact: Json = {}
    made: Json = {
        "id": state.id,
        "goal": state.goal,
        "status": PLAN_NAMES[state.status],
        "created_at": _time("created_at", state.created_at, mine, exact),
        "updated_at": _time("updated_at", state.updated_at, mine, exact),
        "steps": [_step(task) for task in state.in_order()],
        "current_step_index": state.current_step_index,
        "iteration_count": state.iteration_count,
    }
    extension = plan_extension(state, "sequential") | exact
    if not with_key:
        extension.pop("key", None)
    return _with_extension(made, extension, mine, theirs)


def _step(task: Task) -> Json:
    mine, theirs = split(task.extra)
    exact: Json = {}
    progress = _progress(task, mine)
    made: Json = {
        "id": _id(task, mine),
        "description": task.name,
        "status": STEP_NAMES[task.status],
        "result": task.result or "",
        **({"progress": progress} if progress else {}),
        "started_at": _time("started_at", task.started_at, mine, exact),
        "completed_at": _time("completed_at", task.ended_at, mine, exact),
    }
    return _with_extension(made, _step_extension(task) | exact, mine, theirs)


def _step_extension(task: Task) -> Json:
    found = task_extension(task)
    found.pop("progress", None)
    if task.status == "skipped":
        found["status"] = task.status
    if task.result == "":
        found["result"] = task.result
    if task.needs:
        found["dependencies"] = list(task.needs)
    if task.reasoning:
        found["reasoning"] = task.reasoning
    return found


def _with_extension(made: Json, extension: Json, mine: Foreign, theirs: Json) -> Json:
    """Add the fields that nobody knows, and the extension unless it is empty."""
    if theirs:
        extension["extra"] = theirs
    whole = beside(made, mine.fields)
    extension = beside(extension, mine.outlast)
    return {**whole, EXTENSION: extension} if extension else whole


def _id(task: Task, mine: Foreign) -> int | str:
    return task.id if mine.numbered else task.alias or f"step_{task.id}"


def _progress(task: Task, mine: Foreign) -> Json:
    known = task.progress
    made = {"current": known.current, "total": known.total} if known else {}
    return beside(made, mine.progress)


def _time(name: str, moment: datetime | None, mine: Foreign, exact: Json) -> str | float | None:
    """Return a time in seconds, or as its author wrote it; what is finer is noted in `exact`."""
    whole = times.write(moment) if moment else None
    ours, written = mine.times.get(name, (None, None))
    if written is not None and ours == whole:
        return written
    seconds = times.write_seconds(moment) if moment else None
    if seconds != whole:
        exact[name] = whole
    return seconds
