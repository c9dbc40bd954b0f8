"""X4, F14: whatever is tried in whatever order, nothing is set aside beyond a limit."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.domain import commands as c
from outlast.domain import loop_commands as loop
from outlast.domain.budget import AMOUNTS, Budget, Spend, exceeds, left, plus, rounded, within
from outlast.domain.costs import remaining, reserved, spent, used
from outlast.errors import OutOfBudget
from tests.domain.acting import Acting

counts = st.integers(0, 60)
# Amounts are kept to nine places, so what is compared has no more.
measures = st.integers(0, 600).map(lambda n: n / 10) | st.floats(0, 60).map(rounded)
spends = st.builds(Spend, counts, counts, measures, measures, counts, counts)
budgets = st.builds(
    Budget,
    *(st.none() | amount for amount in (counts, counts, measures, measures, counts, counts)),
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
        self.acting = Acting(2)
        self.acting.do(c.Start("ann", 1), c.Start("bob", 2))
        self.spent: dict[int, list[Spend]] = {0: [], 1: [], 2: []}

    def begin(self, task: int | None, reserve: Spend) -> None:
        """Try to begin an attempt; it is refused if and only if a limit would be passed."""
        state = self.acting.state
        scopes = (0,) if task is None else (0, task)
        fits = all(
            exceeds(state.ledger.books.budgets.get(one, Budget()), used(state, one), reserve)
            is None
            for one in scopes
        )
        try:
            self.acting.do(c.BeginAttempt(task, "act", "x", reserve=reserve))
        except OutOfBudget as error:
            assert not fits
            self.explained(error.details)
        else:
            assert fits
            for one in scopes:
                self.within_limits(one, reserve)

    def within_limits(self, task: int, reserve: Spend) -> None:
        state = self.acting.state
        budget, now = state.ledger.books.budgets.get(task, Budget()), used(state, task)
        for what in AMOUNTS:
            limit = getattr(budget, what)
            assert limit is None or not getattr(reserve, what) or getattr(now, what) <= limit

    def explained(self, details: dict[str, Any]) -> None:
        state, what, task = self.acting.state, details["what"], details["task"]
        assert details["limit"] == getattr(state.ledger.books.budgets[task], what)
        assert details["used"] == getattr(used(state, task), what)
        assert details["reserved"] == getattr(reserved(state, task), what)
        assert round(details["used"] + details["needs"], 9) > details["limit"]

    def end(self, number: int, cost: Spend | None) -> None:
        """End an attempt as a runner does, or as whoever settles it after a crash."""
        attempts = [*self.acting.state.ledger.attempts.values()]
        if not attempts:
            return
        attempt = attempts[number % len(attempts)]
        self.acting.do(c.EndAttempt(attempt.id, "lost" if cost is None else "done", spent=cost))
        passed, worst = (self.acting.now - attempt.at).total_seconds(), attempt.reserve
        if passed >= 0:  # else the clock was set back
            worst = replace(worst, seconds=min(worst.time, passed))
        self.count(attempt.task, worst if cost is None else cost)

    def count(self, task: int, cost: Spend) -> None:
        for one in {0, task}:
            self.spent[one].append(cost)

    def compare(self) -> None:
        """Each scope has cost what was counted, to a millionth."""
        for task, costs in self.spent.items():
            found = spent(self.acting.state, task)
            for what in AMOUNTS:
                wanted = sum(getattr(cost, what) for cost in costs)
                assert abs(getattr(found, what) - wanted) < 1e-6
            rest = remaining(self.acting.state, task)
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
            spending.acting.do(loop.Charge(amount, what))
            spending.count(what or 0, amount)
        elif kind == "budget":
            spending.acting.do(loop.SetBudget(amount, what))
        else:
            spending.acting.wait(what)
        spending.compare()


@settings(max_examples=100, deadline=None)
@given(budgets, st.lists(spends, max_size=8))
def test_x4_a_budget_that_is_not_touched_is_never_passed_by_what_it_let_through(
    budget: Budget, wanted: list[Spend]
) -> None:
    acting = Acting(0)
    acting.do(loop.SetBudget(budget))
    for reserve in wanted:
        try:
            began = acting.do(c.BeginAttempt(None, "act", "x", reserve=reserve)).changes[-1]
        except OutOfBudget:
            continue
        acting.wait(100)
        if reserve.model_calls % 2:
            acting.do(c.EndAttempt(getattr(began, "id", ""), "done"))
        now = used(acting.state)
        for what in AMOUNTS:
            limit = getattr(budget, what)
            assert limit is None or getattr(now, what) <= limit
            assert limit is None or getattr(remaining(acting.state), what) <= limit


@given(budgets, spends, spends)
def test_x4_what_is_left_is_what_may_still_be_used(
    budget: Budget, used_up: Spend, needs: Spend
) -> None:
    rest = left(budget, used_up)
    for what in AMOUNTS:
        need, left_over = getattr(needs, what), getattr(rest, what)
        passed = exceeds(Budget(**{what: getattr(budget, what)}), used_up, Spend(**{what: need}))
        if left_over is None or need == 0:
            assert passed is None
        elif abs(need - left_over) > 1e-6:
            assert (passed is not None) == (need > left_over)


@given(spends, spends)
def test_x4_amounts_add_up_in_any_order_and_parts_stay_parts(one: Spend, other: Spend) -> None:
    both = plus(one, other)
    assert both == plus(other, one)
    assert within(one, other) == within(other, one)
    for what in AMOUNTS:
        assert getattr(within(one, other), what) <= getattr(one, what) + 1e-9
        assert getattr(both, what) + 1e-9 >= max(getattr(one, what), getattr(other, what))
