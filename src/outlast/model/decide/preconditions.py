"""Preconditions for work on a task, and the changes that start it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidStatus, PlanNotActive
from outlast.model import changes as c
from outlast.model.limits import check_name
from outlast.model.model import FINISHED, PERSON, Task

if TYPE_CHECKING:
    from outlast.model.state import PlanState

_SHOWN_IDS: Final = 20


def require_active(state: PlanState, finisher: str = "") -> None:
    """Refuse work on a plan that is empty, paused or aborted.

    A person may finish tasks while it is paused; `finisher` is the actor who does.
    """
    if not state.tasks:
        raise PlanNotActive("plan_empty", reason="empty")
    if state.hold == "paused" and finisher == PERSON:
        return
    if state.hold and state.status != "completed":
        raise PlanNotActive(f"plan_{state.hold}", reason=state.hold)


def require_approved(state: PlanState, actor: str) -> None:
    """Refuse an agent's work on a plan that a person has to approve first."""
    if state.needs_approval and actor != PERSON:
        raise PlanNotActive("plan_needs_approval", reason="approval")


def require_unfinished(task: Task) -> None:
    """Refuse a task that is completed or skipped."""
    if task.status in FINISHED:
        raise InvalidStatus("task_already", task_id=task.id, status=task.status)


def require_in_progress(task: Task) -> None:
    """Refuse a task that is not in progress."""
    if task.status != "in_progress":
        raise InvalidStatus("task_not_in_progress", task_id=task.id, status=task.status)


def require_executable(state: PlanState, task: Task) -> None:
    """Refuse a task that is blocked, or not the next one of a sequence."""
    unmet = state.unmet_needs(task)
    if unmet:
        raise InvalidStatus(
            "task_blocked", task_id=task.id, unmet_dependencies=unmet, status=task.status
        )
    if not state.is_ready(task.id):
        first = state.first_unfinished()
        raise InvalidStatus(
            "task_not_its_turn", task_id=task.id, waits_for=first, status=task.status
        )


def nothing_ready_error(state: PlanState) -> InvalidStatus:
    """Return the error that explains why no task can be started."""
    if state.status == "completed":
        return InvalidStatus("nothing_left", reason="all_done", ids=[], count=0)
    assumed = state.assumed_end
    if assumed is not None:
        return _not_startable_error("assumed", [assumed.id])
    if state.counts["in_progress"]:
        return _not_startable_error("waiting", state.tasks_in_progress())
    return _not_startable_error(
        "failed", [task.id for task in state.tasks_in_order() if task.status == "failed"]
    )


def _not_startable_error(reason: str, ids: list[int]) -> InvalidStatus:
    return InvalidStatus(
        f"nothing_ready_{reason}", reason=reason, ids=ids[:_SHOWN_IDS], count=len(ids)
    )


def start_changes(state: PlanState, task: Task, actor: str) -> tuple[c.Change, ...]:
    """Return the changes that start a task, if it is not in progress."""
    start_plan = () if state.begun else (c.PlanBegun(),)
    if task.status == "in_progress":
        return start_plan
    return (*start_plan, c.TaskStarted(task.id, check_name(actor, "actor")))


def revive_changes(state: PlanState) -> tuple[c.Change, ...]:
    """Return the change that revives an aborted plan when work on it continues."""
    return (c.PlanResumed(),) if state.hold == "aborted" else ()
