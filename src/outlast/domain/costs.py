"""What a plan and its tasks have cost, what is set aside, and what the rest may come to (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.budget import NO_LIMIT, NOTHING, Budget, Spend, left, plus, rounded, total
from outlast.domain.limits import check_ref

if TYPE_CHECKING:
    from outlast.domain.loop_commands import TaskRef
    from outlast.domain.state import PlanState

_ENOUGH: Final = 3  # finished tasks, to tell from them what the others may cost


def scope(state: PlanState, ref: TaskRef | None) -> int:
    """Return the id of the task that is meant, 0 for the plan as a whole."""
    return 0 if ref is None else state.task(check_ref(ref, "task_id")).id


def reserved(state: PlanState, task: int = 0) -> Spend:
    """Return what is set aside for open attempts at a task, or in the whole plan (0)."""
    attempts = state.ledger.attempts.values()
    return total(one.reserve for one in attempts if not task or one.task == task)


def spent(state: PlanState, task: int = 0) -> Spend:
    """Return what a task, or the whole plan (0), has cost."""
    return state.ledger.books.spent.get(task, NOTHING)


def used(state: PlanState, task: int = 0) -> Spend:
    """Return what a task, or the whole plan (0), has cost or may cost by what is under way."""
    return plus(spent(state, task), reserved(state, task))


def remaining(state: PlanState, task: int = 0) -> Budget:
    """Return how much may still be set aside for a task, or for the whole plan (0)."""
    budget = state.ledger.books.budgets.get(task)
    return NO_LIMIT if budget is None else left(budget, used(state, task))


def is_worked_on(state: PlanState) -> bool:
    """Tell whether work on the tasks has begun, so that changing their list is a replan."""
    begun = state.ledger.books.iterations or state.finished or state.counts["failed"]
    return bool(begun) or any(task.retry_count for task in state.tasks.values())


def forecast(state: PlanState) -> Spend | None:
    """Return what the open tasks may cost: each as much as the median of the finished ones.

    None below three finished tasks that have cost something.
    """
    costs = [
        cost
        for task, cost in state.ledger.books.spent.items()
        if cost != NOTHING and task in state.tasks and state.tasks[task].finished
    ]
    if len(costs) < _ENOUGH:
        return None
    tasks = state.counts["pending"] + state.counts["in_progress"]
    from math import ceil
    from statistics import median  # which a process that only ends a task should not load

    return Spend(
        ceil(median(one.model_calls for one in costs) * tasks),
        ceil(median(one.tokens for one in costs) * tasks),
        rounded(median(one.money for one in costs) * tasks),
        rounded(median(one.time for one in costs) * tasks),
        ceil(median(one.tool_calls for one in costs) * tasks),
        ceil(median(one.replans for one in costs) * tasks),
    )
