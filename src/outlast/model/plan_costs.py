"""Costs: what a plan and its tasks have spent and reserved, and what the rest may cost (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.model.budget import (
    AMOUNTS,
    NO_LIMIT,
    NOTHING,
    Budget,
    Spend,
    add_spend,
    round_amount,
    subtract_spend,
    sum_spend,
)
from outlast.model.limits import check_ref

if TYPE_CHECKING:
    from outlast.model.commands import TaskRef
    from outlast.model.state import PlanState

_FORECAST_TASKS: Final = 3  # how many finished tasks a forecast needs


def scope_id(state: PlanState, ref: TaskRef | None) -> int:
    """Return the id of the named task, or 0 for the whole plan."""
    return 0 if ref is None else state.task(check_ref(ref, "task")).id


def reserved_amount(state: PlanState, task: int = 0) -> Spend:
    """Return the reservations of open attempts for a task, or for the whole plan (0)."""
    attempts = state.ledger.attempts.values()
    return sum_spend(attempt.reserve for attempt in attempts if not task or attempt.task == task)


def spent_amount(state: PlanState, task: int = 0) -> Spend:
    """Return what a task, or the whole plan (0), has cost."""
    return state.ledger.counters.spent.get(task, NOTHING)


def used_amount(state: PlanState, task: int = 0) -> Spend:
    """Return what a task, or the whole plan (0), has spent and reserved."""
    return add_spend(spent_amount(state, task), reserved_amount(state, task))


def remaining_budget(state: PlanState, task: int = 0) -> Budget:
    """Return how much may still be reserved for a task, or for the whole plan (0)."""
    budget = state.ledger.counters.budgets.get(task)
    return NO_LIMIT if budget is None else subtract_spend(budget, used_amount(state, task))


def tightest_budget(state: PlanState, task: int) -> Budget:
    """Return the remaining budget of a task or of the plan, whichever is lower."""
    whole = remaining_budget(state)
    own = remaining_budget(state, task) if task else NO_LIMIT
    if NO_LIMIT in (own, whole):
        return whole if own == NO_LIMIT else own
    limits = ((what, _lower(getattr(whole, what), getattr(own, what))) for what in AMOUNTS)
    return Budget(**dict(limits))


def _lower(first: Any, second: Any) -> Any:  # noqa: ANN401 - each amount has a type of its own
    return min((limit for limit in (first, second) if limit is not None), default=None)


def has_work_started(state: PlanState) -> bool:
    """Return whether work has started, so that a change of the task list is a replan."""
    begun = state.ledger.counters.iterations or state.finished_count or state.counts["failed"]
    return bool(begun) or any(task.retry_count for task in state.tasks.values())


def forecast(state: PlanState) -> Spend | None:
    """Estimate what the open tasks will cost: each the median of the finished tasks.

    None if fewer than three finished tasks have cost anything.
    """
    costs = [
        cost
        for task, cost in state.ledger.counters.spent.items()
        if cost != NOTHING and task in state.tasks and state.tasks[task].finished
    ]
    if len(costs) < _FORECAST_TASKS:
        return None
    tasks = state.counts["pending"] + state.counts["in_progress"]
    from math import ceil
    from statistics import median  # slow to import

    return Spend(
        ceil(median(cost.model_calls for cost in costs) * tasks),
        ceil(median(cost.tokens for cost in costs) * tasks),
        round_amount(median(cost.money for cost in costs) * tasks),
        round_amount(median(cost.time for cost in costs) * tasks),
        ceil(median(cost.tool_calls for cost in costs) * tasks),
        ceil(median(cost.replans for cost in costs) * tasks),
    )
