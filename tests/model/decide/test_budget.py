"""X4: the cost of work is reserved before it begins, and nothing begins beyond the budget."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from outlast.model import commands as c
from outlast.model.budget import (
    LARGEST_AMOUNT,
    Budget,
    Spend,
    add_spend,
    cap_spend,
    find_overrun,
    subtract_spend,
    sum_spend,
)
from outlast.model.plan_costs import (
    forecast,
    has_work_started,
    remaining_budget,
    reserved_amount,
    spent_amount,
    used_amount,
)
from tests.model.timed_plan import TimedPlan


def think(tokens: int = 0, task: int | None = None, **more: Any) -> c.BeginAttempt:
    return c.BeginAttempt(task, "think", "think", reserve=Spend(tokens=tokens, **more))


def test_x4_what_could_pass_the_limit_is_refused_with_all_its_numbers() -> None:
    plan = TimedPlan()
    plan.do(c.SetBudget(Budget(tokens=100)))
    plan.do(think(60))
    assert plan.refused("OUT_OF_BUDGET", think(41)) == {
        "text": "out_of_budget",
        "what": "tokens",
        "limit": 100,
        "used": 60,
        "reserved": 60,
        "needs": 41,
        "task": 0,
    }
    plan.do(think(40))
    assert remaining_budget(plan.state) == Budget(tokens=0)


def test_x4_a_task_has_a_budget_of_its_own_within_that_of_the_plan() -> None:
    plan = TimedPlan()
    plan.do(c.SetBudget(Budget(tokens=100)), c.SetBudget(Budget(tokens=30), 1))
    plan.do(c.Start("ann", 1), think(20, 1))
    refusal = plan.refused("OUT_OF_BUDGET", think(20, 1))
    assert (refusal["text"], refusal["task"], refusal["limit"]) == ("out_of_task_budget", 1, 30)
    plan.do(think(80))
    assert plan.refused("OUT_OF_BUDGET", think(5, 1))["text"] == "out_of_budget"
    assert (used_amount(plan.state, 1), used_amount(plan.state)) == (
        Spend(tokens=20),
        Spend(tokens=100),
    )


def test_x4_what_was_set_aside_is_free_again_but_for_what_was_spent() -> None:
    plan = TimedPlan()
    plan.do(c.SetBudget(Budget(tokens=100)))
    plan.do(c.Start("ann", 1), think(90, 1))
    plan.do(c.EndAttempt("1#1", "done", spent=Spend(tokens=25), planning=Spend(tokens=40)))
    assert spent_amount(plan.state) == spent_amount(plan.state, 1) == Spend(tokens=25)
    assert reserved_amount(plan.state) == Spend()
    assert plan.state.ledger.counters.planning == Spend(tokens=25), "a part is not more than all"
    plan.do(think(75))


def test_x4_counting_a_cost_does_not_copy_those_of_all_other_tasks() -> None:
    plan = TimedPlan()
    plan.do(c.Charge(Spend(tokens=1), 1))
    known = plan.state.ledger.counters.spent
    plan.do(c.Charge(Spend(tokens=2), 2))
    assert plan.state.ledger.counters.spent is known
    assert known == {0: Spend(tokens=3), 1: Spend(tokens=1), 2: Spend(tokens=2)}


def test_x4_what_a_refused_commit_would_have_cost_is_not_counted() -> None:
    plan = TimedPlan()
    plan.do(c.Charge(Spend(tokens=1), 1))
    plan.do(think(10, None))
    ended = c.EndAttempt("0#1", "done", spent=Spend(tokens=7), planning=Spend(tokens=2))
    plan.refused("TASK_NOT_FOUND", c.Charge(Spend(tokens=5), 1), ended, c.Start("ann", 99))
    assert plan.state.ledger.counters.spent == {0: Spend(tokens=1), 1: Spend(tokens=1)}
    assert plan.state.ledger.counters.planning == Spend()


def test_x4_an_unknown_cost_counts_as_the_whole_reservation() -> None:
    plan = TimedPlan()
    plan.do(think(90, time=60.0), think(1, time=5.0), think(1, time=5.0))
    plan.wait(20)
    plan.do(c.EndAttempt("0#1", "lost", "person"))
    plan.do(c.EndAttempt("0#2", "lost", "person"))
    assert spent_amount(plan.state) == Spend(tokens=91, time=25.0)
    plan.wait(-100)
    plan.do(c.EndAttempt("0#3", "lost", "person"))
    assert spent_amount(plan.state) == Spend(tokens=92, time=30.0), "a clock that went back"


def test_x4_a_budget_is_raised_lowered_and_taken_away() -> None:
    plan = TimedPlan()
    plan.do(c.SetBudget(Budget(tokens=10, tool_calls=1)))
    plan.refused("OUT_OF_BUDGET", think(11))
    plan.do(c.SetBudget(Budget(tokens=20, tool_calls=1)))
    plan.do(think(15))
    plan.do(c.SetBudget(Budget(tokens=5)))
    assert remaining_budget(plan.state) == Budget(tokens=0)
    plan.refused("OUT_OF_BUDGET", think(1))
    plan.do(think(0, tool_calls=1)), "what needs none of it may go on"
    plan.do(c.SetBudget(Budget()))
    assert plan.state.ledger.counters.budgets == {}
    assert remaining_budget(plan.state) == Budget()
    assert plan.do(c.SetBudget(Budget())).changes == ()


def test_x4_every_amount_can_be_limited() -> None:
    for what in Spend.__struct_fields__:
        plan = TimedPlan()
        plan.do(c.SetBudget(Budget(**{what: 2})))
        plan.do(c.BeginAttempt(None, "x", "x", reserve=Spend(**{what: 2})))
        again = c.BeginAttempt(None, "x", "x", reserve=Spend(**{what: 1}))
        assert plan.refused("OUT_OF_BUDGET", again)["what"] == what


def test_x4_cents_add_up_to_a_dollar() -> None:
    plan = TimedPlan()
    plan.do(c.SetBudget(Budget(money=0.3, time=0.3)))
    for number in (1, 2, 3):
        plan.do(c.BeginAttempt(None, "x", "x", reserve=Spend(money=0.1, time=0.1)))
        plan.wait(1)
        plan.do(c.EndAttempt(f"0#{number}", "done"))
    assert spent_amount(plan.state) == Spend(money=0.3, time=0.3)
    plan.refused("OUT_OF_BUDGET", c.BeginAttempt(None, "x", "x", reserve=Spend(money=1e-9)))


@pytest.mark.parametrize("amount", [nan, inf, -inf, -0.01, 1e13, "1", True, None])
@pytest.mark.parametrize("what", ["money", "time"])
def test_x4_what_is_no_amount_is_refused(what: str, amount: Any) -> None:
    plan = TimedPlan()
    wrong = Spend(**{what: amount})
    commands: tuple[c.Command, ...] = (
        c.Charge(wrong),
        c.Charge(Spend(), planning=wrong),
        c.BeginAttempt(None, "x", "x", reserve=wrong),
        *([] if amount is None else [c.SetBudget(Budget(**{what: amount}))]),
    )
    for command in commands:
        assert str(plan.refused("INVALID_ARGUMENT", command)["argument"]).endswith(what)
    plan.do(think(1))
    plan.refused("INVALID_ARGUMENT", c.EndAttempt("0#1", "done", spent=wrong))
    plan.refused("INVALID_ARGUMENT", c.EndAttempt("0#1", "done", planning=wrong))


def test_x4_a_charge_counts_also_beyond_the_budget() -> None:
    plan = TimedPlan()
    plan.do(c.SetBudget(Budget(tokens=10)), c.Charge(Spend(tokens=30), 2))
    assert (spent_amount(plan.state), spent_amount(plan.state, 2)) == (Spend(tokens=30),) * 2
    assert plan.do(c.Charge(Spend())).changes == ()
    plan.do(c.Charge(Spend(tokens=9), planning=Spend(tokens=4, tool_calls=1)))
    assert plan.state.ledger.counters.planning == Spend(tokens=4), "a part is not more than all"
    plan.refused("TASK_NOT_FOUND", c.Charge(Spend(tokens=1), 9))


def test_x4_what_is_added_may_cost_something_and_is_refused_where_that_is_not_left() -> None:
    plan, one = TimedPlan(), Spend(replans=1)
    plan.do(c.SetBudget(Budget(replans=2)), c.SetBudget(Budget(replans=1), 1))
    plan.do(c.AddTasks((c.NewTask("early"),), cost=c.Charge(one)))
    assert spent_amount(plan.state).replans == 0, "nobody has worked on them yet"
    plan.do(c.Start("ann", 1))
    assert not has_work_started(plan.state)
    plan.do(c.Fail(1, "ann", "no"))
    assert has_work_started(plan.state), "it was tried"
    for number, task in enumerate((None, 1)):
        new = c.AddTasks((c.NewTask(f"new {number}"),), once=True, cost=c.Charge(one, task))
        plan.do(new)
        assert plan.do(new).changes == (), "what adds nothing costs nothing"
    assert (spent_amount(plan.state).replans, spent_amount(plan.state, 1).replans) == (2, 1)
    before = len(plan.state.tasks)
    for task, scope in ((None, 0), (1, 0)):
        more = c.AddTasks((c.NewTask("more"),), cost=c.Charge(one, task))
        assert plan.refused("OUT_OF_BUDGET", more)["task"] == scope
    plan.do(c.SetBudget(Budget()))
    more = c.AddTasks((c.NewTask("more"),), cost=c.Charge(one, 1))
    assert plan.refused("OUT_OF_BUDGET", more)["task"] == 1
    wrong: Any = one
    plan.refused("INVALID_ARGUMENT", c.AddTasks((c.NewTask("more"),), cost=wrong))
    assert len(plan.state.tasks) == before


def test_x4_costs_are_facts_that_a_reset_keeps_and_the_next_plan_does_not_have() -> None:
    plan = TimedPlan()
    plan.do(c.SetBudget(Budget(tokens=100)), c.Charge(Spend(tokens=30), 2))
    plan.do(c.Start("ann", 1))
    plan.do(c.Reset())
    assert spent_amount(plan.state, 2) == Spend(tokens=30)
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_b", "Next", (c.NewTask("a"),)))
    assert spent_amount(plan.state) == Spend()
    assert plan.state.ledger.counters.budgets == {}


def test_x4_the_forecast_is_unknown_below_three_tasks_that_have_cost_something() -> None:
    plan = TimedPlan(7)
    for task, tokens in ((1, 10), (2, 40), (3, 0)):
        plan.do(c.Charge(Spend(tokens=tokens, money=tokens / 10), task))
        plan.do(c.Complete(task, "ann"))
    plan.do(c.Charge(Spend(tokens=1), 4))
    assert forecast(plan.state) is None, "one has cost nothing, one is not finished"
    plan.do(c.Charge(Spend(tokens=15, money=1.5), 5), c.Complete(5, "ann"))
    assert forecast(plan.state) == Spend(tokens=45, money=4.5), "three are open"
    plan.do(c.Charge(Spend(tokens=20, money=1.5), 6), c.Skip(6))
    assert forecast(plan.state) == Spend(tokens=35, money=3.0)
    plan.do(c.Fail(4, "ann", "no", retry=False))
    assert forecast(plan.state) == Spend(tokens=18, money=1.5), "rounded up"


def test_x4_a_task_that_was_taken_out_is_not_forecast_by() -> None:
    plan = TimedPlan(4)
    for task in (1, 2, 3):
        plan.do(c.Charge(Spend(tokens=10), task), c.Complete(task, "ann"))
    assert forecast(plan.state) == Spend(tokens=10)
    plan.do(c.RemoveTask(3, amend=True))
    assert forecast(plan.state) is None
    assert spent_amount(plan.state) == Spend(tokens=30)


def test_x4_amounts_are_added_and_compared() -> None:
    one, other = Spend(1, 2, 0.5, 1.5, 3, 4), Spend(1, 1, 0.25, 0.5, 1, 1)
    assert add_spend(one, other) == Spend(2, 3, 0.75, 2.0, 4, 5)
    assert sum_spend([one, Spend(), other]) == add_spend(other, one)
    assert cap_spend(one, other) == other
    assert add_spend(Spend(tokens=LARGEST_AMOUNT), Spend(tokens=1)) == Spend(tokens=LARGEST_AMOUNT)
    assert subtract_spend(Budget(5, 1, 0.5, 1.0, None, 9), one) == Budget(4, 0, 0.0, 0.0, None, 5)
    assert find_overrun(Budget(tokens=5), Spend(tokens=9), Spend(model_calls=1)) is None


def test_x4_new_tasks_bring_their_budgets_along() -> None:
    plan = TimedPlan()
    first = plan.state.next_id
    limited = c.NewTask("limited", budget=Budget(tokens=30))
    plan.do(c.AddTasks((c.NewTask("free"), limited)))
    assert remaining_budget(plan.state, first) == Budget()
    assert remaining_budget(plan.state, first + 1) == Budget(tokens=30)
    wrong: Any = c.NewTask("wrong", budget=Budget(tokens=-1))
    refusal = plan.refused("INVALID_ARGUMENT", c.AddTasks((limited, wrong)))
    assert refusal["argument"] == "tasks[1].budget.tokens"
