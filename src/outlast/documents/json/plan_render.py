"""Render `plan.json` (R0), with the fields and the layout of the document."""

from __future__ import annotations

from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final

from outlast.documents.json.extension import (
    AGENT,
    EXTENSION,
    infer_how_and_actor,
    plan_extension,
    task_extension,
)
from outlast.documents.json.foreign_fields import PLAN_NAMES, STEP_NAMES, add_foreign, split_extra
from outlast.language import times
from outlast.model.limits import SHOWN_CHARACTERS
from outlast.model.replies.results import cut

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.documents.json.foreign_fields import Foreign
    from outlast.model.model import Task
    from outlast.model.state import PlanState

Json = dict[str, Any]
_json: Final = JSONEncoder(ensure_ascii=False).encode


def render(state: PlanState, *, with_key: bool = True) -> bytes:
    """Return the file; `plan_parse.parse` restores the plan.

    Where the place of the file tells its key, the file need not.
    """
    plan = to_object(state, with_key=with_key)
    texts = _encode_fields(plan)
    if plan["steps"]:
        steps = [_layout(_encode_fields(step), "    ") for step in plan["steps"]]
        texts["steps"] = "[\n    " + ",\n    ".join(steps) + "\n  ]"
    # Only a lone surrogate in an unknown field is left to replace: JSON writes it the same way.
    return f"{_layout(texts, '')}\n".encode(errors="backslashreplace")


def _encode_fields(fields: Json) -> dict[str, str]:
    return {name: _json(value) for name, value in fields.items()}


def _layout(fields: dict[str, str], indent: str) -> str:
    """Return an object with a line for each field."""
    lines = ",\n".join(f"{indent}  {_json(name)}: {text}" for name, text in fields.items())
    return f"{{\n{lines}\n{indent}}}"


def to_object(state: PlanState, *, with_key: bool = True) -> Json:
    """Return the plan as the JSON object that the file holds."""
    foreign, others = split_extra(state.extra)
    fields: Json = {
        "id": state.id,
        "goal": state.goal,
        "status": PLAN_NAMES[state.status],
        "created_at": _time("created_at", state.created_at, foreign),
        "updated_at": _time("updated_at", state.updated_at, foreign),
        "steps": [_step(task) for task in state.tasks_in_order()],
        "current_step_index": state.current_step_index,
        "iteration_count": state.iteration_count,
    }
    extension = plan_extension(state, "sequential")
    if not with_key:
        extension.pop("key", None)
    if not state.tasks:  # nothing to be in order
        extension.pop("order", None)
    return _with_extension(fields, extension, foreign, others)


def _step(task: Task) -> Json:
    foreign, others = split_extra(task.extra)
    progress = _progress(task, foreign)
    fields: Json = {
        "id": task.id if foreign.numbered else task.alias or f"step_{task.id}",
        "description": task.name,
        "status": STEP_NAMES[task.status],
        "result": cut(task.result or "", SHOWN_CHARACTERS),
        **({"progress": progress} if progress else {}),
        "started_at": _time("started_at", task.started_at, foreign),
        "completed_at": _time("completed_at", task.ended_at, foreign),
    }
    return _with_extension(fields, _step_extension(task), foreign, others)


def _step_extension(task: Task) -> Json:
    fields = task_extension(task)
    fields.pop("progress", None)
    how, actor = infer_how_and_actor(task.status)
    if task.how == how:
        fields.pop("how", None)
    if task.actor in (actor, AGENT):  # who worked on a task, if not the agent
        fields.pop("actor", None)
    if task.status == "skipped":
        fields["status"] = task.status
    if len(task.result or "") > SHOWN_CHARACTERS:
        fields["result"] = task.result
    if task.needs:
        fields["dependencies"] = list(task.needs)
    if task.reasoning:
        fields["reasoning"] = task.reasoning
    return fields


def _with_extension(fields: Json, extension: Json, foreign: Foreign, others: Json) -> Json:
    """Add unknown fields, and the extension unless it is empty."""
    if others:
        extension["extra"] = others
    whole = add_foreign(fields, foreign.fields)
    extension = add_foreign(extension, foreign.outlast)
    return {**whole, EXTENSION: extension} if extension else whole


def _progress(task: Task, foreign: Foreign) -> Json:
    known = task.progress
    fields = {"current": known.current, "total": known.total} if known else {}
    return add_foreign(fields, foreign.progress)


def _time(name: str, moment: datetime | None, foreign: Foreign) -> str | float | None:
    """Return a time in whole seconds, or as its author wrote it."""
    rendered, written = foreign.times.get(name, (None, None))
    if written is not None and rendered == (times.write(moment) if moment else None):
        return written
    return times.write_seconds(moment) if moment else None
