"""X4: what work may cost is set aside before it begins, and nothing begins beyond that."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from outlast.domain import commands as c
from outlast.domain import loop_commands as loop
from outlast.domain.budget import MOST, Budget, Spend, exceeds, left, plus, total, within
from outlast.domain.costs import forecast, is_worked_on, remaining, reserved, spent, used
from tests.domain.acting import Acting


def think(tokens: int = 0, task: int | None = None, **more: Any) -> c.BeginAttempt:
    return c.BeginAttempt(task, "think", "think", reserve=Spend(tokens=tokens, **more))


def test_x4_what_could_pass_the_limit_is_refused_with_all_its_numbers() -> None:
    acting = Acting()
    acting.do(loop.SetBudget(Budget(tokens=100)))
    acting.do(think(60))
    assert acting.refused("OUT_OF_BUDGET", think(41)) == {
        "text": "out_of_budget",
        "what": "tokens",
        "limit": 100,
        "used": 60,
        "reserved": 60,
        "needs": 41,
        "task": 0,
    }
    acting.do(think(40))
    assert remaining(acting.state) == Budget(tokens=0)


def test_x4_a_task_has_a_budget_of_its_own_within_that_of_the_plan() -> None:
    acting = Acting()
    acting.do(loop.SetBudget(Budget(tokens=100)), loop.SetBudget(Budget(tokens=30), 1))
    acting.do(c.Start("ann", 1), think(20, 1))
    refusal = acting.refused("OUT_OF_BUDGET", think(20, 1))
    assert (refusal["text"], refusal["task"], refusal["limit"]) == ("out_of_task_budget", 1, 30)
    acting.do(think(80))
    assert acting.refused("OUT_OF_BUDGET", think(5, 1))["text"] == "out_of_budget"
    assert (used(acting.state, 1), used(acting.state)) == (Spend(tokens=20), Spend(tokens=100))


def test_x4_what_was_set_aside_is_free_again_but_for_what_was_spent() -> None:
    acting = Acting()
    acting.do(loop.SetBudget(Budget(tokens=100)))
    acting.do(c.Start("ann", 1), think(90, 1))
    acting.do(c.EndAttempt("1#1", "done", spent=Spend(tokens=25), planning=Spend(tokens=40)))
    assert spent(acting.state) == spent(acting.state, 1) == Spend(tokens=25)
    assert reserved(acting.state) == Spend()
    assert acting.state.ledger.books.planning == Spend(tokens=25), "a part is not more than all"
    acting.do(think(75))


def test_x4_counting_a_cost_does_not_copy_those_of_all_other_tasks() -> None:
    acting = Acting()
    acting.do(loop.Charge(Spend(tokens=1), 1))
    known = acting.state.ledger.books.spent
    acting.do(loop.Charge(Spend(tokens=2), 2))
    assert acting.state.ledger.books.spent is known
    assert known == {0: Spend(tokens=3), 1: Spend(tokens=1), 2: Spend(tokens=2)}


def test_x4_what_a_refused_commit_would_have_cost_is_not_counted() -> None:
    acting = Acting()
    acting.do(loop.Charge(Spend(tokens=1), 1))
    acting.do(think(10, None))
    ended = c.EndAttempt("0#1", "done", spent=Spend(tokens=7), planning=Spend(tokens=2))
    acting.refused("TASK_NOT_FOUND", loop.Charge(Spend(tokens=5), 1), ended, c.Start("ann", 99))
    assert acting.state.ledger.books.spent == {0: Spend(tokens=1), 1: Spend(tokens=1)}
    assert acting.state.ledger.books.planning == Spend()


def test_x4_where_nobody_knows_the_cost_all_that_was_set_aside_counts() -> None:
    acting = Acting()
    acting.do(think(90, seconds=60.0), think(1, seconds=5.0), think(1, seconds=5.0))
    acting.wait(20)
    acting.do(c.EndAttempt("0#1", "lost", "person"))
    acting.do(c.EndAttempt("0#2", "lost", "person"))
    assert spent(acting.state) == Spend(tokens=91, time=25.0)
    acting.wait(-100)
    acting.do(c.EndAttempt("0#3", "lost", "person"))
    assert spent(acting.state) == Spend(tokens=92, time=30.0), "a clock that went back"


def test_x4_a_budget_is_raised_lowered_and_taken_away() -> None:
    acting = Acting()
    acting.do(loop.SetBudget(Budget(tokens=10, tool_calls=1)))
    acting.refused("OUT_OF_BUDGET", think(11))
    acting.do(loop.SetBudget(Budget(tokens=20, tool_calls=1)))
    acting.do(think(15))
    acting.do(loop.SetBudget(Budget(tokens=5)))
    assert remaining(acting.state) == Budget(tokens=0)
    acting.refused("OUT_OF_BUDGET", think(1))
    acting.do(think(0, calls=1)), "what needs none of it may go on"
    acting.do(loop.SetBudget(Budget()))
    assert acting.state.ledger.books.budgets == {}
    assert remaining(acting.state) == Budget()
    assert acting.do(loop.SetBudget(Budget())).changes == ()


def test_x4_every_amount_can_be_limited() -> None:
    for what in Spend.__struct_fields__:
        acting = Acting()
        acting.do(loop.SetBudget(Budget(**{what: 2})))
        acting.do(c.BeginAttempt(None, "x", "x", reserve=Spend(**{what: 2})))
        again = c.BeginAttempt(None, "x", "x", reserve=Spend(**{what: 1}))
        assert acting.refused("OUT_OF_BUDGET", again)["what"] == what


def test_x4_cents_add_up_to_a_dollar() -> None:
    acting = Acting()
    acting.do(loop.SetBudget(Budget(money=0.3, time=0.3)))
    for number in (1, 2, 3):
        acting.do(c.BeginAttempt(None, "x", "x", reserve=Spend(money=0.1, time=0.1)))
        acting.wait(1)
        acting.do(c.EndAttempt(f"0#{number}", "done"))
    assert spent(acting.state) == Spend(money=0.3, time=0.3)
    acting.refused("OUT_OF_BUDGET", c.BeginAttempt(None, "x", "x", reserve=Spend(money=1e-9)))


@pytest.mark.parametrize("amount", [nan, inf, -inf, -0.01, 1e13, "1", True, None])
@pytest.mark.parametrize("what", ["money", "seconds"])
def test_x4_what_is_no_amount_is_refused(what: str, amount: Any) -> None:
    acting = Acting()
    wrong = Spend(**{what: amount})
    commands: tuple[c.Command, ...] = (
        loop.Charge(wrong),
        loop.Charge(Spend(), planning=wrong),
        c.BeginAttempt(None, "x", "x", reserve=wrong),
        *([] if amount is None else [loop.SetBudget(Budget(**{what: amount}))]),
    )
    for command in commands:
        assert str(acting.refused("INVALID_ARGUMENT", command)["argument"]).endswith(what)
    acting.do(think(1))
    acting.refused("INVALID_ARGUMENT", c.EndAttempt("0#1", "done", spent=wrong))
    acting.refused("INVALID_ARGUMENT", c.EndAttempt("0#1", "done", planning=wrong))


def test_x4_a_charge_counts_also_beyond_the_budget() -> None:
    acting = Acting()
    acting.do(loop.SetBudget(Budget(tokens=10)), loop.Charge(Spend(tokens=30), 2))
    assert (spent(acting.state), spent(acting.state, 2)) == (Spend(tokens=30),) * 2
    assert acting.do(loop.Charge(Spend())).changes == ()
    acting.do(loop.Charge(Spend(tokens=9), planning=Spend(tokens=4, tool_calls=1)))
    assert acting.state.ledger.books.planning == Spend(tokens=4), "a part is not more than all"
    acting.refused("TASK_NOT_FOUND", loop.Charge(Spend(tokens=1), 9))


def test_x4_what_is_added_may_cost_something_and_is_refused_where_that_is_not_left() -> None:
    acting, one = Acting(), Spend(replans=1)
    acting.do(loop.SetBudget(Budget(replans=2)), loop.SetBudget(Budget(replans=1), 1))
    acting.do(c.AddTasks((c.NewTask("early"),), cost=loop.Charge(one)))
    assert spent(acting.state).replans == 0, "nobody has worked on them yet"
    acting.do(c.Start("ann", 1))
    assert not is_worked_on(acting.state)
    acting.do(c.Fail(1, "ann", "no"))
    assert is_worked_on(acting.state), "it was tried"
    for number, task in enumerate((None, 1)):
        new = c.AddTasks((c.NewTask(f"new {number}"),), once=True, cost=loop.Charge(one, task))
        acting.do(new)
        assert acting.do(new).changes == (), "what adds nothing costs nothing"
    assert (spent(acting.state).replans, spent(acting.state, 1).replans) == (2, 1)
    before = len(acting.state.tasks)
    for task, scope in ((None, 0), (1, 0)):
        more = c.AddTasks((c.NewTask("more"),), cost=loop.Charge(one, task))
        assert acting.refused("OUT_OF_BUDGET", more)["task"] == scope
    acting.do(loop.SetBudget(Budget()))
    more = c.AddTasks((c.NewTask("more"),), cost=loop.Charge(one, 1))
    assert acting.refused("OUT_OF_BUDGET", more)["task"] == 1
    wrong: Any = one
    acting.refused("INVALID_ARGUMENT", c.AddTasks((c.NewTask("more"),), cost=wrong))
    assert len(acting.state.tasks) == before


def test_x4_costs_are_facts_that_a_reset_keeps_and_the_next_plan_does_not_have() -> None:
    acting = Acting()
    acting.do(loop.SetBudget(Budget(tokens=100)), loop.Charge(Spend(tokens=30), 2))
    acting.do(c.Start("ann", 1))
    acting.do(c.Reset())
    assert spent(acting.state, 2) == Spend(tokens=30)
    acting.do(c.Abort())
    acting.do(c.InitializePlan("plan_b", "Next", (c.NewTask("a"),)))
    assert spent(acting.state) == Spend()
    assert acting.state.ledger.books.budgets == {}


def test_x4_the_forecast_is_unknown_below_three_tasks_that_have_cost_something() -> None:
    acting = Acting(7)
    for task, tokens in ((1, 10), (2, 40), (3, 0)):
        acting.do(loop.Charge(Spend(tokens=tokens, money=tokens / 10), task))
        acting.do(c.Complete(task, "ann"))
    acting.do(loop.Charge(Spend(tokens=1), 4))
    assert forecast(acting.state) is None, "one has cost nothing, one is not finished"
    acting.do(loop.Charge(Spend(tokens=15, money=1.5), 5), c.Complete(5, "ann"))
    assert forecast(acting.state) == Spend(tokens=45, money=4.5), "three are open"
    acting.do(loop.Charge(Spend(tokens=20, money=1.5), 6), c.Skip(6))
    assert forecast(acting.state) == Spend(tokens=35, money=3.0)
    acting.do(c.Fail(4, "ann", "no", retry=False))
    assert forecast(acting.state) == Spend(tokens=18, money=1.5), "rounded up"


def test_x4_a_task_that_was_taken_out_is_not_forecast_by() -> None:
    acting = Acting(4)
    for task in (1, 2, 3):
        acting.do(loop.Charge(Spend(tokens=10), task), c.Complete(task, "ann"))
    assert forecast(acting.state) == Spend(tokens=10)
    acting.do(c.RemoveTask(3, amend=True))
    assert forecast(acting.state) is None
    assert spent(acting.state) == Spend(tokens=30)


def test_x4_amounts_are_added_and_compared() -> None:
    one, other = Spend(1, 2, 0.5, 1.5, 3, 4), Spend(1, 1, 0.25, 0.5, 1, 1)
    assert plus(one, other) == Spend(2, 3, 0.75, 2.0, 4, 5)
    assert total([one, Spend(), other]) == plus(other, one)
    assert within(one, other) == other
    assert plus(Spend(tokens=MOST), Spend(tokens=1)) == Spend(tokens=MOST)
    assert left(Budget(5, 1, 0.5, 1.0, None, 9), one) == Budget(4, 0, 0.0, 0.0, None, 5)
    assert exceeds(Budget(tokens=5), Spend(tokens=9), Spend(model_calls=1)) is None


def test_x4_new_tasks_bring_their_budgets_along() -> None:
    acting = Acting()
    first = acting.state.next_id
    limited = c.NewTask("limited", budget=Budget(tokens=30))
    acting.do(c.AddTasks((c.NewTask("free"), limited)))
    assert remaining(acting.state, first) == Budget()
    assert remaining(acting.state, first + 1) == Budget(tokens=30)
    wrong: Any = c.NewTask("wrong", budget=Budget(tokens=-1))
    refusal = acting.refused("INVALID_ARGUMENT", c.AddTasks((limited, wrong)))
    assert refusal["argument"] == "tasks[1].budget.tokens"
