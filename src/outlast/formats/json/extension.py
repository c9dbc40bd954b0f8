"""The key `outlast`, written: what a form has no field for, and only where it says something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.domain.limits import default_title
from outlast.domain.model import MAIN, MAIN_PHASE

if TYPE_CHECKING:
    from collections.abc import Collection

    from outlast.domain.model import Hold, How, Order, Phase, Task
    from outlast.domain.state import PlanState

EXTENSION: Final = "outlast"
Json = dict[str, Any]


def notable(task: Task) -> Json:
    """Return what a model should know of a task beyond the basics; most tasks have nothing."""
    found: Json = {}
    if task.phase != MAIN_PHASE:
        found["phase"] = task.phase
    if task.error is not None:
        found["error"] = task.error
    if task.retry_count:
        found["retry_count"] = task.retry_count
    if task.progress:
        found["progress"] = {"current": task.progress.current, "total": task.progress.total}
    if task.how not in ("", "reported"):
        found["how"] = task.how
    if task.active_form:
        found["active_form"] = task.active_form
    if task.kind:
        found["kind"] = task.kind
    if task.checks or task.run or task.files or task.protect:
        found |= _rules(task)
    return found


def _rules(task: Task) -> Json:
    """Return what a task has to pass, what does it, what it makes and what it must not touch."""
    checks = [{"kind": check.kind, "rule": check.rule} for check in task.checks]
    found: Json = {"checks": checks} if checks else {}
    if task.run:
        found["run"] = task.run
    if task.files:
        found["files"] = list(task.files)
    if task.protect:
        found["protect"] = list(task.protect)
    return found


def task_extension(task: Task) -> Json:
    """Return all that every form of a whole plan has to say of a task in its extension."""
    found = notable(task)
    if task.alias:
        found["id"] = task.id
    if (task.how, task.actor) != infer_work(task.status):
        found["how"], found["actor"] = task.how, task.actor
    return found


def plan_extension(state: PlanState, order: Order) -> Json:
    """Return all that every form has to say of a plan, if it takes a plan to have this order."""
    found: Json = {}
    if state.key:
        found["key"] = state.key
    if state.title != default_title(state.goal):
        found["title"] = state.title
    if state.order != order:
        found["order"] = state.order
    if tuple(state.phases.values()) != (MAIN,):
        found["phases"] = [_phase(phase) for phase in state.phases.values()]
    if state.next_id != max(state.tasks, default=0) + 1:
        found["next_id"] = state.next_id
    if infer_stand(state.status, state.tasks.values()) != (state.begun, state.hold):
        found["begun"], found["hold"] = state.begun, state.hold
    return found


def infer_stand(status: str, tasks: Collection[Task]) -> tuple[bool, Hold]:
    """Return whether work has begun and what holds the plan, as far as the status tells."""
    if status == "paused":
        return any(task.status != "pending" for task in tasks), "paused"
    if status == "failed":
        failed = any(task.status == "failed" for task in tasks)
        return True, "" if failed else "aborted"
    return status != "idle", ""


def infer_work(status: str) -> tuple[How, str]:
    """Return how a task was found done and who works on it, as far as its status tells."""
    return "reported" if status == "completed" else "", "agent" if status == "in_progress" else ""


def _phase(phase: Phase) -> Json:
    made = {"id": phase.id, "title": phase.title}
    if phase.notes:
        made["notes"] = phase.notes
    return made
