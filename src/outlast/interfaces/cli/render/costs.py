"""What a plan has cost, may cost, and will cost perhaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.domain.budget import AMOUNTS, NO_LIMIT, NOTHING
from outlast.domain.costs import forecast, remaining, reserved, spent, used
from outlast.interfaces.cli.render.amounts import amounts, limited, part_of_limit
from outlast.texts import clauses, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.budget import Budget, Spend
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.render.output import Json
    from outlast.texts import Language


def cost_lines(state: PlanState, language: Language) -> list[str]:
    """Return what was used, what is left of a budget, and what the open tasks may cost."""
    budget = state.ledger.books.budgets.get(0, NO_LIMIT)
    sums = {"cost_used": spent(state), "cost_aside": reserved(state)}
    said = {key: amounts(spend, language) for key, spend in sums.items() if spend != NOTHING}
    lines = [text(key, language, what=what) for key, what in said.items()]
    if budget != NO_LIMIT:
        lines.append(text("cost_left", language, what=_left(state, 0, language)))
    if state.finished < len(state.tasks):
        lines.append(_forecast(state, language))
    return lines


def _left(state: PlanState, task: int, language: Language) -> str:
    """Return how much of each limit of a task, or of the plan (0), is left."""
    left = remaining(state, task)
    return clauses(
        [
            part_of_limit(what, getattr(left, what), limit, language)
            for what, limit in limited(state.ledger.books.budgets[task])
        ],
        language,
    )


def _forecast(state: PlanState, language: Language) -> str:
    expected = forecast(state)
    if expected is None:
        return text("cost_unknown", language)
    return text("cost_forecast", language, what=amounts(expected, language))


def whole_cost(state: PlanState, language: Language) -> list[str]:
    """Return all of it: also what each task has cost and may, and what planning itself has."""
    lines = cost_lines(state, language)
    if spent(state) != NOTHING:
        planning = amounts(state.ledger.books.planning, language)
        lines.append(text("cost_planning", language, what=planning))
    return [*lines, *_by_task(state, language)]


def _by_task(state: PlanState, language: Language) -> Iterator[str]:
    for task in state.in_order():
        cost, name = spent(state, task.id), f"{task.id} {visible(task.name)}"
        if cost != NOTHING:
            yield text("cost_of_task", language, task=name, what=amounts(cost, language))
        if task.id in state.ledger.books.budgets:
            left = _left(state, task.id, language)
            yield text("cost_left_of_task", language, task=name, what=left)


def cost_shape(state: PlanState) -> Json:
    """Return all of it for programs; what has no limit, and what cannot be told, is null."""
    books = state.ledger.books
    expected = forecast(state)
    return {
        "used": _amounts(used(state)),
        "budget": _amounts(books.budgets.get(0, NO_LIMIT)),
        "left": _amounts(remaining(state)),
        "forecast": None if expected is None else _amounts(expected),
        "planning": _amounts(books.planning),
        "tasks": [
            {
                "task": task,
                "used": _amounts(used(state, task)),
                "budget": _amounts(books.budgets.get(task, NO_LIMIT)),
            }
            for task in sorted((books.spent.keys() | books.budgets.keys()) - {0})
        ],
    }


def _amounts(of: Spend | Budget) -> dict[str, Any]:
    return {what: getattr(of, what) for what in AMOUNTS}
