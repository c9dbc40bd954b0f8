"""Amounts and costs: what a plan has used, may use, and will need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.language import clauses, text, visible
from outlast.model.amounts import COUNTED, amount_texts, limits_in, part_of_limit
from outlast.model.budget import AMOUNTS, NO_LIMIT, NOTHING
from outlast.model.costs import (
    forecast,
    remaining_budget,
    reserved_amount,
    spent_amount,
    used_amount,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.console.render.output import Json
    from outlast.language import Language
    from outlast.model.budget import Budget, Spend
    from outlast.model.state import PlanState


def cost_lines(state: PlanState, language: Language) -> list[str]:
    """Return what was used, what is left of the budget, and the forecast."""
    budget = state.ledger.counters.budgets.get(0, NO_LIMIT)
    sums = {"cost_used": spent_amount(state), "cost_reserved": reserved_amount(state)}
    texts = {key: amount_texts(spend, language) for key, spend in sums.items() if spend != NOTHING}
    lines = [text(key, language, what=what) for key, what in texts.items()]
    if budget != NO_LIMIT:
        lines.append(text("cost_left", language, what=_remaining_text(state, 0, language)))
    if state.finished_count < len(state.tasks):
        lines.append(_forecast_line(state, language))
    return lines


def _remaining_text(state: PlanState, task: int, language: Language) -> str:
    """Return how much of each limit of a task, or of the plan (0), is left."""
    left = remaining_budget(state, task)
    return clauses(
        [
            part_of_limit(kind, getattr(left, kind), limit, language)
            for kind, limit in limits_in(state.ledger.counters.budgets[task])
        ],
        language,
    )


def _forecast_line(state: PlanState, language: Language) -> str:
    expected = forecast(state)
    if expected is None:
        return text("cost_unknown", language)
    return text("cost_forecast", language, what=amount_texts(expected, language))


def full_cost_lines(state: PlanState, language: Language) -> list[str]:
    """Return all costs: also those of each task and of planning."""
    lines = cost_lines(state, language)
    if spent_amount(state) != NOTHING:
        planning = amount_texts(state.ledger.counters.planning, language)
        lines.append(text("cost_planning", language, what=planning))
    return [*lines, *_task_cost_lines(state, language)]


def _task_cost_lines(state: PlanState, language: Language) -> Iterator[str]:
    for task in state.tasks_in_order():
        cost, name = spent_amount(state, task.id), f"{task.id} {visible(task.name)}"
        if cost != NOTHING:
            yield text("cost_of_task", language, task=name, what=amount_texts(cost, language))
        if task.id in state.ledger.counters.budgets:
            left = _remaining_text(state, task.id, language)
            yield text("cost_left_of_task", language, task=name, what=left)


def cost_json(state: PlanState) -> Json:
    """Return all costs for `--json`; a missing limit and an unknown forecast are null."""
    counters = state.ledger.counters
    expected = forecast(state)
    return {
        "used": _amounts_json(used_amount(state)),
        "budget": _amounts_json(counters.budgets.get(0, NO_LIMIT)),
        "left": _amounts_json(remaining_budget(state)),
        "forecast": None if expected is None else _amounts_json(expected),
        "planning": _amounts_json(counters.planning),
        "tasks": [
            {
                "task": task,
                "used": _amounts_json(used_amount(state, task)),
                "budget": _amounts_json(counters.budgets.get(task, NO_LIMIT)),
            }
            for task in sorted((counters.spent.keys() | counters.budgets.keys()) - {0})
        ],
    }


def _amounts_json(of: Spend | Budget) -> dict[str, Any]:
    return {kind: getattr(of, kind) for kind in AMOUNTS}


def doubled_limits(budget: Budget) -> str:
    """Return a budget with twice the limits, as `--budget` takes it; empty if it has none."""
    limits = ((kind, 2 * limit) for kind, limit in limits_in(budget))
    return ",".join(f"{kind}={_spell_limit(kind, limit)}" for kind, limit in limits)


def _spell_limit(kind: str, limit: float) -> str:
    if kind in COUNTED and limit and limit % 1_000 == 0:
        return f"{limit // 1_000:.0f}k"
    return f"{limit:.2f}".removesuffix(".00")
