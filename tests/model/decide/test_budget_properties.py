"""X4, F14: whatever is tried in whatever order, reservations never exceed a limit."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.errors import OutOfBudget
from outlast.model import commands as c
from outlast.model.budget import (
    AMOUNTS,
    Budget,
    Spend,
    add_spend,
    cap_spend,
    find_overrun,
    round_amount,
    subtract_spend,
)
from outlast.model.plan_costs import remaining_budget, reserved_amount, spent_amount, used_amount
from tests.model.timed_plan import TimedPlan

counts = st.integers(0, 60)
# Amounts are kept to nine places, so what is compared has no more.
measures = st.integers(0, 600).map(lambda n: n / 10) | st.floats(0, 60).map(round_amount)
spends = st.builds(Spend, counts, counts, measures, measures, counts, counts)
budgets = st.builds(
    Budget, *(st.none() | amount for amount in (counts, counts, measures, measures, counts, counts))
)
scopes = st.sampled_from([None, 1, 2])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("begin"), scopes, spends),
        st.tuples(st.just("begin"), scopes, spends),
        st.tuples(st.just("end"), st.integers(0, 5), st.none() | spends),
        st.tuples(st.just("charge"), scopes, spends),
        st.tuples(st.just("budget"), scopes, budgets),
        st.tuples(st.just("wait"), st.integers(-5, 30), st.none()),
    ),
    max_size=25,
)


class Spending:
    """A plan with two tasks in progress, and the costs counted a second time beside it."""

    def __init__(self) -> None:
        self.plan = TimedPlan(2)
        self.plan.do(c.Start("ann", 1), c.Start("bob", 2))
        self.spent: dict[int, list[Spend]] = {0: [], 1: [], 2: []}

    def begin(self, task: int | None, reserve: Spend) -> None:
        """Try to begin an attempt; it is refused if and only if a limit would be passed."""
        state = self.plan.state
        scopes = (0,) if task is None else (0, task)
        fits = all(
            find_overrun(
                state.ledger.counters.budgets.get(one, Budget()), used_amount(state, one), reserve
            )
            is None
            for one in scopes
        )
        try:
            self.plan.do(c.BeginAttempt(task, "act", "x", reserve=reserve))
        except OutOfBudget as error:
            assert not fits
            self.explained(error.details)
        else:
            assert fits
            for one in scopes:
                self.within_limits(one, reserve)

    def within_limits(self, task: int, reserve: Spend) -> None:
        state = self.plan.state
        budget, now = state.ledger.counters.budgets.get(task, Budget()), used_amount(state, task)
        for what in AMOUNTS:
            limit = getattr(budget, what)
            assert limit is None or not getattr(reserve, what) or getattr(now, what) <= limit

    def explained(self, details: dict[str, Any]) -> None:
        state, what, task = self.plan.state, details["what"], details["task"]
        assert details["limit"] == getattr(state.ledger.counters.budgets[task], what)
        assert details["used"] == getattr(used_amount(state, task), what)
        assert details["reserved"] == getattr(reserved_amount(state, task), what)
        assert round(details["used"] + details["needs"], 9) > details["limit"]

    def end(self, number: int, cost: Spend | None) -> None:
        """End an attempt as a runner does, or as whoever settles it after a crash."""
        attempts = [*self.plan.state.ledger.attempts.values()]
        if not attempts:
            return
        attempt = attempts[number % len(attempts)]
        self.plan.do(c.EndAttempt(attempt.id, "lost" if cost is None else "done", spent=cost))
        passed, worst = (self.plan.now - attempt.at).total_seconds(), attempt.reserve
        if passed >= 0:  # else the clock was set back
            worst = replace(worst, time=min(worst.time, passed))
        self.count(attempt.task, worst if cost is None else cost)

    def count(self, task: int, cost: Spend) -> None:
        for one in {0, task}:
            self.spent[one].append(cost)

    def compare(self) -> None:
        """Each scope has cost what was counted, to a millionth."""
        for task, costs in self.spent.items():
            found = spent_amount(self.plan.state, task)
            for what in AMOUNTS:
                wanted = sum(getattr(cost, what) for cost in costs)
                assert abs(getattr(found, what) - wanted) < 1e-6
            rest = remaining_budget(self.plan.state, task)
            assert all((getattr(rest, what) or 0) >= 0 for what in AMOUNTS)


@settings(max_examples=150, deadline=None)
@given(steps)
def test_f14_nothing_is_set_aside_beyond_a_limit(script: list[tuple[str, Any, Any]]) -> None:
    spending = Spending()
    for kind, what, amount in script:
        if kind == "begin":
            spending.begin(what, amount)
        elif kind == "end":
            spending.end(what, amount)
        elif kind == "charge":
            spending.plan.do(c.Charge(amount, what))
            spending.count(what or 0, amount)
        elif kind == "budget":
            spending.plan.do(c.SetBudget(amount, what))
        else:
            spending.plan.wait(what)
        spending.compare()


@settings(max_examples=100, deadline=None)
@given(budgets, st.lists(spends, max_size=8))
def test_x4_a_budget_that_is_not_touched_is_never_passed_by_what_it_let_through(
    budget: Budget, wanted: list[Spend]
) -> None:
    plan = TimedPlan(0)
    plan.do(c.SetBudget(budget))
    for reserve in wanted:
        try:
            began = plan.do(c.BeginAttempt(None, "act", "x", reserve=reserve)).changes[-1]
        except OutOfBudget:
            continue
        plan.wait(100)
        if reserve.model_calls % 2:
            plan.do(c.EndAttempt(getattr(began, "id", ""), "done"))
        now = used_amount(plan.state)
        for what in AMOUNTS:
            limit = getattr(budget, what)
            assert limit is None or getattr(now, what) <= limit
            assert limit is None or getattr(remaining_budget(plan.state), what) <= limit


@given(budgets, spends, spends)
def test_x4_what_is_left_is_what_may_still_be_used(
    budget: Budget, used_up: Spend, needs: Spend
) -> None:
    rest = subtract_spend(budget, used_up)
    for what in AMOUNTS:
        need, left_over = getattr(needs, what), getattr(rest, what)
        passed = find_overrun(
            Budget(**{what: getattr(budget, what)}), used_up, Spend(**{what: need})
        )
        if left_over is None or need == 0:
            assert passed is None
        elif abs(need - left_over) > 1e-6:
            assert (passed is not None) == (need > left_over)


@given(spends, spends)
def test_x4_amounts_add_up_in_any_order_and_parts_stay_parts(one: Spend, other: Spend) -> None:
    both = add_spend(one, other)
    assert both == add_spend(other, one)
    assert cap_spend(one, other) == cap_spend(other, one)
    for what in AMOUNTS:
        assert getattr(cap_spend(one, other), what) <= getattr(one, what) + 1e-9
        assert getattr(both, what) + 1e-9 >= max(getattr(one, what), getattr(other, what))
