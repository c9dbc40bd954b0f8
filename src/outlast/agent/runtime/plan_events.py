"""What listeners are told about the plan: when it changed, and the plan as a to-do list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.plan.tools.outcome import Todo

if TYPE_CHECKING:
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Task
    from outlast.model.state import PlanState

_MAX_LISTED: Final = 100  # tasks around the current task
_BEFORE: Final = 20


def shown_state(plan: PlanView) -> tuple[object, ...]:
    """Return the part of a view whose change is an event, besides the current task of a lane."""
    return (
        plan.is_scratch,
        plan.goal,
        plan.status,
        plan.done,
        plan.total,
        plan.pause_reason,
    )


def todo_list(state: PlanState) -> tuple[Todo, ...]:
    """Return the tasks around the current one as a to-do list."""
    first = max(state.current_step_index - _BEFORE, 0)
    around = state.graph.order[first : first + _MAX_LISTED]
    return tuple(_todo(state.tasks[task]) for task in around)


def _todo(task: Task) -> Todo:
    if task.finished:
        return Todo(task.name, "completed", task.active_form)
    running = task.status == "in_progress"
    return Todo(task.name, "in_progress" if running else "pending", task.active_form)
