"""What a plan, or a task, may cost: set, used up, and refused when it does not suffice (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain import loop_changes as c
from outlast.domain.budget import (
    AMOUNTS,
    NO_LIMIT,
    NOTHING,
    Budget,
    Spend,
    exceeds,
    plus,
    rounded,
    within,
)
from outlast.domain.costs import reserved, scope, spent
from outlast.domain.decide.fencing import PLAN
from outlast.domain.limits import LARGEST_ID, check_number, wrong_type
from outlast.domain.loop_commands import Charge
from outlast.errors import InvalidArgument, OutOfBudget

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.loop_commands import SetBudget
    from outlast.domain.state import PlanState

_LARGEST: Final = 10**12  # dollars or seconds
_MEASURED: Final = ("money", "time")


def set_budget(state: PlanState, command: SetBudget, _now: datetime) -> tuple[Change, ...]:
    """Set the limits of the plan, or of a task; without any there is no budget."""
    budget = check_budget(command.budget, "budget")
    task = scope(state, command.task)
    known = state.ledger.books.budgets.get(task, NO_LIMIT)
    return () if budget == known else (c.BudgetSet(budget, task),)


def limit(budget: Budget, task: int) -> Change:
    """Return the limits that a plan or a task begins with."""
    return c.BudgetSet(check_budget(budget, "budget"), task)


def charge(state: PlanState, command: Charge, _now: datetime) -> tuple[Change, ...]:
    """Count what was spent, whether or not the budget held it."""
    spend = check_spend(command.spend, "spend")
    planning = within(check_spend(command.planning, "planning"), spend)
    task = scope(state, command.task)
    return () if spend == NOTHING else (c.Charged(spend, task, planning),)


def pay(state: PlanState, command: Charge, now: datetime) -> tuple[Change, ...]:
    """Count what is going to be spent, or refuse it if that much is not left."""
    if type(command) is not Charge:
        raise wrong_type("cost", "Charge", command)
    changes = charge(state, command, now)
    refuse_overrun(state, command.spend, scope(state, command.task))
    return changes


def refuse_overrun(state: PlanState, needs: Spend, task: int) -> None:
    """Refuse what could cost more than is left for the task, or for the plan."""
    budgets = state.ledger.books.budgets
    for one in (PLAN, task) if task else (PLAN,):
        budget = budgets.get(one)
        if budget is not None:
            _refuse_overrun(state, budget, needs, one)


def _refuse_overrun(state: PlanState, budget: Budget, needs: Spend, task: int) -> None:
    aside = reserved(state, task)
    found = exceeds(budget, plus(spent(state, task), aside), needs)
    if found is not None:
        raise OutOfBudget(
            "out_of_task_budget" if task else "out_of_budget",
            what=found.what,
            limit=found.limit,
            used=found.used,
            reserved=getattr(aside, found.what),
            needs=found.needs,
            task=task,
        )


def check_spend(value: object, argument: str) -> Spend:
    """Accept an amount of which nothing is below 0 or endless."""
    if type(value) is not Spend:
        raise wrong_type(argument, "Spend", value)
    if value == NOTHING:
        return NOTHING
    given = {what: _check(getattr(value, what), what, argument) for what in AMOUNTS}
    return replace(value, **given)


def check_budget(value: object, argument: str) -> Budget:
    """Accept limits of which none is below 0 or endless."""
    if type(value) is not Budget:
        raise wrong_type(argument, "Budget", value)
    given = {
        what: _check(limit, what, argument)
        for what in AMOUNTS
        if (limit := getattr(value, what)) is not None
    }
    return replace(value, **given)


def _check(value: object, what: str, argument: str) -> float:
    where = f"{argument}.{what}"
    if what not in _MEASURED:
        return check_number(value, where, 0, LARGEST_ID)
    if type(value) is not int and type(value) is not float:
        raise wrong_type(where, "number", value)
    if not 0 <= value <= _LARGEST:  # which is so of what is not a number, too
        raise InvalidArgument("bad_amount", argument=where, limit=_LARGEST)
    return rounded(float(value))
