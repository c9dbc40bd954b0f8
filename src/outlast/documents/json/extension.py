"""The six keys of a task (R2), and the key `outlast`: what differs from a default beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.model.limits import default_title
from outlast.model.model import MAIN, MAIN_PHASE, Hold, How, Order, Phase, PlanStatus, Task

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outlast.model.state import PlanState

EXTENSION: Final = "outlast"
AGENT: Final = "agent"  # the actor of a program that names none
_TEXTS: Final = ("active_form", "kind", "constraints", "expected")
Json = dict[str, Any]


def task_object(task: Task, blocked_by: Sequence[int]) -> Json:
    """Return the six keys, and an extension for all else that a model should know."""
    fields, extension = task_keys(task), task_details(task)
    if blocked_by:
        extension["blocked_by"] = list(blocked_by)
    if extension:
        fields[EXTENSION] = extension
    return fields


def task_keys(task: Task) -> Json:
    """Return the six keys."""
    return {
        "id": task.id,
        "name": task.name,
        "status": task.status,
        "dependencies": list(task.needs),
        "reasoning": task.reasoning,
        "result": task.result,
    }


def task_details(task: Task) -> Json:
    """Return the fields that a model should know beyond the six keys; most tasks have none."""
    fields: Json = {}
    if task.description:
        fields["description"] = task.description
    if task.phase != MAIN_PHASE:
        fields["phase"] = task.phase
    if task.error is not None:
        fields["error"] = task.error
    if task.retry_count:
        fields["retry_count"] = task.retry_count
    if task.progress:
        fields["progress"] = {"current": task.progress.current, "total": task.progress.total}
    if task.how not in ("", "reported"):
        fields["how"] = task.how
    if task.active_form or task.kind or task.constraints or task.expected:
        fields |= {name: text for name in _TEXTS if (text := getattr(task, name))}
    if task.checks or task.run or task.files or task.protect:
        fields |= _rules(task)
    return fields


def _rules(task: Task) -> Json:
    """Return checks, command, files and protected files of a task."""
    checks = [{"kind": check.kind, "rule": check.rule} for check in task.checks]
    fields: Json = {"checks": checks} if checks else {}
    if task.run:
        fields["run"] = task.run
    if task.files:
        fields["files"] = list(task.files)
    if task.protect:
        fields["protect"] = list(task.protect)
    return fields


def task_extension(task: Task) -> Json:
    """Return the fields of a task that every format of a whole plan has in its extension."""
    fields = task_details(task)
    if task.alias:
        fields["id"] = task.id
    if (task.how, task.actor) != infer_how_and_actor(task.status):
        fields["how"], fields["actor"] = task.how, task.actor
    return fields


def plan_extension(state: PlanState, order: Order) -> Json:
    """Return the fields of a plan that every format has; `order` is the default of the format."""
    fields: Json = {}
    if state.key:
        fields["key"] = state.key
    if state.title != default_title(state.goal):
        fields["title"] = state.title
    if state.order != order:
        fields["order"] = state.order
    if tuple(state.phases.values()) != (MAIN,):
        fields["phases"] = [_phase(phase) for phase in state.phases.values()]
    if state.next_id != max(state.tasks, default=0) + 1:
        fields["next_id"] = state.next_id
    if infer_begun_and_hold(state.status, state.tasks.values()) != (state.begun, state.hold):
        fields["begun"], fields["hold"] = state.begun, state.hold
    return fields


def infer_begun_and_hold(status: str, tasks: Collection[Task]) -> tuple[bool, Hold]:
    """Infer `begun` and `hold` of a plan from its status."""
    if status == "paused":
        return any(task.status != "pending" for task in tasks), "paused"
    if status == "failed":
        failed = any(task.status == "failed" for task in tasks)
        return True, "" if failed else "aborted"
    return status != "idle", ""


def infer_how_and_actor(status: str) -> tuple[How, str]:
    """Infer `how` and `actor` of a task from its status."""
    return "reported" if status == "completed" else "", AGENT if status == "in_progress" else ""


def infer_status(tasks: Collection[Task]) -> PlanStatus:
    """Infer the status of a plan whose document has none: running once a task was worked on."""
    begun = any(task.status not in ("pending", "skipped") or task.retry_count for task in tasks)
    return "running" if begun else "idle"


def _phase(phase: Phase) -> Json:
    fields = {"id": phase.id, "title": phase.title}
    if phase.notes:
        fields["notes"] = phase.notes
    return fields
