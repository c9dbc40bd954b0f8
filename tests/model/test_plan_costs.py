"""X4: what a plan and its tasks may still spend."""

import pytest

from outlast import Budget
from outlast.model.budget import Spend, spend_between
from outlast.model.plan_costs import tightest_budget
from tests.making import make_plan


@pytest.mark.parametrize(
    ("whole", "own", "left"),
    [
        (Budget(), Budget(), Budget()),
        (Budget(tokens=100), Budget(), Budget(tokens=100)),
        (Budget(), Budget(tokens=50), Budget(tokens=50)),
        (Budget(tokens=100, money=2.0), Budget(tokens=50), Budget(tokens=50, money=2.0)),
        (Budget(tokens=30), Budget(tokens=50, time=9.0), Budget(tokens=30, time=9.0)),
    ],
)
def test_x4_the_lower_limit_of_plan_and_task_counts(
    whole: Budget, own: Budget, left: Budget
) -> None:
    plan = make_plan("One", actor="human")
    plan.budget.set(whole)
    plan.budget.set(own, 1)
    assert plan.core.read(lambda state: tightest_budget(state, 1)) == left
    assert plan.core.read(lambda state: tightest_budget(state, 0)) == whole


def test_x4_what_was_spent_between_two_amounts_keeps_its_kinds() -> None:
    before, after = Spend(1, 100, 0.1, 2.0, 1), Spend(3, 250, 0.3, 2.5, 1)
    spent = spend_between(before, after)
    assert spent == Spend(2, 150, 0.2, 0.5)
    assert type(spent.model_calls) is int
    assert spend_between(after, before) == Spend(), "an account that was begun again"
