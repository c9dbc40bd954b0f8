"""Amounts and costs."""

import pytest

from outlast import Plan, create_plan
from outlast.cli.commands.tasks.task import parse_limits
from outlast.console.render.overview import cost_lines, doubled_limits, full_cost_lines
from outlast.model.budget import Budget, Spend
from outlast.model.commands import BeginAttempt, Charge
from outlast.model.execute import return_commit


def test_u8_a_doubled_budget_can_be_typed() -> None:
    budget = Budget(model_calls=9, tokens=1_500, money=0.125, time=1_000)
    assert doubled_limits(budget) == "model_calls=18,tokens=3k,money=0.25,time=2000"
    assert parse_limits(doubled_limits(budget)) == Budget(18, 3_000, 0.25, 2_000)
    assert doubled_limits(Budget()) == ""


@pytest.fixture
def plan() -> Plan:
    made = create_plan("memory:", "Ship it", "ship")
    made.add("a")
    return made


def test_x4_replans_are_shown_with_what_is_left_of_them(plan: Plan) -> None:
    plan.budget.set(Budget(replans=3))
    plan.core.commit((Charge(Spend(replans=1), 1, planning=Spend(replans=1)),), return_commit)
    shown = plan.core.read(lambda state: full_cost_lines(state, "en"))
    assert shown[:2] == ["Used: 1 replan", "Left: 2 of 3 replans"]
    assert shown[-2:] == ["Of what was used, planning itself: 1 replan", "  1 a: 1 replan"]


def test_x4_reserved_amounts_are_not_shown_as_used(plan: Plan) -> None:
    plan.budget.set(Budget(time=100))
    assert plan.core.read(lambda state: cost_lines(state, "en"))[0].startswith("Left: ")
    begun = BeginAttempt(None, "act", "bash", reserve=Spend(time=40))
    plan.core.commit((Charge(Spend(time=5)), begun), return_commit)
    assert plan.core.read(lambda state: cost_lines(state, "en"))[:3] == [
        "Used: 5.0 s",
        "Reserved for work in progress: 40.0 s",
        "Left: 55.0 s of 1 min 40 s",
    ]
