"""X4: the budget of a plan: limits, costs, reservations, forecast."""

from __future__ import annotations

import pytest

from outlast import OutlastError
from outlast.errors import OutOfBudget
from outlast.language import explain
from outlast.model.budget import Budget, Spend
from outlast.model.commands import BeginAttempt, EndAttempt
from outlast.model.execute import return_commit
from tests.making import make_plan


def test_x4_a_plan_and_its_tasks_have_budgets_and_costs() -> None:
    plan = make_plan("a", "b")
    assert (plan.budget.limits(), plan.budget.remaining(), plan.budget.cost()) == (
        Budget(),
        Budget(),
        Spend(),
    )
    plan.budget.set(Budget(tokens=100, money=1.5))
    plan.budget.set(Budget(tokens=50), 1)
    plan.budget.charge(Spend(tokens=10, money=0.25), "step_1")
    assert (plan.budget.limits(), plan.budget.limits(1)) == (
        Budget(tokens=100, money=1.5),
        Budget(tokens=50),
    )
    assert plan.budget.remaining() == Budget(tokens=90, money=1.25)
    assert (plan.budget.remaining(1), plan.budget.remaining(2)) == (Budget(tokens=40), Budget())
    assert plan.budget.cost() == plan.budget.cost(1) == Spend(tokens=10, money=0.25)
    assert plan.budget.cost(2) == Spend()


def test_x4_reservations_reduce_the_remaining_budget_and_planning_cost_is_reported() -> None:
    plan = make_plan("a")
    plan.budget.set(Budget(tokens=100))
    plan.core.commit(
        (BeginAttempt(None, "think", "think", reserve=Spend(tokens=60)),), return_commit
    )
    assert (plan.budget.remaining(), plan.budget.reserved(), plan.budget.cost()) == (
        Budget(tokens=40),
        Spend(tokens=60),
        Spend(),
    )
    ended = EndAttempt("0#1", "done", spent=Spend(tokens=30), planning=Spend(tokens=5))
    plan.core.commit((ended,), return_commit)
    assert (plan.budget.remaining(), plan.budget.reserved(1)) == (Budget(tokens=70), Spend())
    assert plan.budget.planning_cost() == Spend(tokens=5)


def test_x4_the_refusal_says_what_is_needed_in_both_languages() -> None:
    plan = make_plan("a")
    plan.budget.set(Budget(tokens=100))
    with pytest.raises(OutOfBudget) as caught:
        plan.core.commit(
            (BeginAttempt(None, "think", "think", reserve=Spend(tokens=101)),), return_commit
        )
    for message, unit in ((str(caught.value), "tokens"), (explain(caught.value, "zh"), "token")):
        assert unit in message
        assert "100" in message
        assert "101" in message
    plan.budget.set(Budget(tokens=200))
    plan.core.commit(
        (BeginAttempt(None, "think", "think", reserve=Spend(tokens=101)),), return_commit
    )


def test_x4_the_forecast_is_unknown_then_known() -> None:
    plan = make_plan("a", "b", "c", "d", "e")
    for task in (1, 2, 3):
        assert plan.budget.forecast() is None
        plan.budget.charge(Spend(tokens=10 * task), task)
        plan.complete(task)
    assert plan.budget.forecast() == Spend(tokens=40)


def test_x4_a_missing_task_is_reported() -> None:
    plan = make_plan()
    for ask in (plan.budget.limits, plan.budget.remaining, plan.budget.cost, plan.budget.reserved):
        with pytest.raises(OutlastError) as caught:
            ask(9)
        assert caught.value.code == "TASK_NOT_FOUND"
        assert str(caught.value)
