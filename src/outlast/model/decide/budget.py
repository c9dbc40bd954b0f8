"""Budgets: set limits, charge costs, and refuse what could exceed a limit (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import InvalidArgument, OutOfBudget
from outlast.model import changes as c
from outlast.model.budget import (
    AMOUNTS,
    NO_LIMIT,
    NOTHING,
    Budget,
    Spend,
    add_spend,
    cap_spend,
    find_overrun,
    round_amount,
)
from outlast.model.limits import LARGEST_ID, check_flag, check_number, wrong_type_error
from outlast.model.model import PLAN
from outlast.model.plan_costs import reserved_amount, scope_id, spent_amount

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.changes import Change
    from outlast.model.commands import Charge, SetBudget
    from outlast.model.state import PlanState

_LARGEST: Final = 10**12  # dollars or seconds
_FRACTIONAL: Final = ("money", "time")


def set_budget(state: PlanState, command: SetBudget, _now: datetime) -> tuple[Change, ...]:
    """Set the limits of the plan or of a task; no limits at all remove the budget."""
    budget = check_budget(command.budget, "budget")
    task = scope_id(state, command.task)
    known = state.ledger.counters.budgets.get(task, NO_LIMIT)
    return () if budget == known else (c.BudgetSet(budget, task),)


def initial_budget(budget: Budget, task: int) -> Change:
    """Return the change that sets the budget of a new plan or task."""
    return c.BudgetSet(check_budget(budget, "budget"), task)


def charge(state: PlanState, command: Charge, _now: datetime) -> tuple[Change, ...]:
    """Record a cost; a limited one only if the budget covers it."""
    spend = check_spend(command.spend, "spend")
    planning = cap_spend(check_spend(command.planning, "planning"), spend)
    task = scope_id(state, command.task)
    if check_flag(command.limited, "limited"):
        refuse_overrun(state, spend, task)
    return () if spend == NOTHING else (c.Charged(spend, task, planning),)


def refuse_overrun(state: PlanState, needs: Spend, task: int) -> None:
    """Refuse what could exceed the budget of the task or of the plan."""
    budgets = state.ledger.counters.budgets
    for scope in (PLAN, task) if task else (PLAN,):
        budget = budgets.get(scope)
        if budget is not None:
            _refuse_overrun_of(state, budget, needs, scope)


def _refuse_overrun_of(state: PlanState, budget: Budget, needs: Spend, task: int) -> None:
    reserved = reserved_amount(state, task)
    overrun = find_overrun(budget, add_spend(spent_amount(state, task), reserved), needs)
    if overrun is not None:
        raise OutOfBudget(
            "out_of_task_budget" if task else "out_of_budget",
            what=overrun.what,
            limit=overrun.limit,
            used=overrun.used,
            reserved=getattr(reserved, overrun.what),
            needs=overrun.needs,
            task=task,
        )


def check_spend(value: object, argument: str) -> Spend:
    """Accept amounts that are finite and not negative."""
    if type(value) is not Spend:
        raise wrong_type_error(argument, "Spend", value)
    if value == NOTHING:
        return NOTHING
    given = {
        what: _check_amount(amount, what, argument)
        for what in AMOUNTS
        if type(amount := getattr(value, what)) is not int or amount
    }
    return replace(value, **given)


def check_budget(value: object, argument: str) -> Budget:
    """Accept limits that are finite and not negative."""
    if type(value) is not Budget:
        raise wrong_type_error(argument, "Budget", value)
    given = {
        what: _check_amount(limit, what, argument)
        for what in AMOUNTS
        if (limit := getattr(value, what)) is not None
    }
    return replace(value, **given)


def _check_amount(value: object, what: str, argument: str) -> float:
    where = f"{argument}.{what}"
    if what not in _FRACTIONAL:
        return check_number(value, where, 0, LARGEST_ID)
    if type(value) is not int and type(value) is not float:
        raise wrong_type_error(where, "number", value)
    if not 0 <= value <= _LARGEST:  # NaN fails this too
        raise InvalidArgument("bad_amount", argument=where, limit=_LARGEST)
    return round_amount(float(value))
