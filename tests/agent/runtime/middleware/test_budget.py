"""X4: budgets are reserved before each call, enforced, raised and forecast."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from typing import Any

import pytest

from outlast import Budget, Plan
from outlast.agent import events as v
from outlast.config.settings import Limits, Settings
from outlast.context.chat_model import Call, Price, Reply, Usage
from outlast.errors import ModelFailed
from outlast.model.budget import Spend
from outlast.model.commands import BeginAttempt
from outlast.model.execute import return_commit
from outlast.model.plan_costs import reserved_amount, used_amount
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import POKE, Poke, ends
from tests.agent.runtime.scene import GOAL, LEASE, memory_plan, play
from tests.fake_model import FakeModel
from tests.making import settle
from tests.store.faults import Killed

SETTINGS = Settings(limits=Limits(max_tokens=1_000))


WELL = Reply("Well.", usage=Usage(10, 10))


def spender(
    replies: Sequence[Reply | Exception], look: Callable[[int | None], object] = lambda _: None
) -> FakeModel:
    """Return a model that gives these replies at a cost, then "Well." forever."""
    return FakeModel(
        chain(replies, repeat(WELL)),
        name="spender",
        price=Price(1_000.0, 10_000.0),
        on_request=lambda request: look(request.max_tokens),
    )


def poking(tokens: int = 100) -> Reply:
    return Reply("", (POKE,), Usage(tokens // 2, tokens - tokens // 2))


def test_x4_the_maximum_cost_is_reserved_before_a_call() -> None:
    plan, seen = memory_plan(), list[tuple[int | None, Spend]]()

    def look(max_tokens: int | None) -> None:
        seen.append((max_tokens, plan.core.read(reserved_amount)))

    budget = Budget(tokens=20_000, money=100.0, time=500.0)
    model = spender([poking()], look)
    asyncio.run(play(plan, model, (Poke(),), budget=budget, settings=SETTINGS))
    (most, aside), (_, later) = seen
    assert most == 1_000
    assert aside.model_calls == 1
    asked = aside.tokens - 1_000
    assert asked > 1_000, "the bytes of the request"
    assert aside.money == pytest.approx((asked * 1_000 + 1_000 * 10_000) / 1_000_000)
    assert aside.time == 300.0
    assert later.tokens - 1_000 < asked, "what was counted once is known"
    assert plan.core.read(reserved_amount) == Spend()
    assert plan.budget.cost().tokens == 120
    assert plan.budget.cost().money == pytest.approx((60 * 1_000 + 60 * 10_000) / 1_000_000)


def test_x4_an_answer_is_limited_to_the_remaining_budget() -> None:
    plan, seen = memory_plan(), list[int | None]()
    model = spender([poking(5_000), poking(), poking()], seen.append)
    stopped = asyncio.run(
        play(plan, model, (Poke(),), budget=Budget(tokens=12_000), settings=SETTINGS)
    )
    assert seen[0] == 1_000
    assert stopped.why in ("answered", "budget")
    assert plan.budget.cost().tokens <= 12_000


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        (Budget(model_calls=2), "model_calls"),
        (Budget(tokens=12_000), "tokens"),
        (Budget(tool_calls=1), "tool_calls"),
        (Budget(money=40.0), "money"),
    ],
)
def test_x4_a_budget_stops_the_loop_and_raising_it_lets_it_continue(
    budget: Budget, what: str
) -> None:
    plan, events = memory_plan(), list[Any]()
    replies = [poking(1_800) for _ in range(12)]
    tools = (Poke(),)
    options: Any = {"settings": SETTINGS}
    stopped = asyncio.run(
        play(plan, spender(replies), tools, events.append, budget=budget, **options)
    )
    assert (stopped.status, stopped.why) == ("paused", "budget")
    assert what.replace("_", " ") in stopped.text
    assert plan.core.read(lambda state: state.ledger.counters.pause_reason) == "budget"
    spent, limit = getattr(plan.budget.cost(), what), getattr(budget, what)
    assert 0 < spent <= limit
    assert any(isinstance(event, v.Spent) and event.budget == budget for event in events)
    again = asyncio.run(play(plan, spender(replies), tools, **options))
    assert again.why == "budget", "a budget is not forgotten"
    plan.budget.set(Budget(**{what: limit * 100}))
    done = asyncio.run(play(plan, spender([]), tools, **options))
    assert (done.status, done.text) == ("idle", "Well.")


def test_x4_an_agent_may_be_given_a_larger_budget_for_the_rest() -> None:
    plan = memory_plan()
    plan.budget.set(Budget(tool_calls=7))
    asyncio.run(play(plan, spender([poking()] * 3), (Poke(),), budget=Budget(model_calls=1)))
    assert plan.budget.limits() == Budget(model_calls=1, tool_calls=7)
    done = asyncio.run(play(plan, spender([]), (Poke(),), budget=Budget(model_calls=9)))
    assert (done.why, plan.budget.limits()) == ("answered", Budget(model_calls=9, tool_calls=7))


def test_x4_a_task_may_have_a_budget_of_its_own() -> None:
    plan = memory_plan().acting_as("agent")
    plan.add("One")
    plan.start()
    plan.budget.set(Budget(tool_calls=1), 1)
    stopped = asyncio.run(play(plan, spender([poking()] * 4), (Poke(),)))
    assert (stopped.why, plan.budget.cost(1).tool_calls) == ("budget", 1)
    assert "task 1" in stopped.text
    plan.budget.set(Budget(tool_calls=3), 1)
    assert asyncio.run(play(plan, spender([poking()] * 9), (Poke(),))).why == "budget"
    assert (plan.budget.cost(1).tool_calls, plan.budget.cost().tool_calls) == (3, 3)


def test_x4_the_warning_at_four_fifths_is_sent_once() -> None:
    plan, events = memory_plan(), list[Any]()
    budget = Budget(model_calls=5)
    asyncio.run(play(plan, spender([poking()] * 9), (Poke(),), events.append, budget=budget))
    said = [one for one in events if isinstance(one, v.Notified) and one.kind == "budget"]
    assert [one.text for one in said] == ["80% of the budget is used"]


def test_x4_unmeasured_usage_is_charged_in_full() -> None:
    plan, seen = memory_plan(), list[Spend]()
    model = spender([Reply("Well.")], lambda _: seen.append(plan.core.read(reserved_amount)))
    asyncio.run(play(plan, model, budget=Budget(tokens=20_000), settings=SETTINGS))
    assert plan.budget.cost().tokens == seen[0].tokens > 1_000


@pytest.mark.parametrize(
    "usage", [Usage(-5, 1), Usage(2**60, 1), Usage(5, 5, money=-1.0), Usage(5, 5, money=1e300)]
)
def test_f14_a_usage_that_cannot_be_true_counts_as_none(usage: Usage) -> None:
    plan = memory_plan()
    budget = Budget(tokens=20_000)
    asyncio.run(play(plan, spender([Reply("Hm", (), usage)]), budget=budget, settings=SETTINGS))
    assert 1_000 < plan.budget.cost().tokens <= 20_000, "all that was set aside"
    assert not plan.core.read(lambda state: state.ledger.attempts)


def test_x4_a_refused_request_costs_no_tokens() -> None:
    plan = memory_plan()
    model = spender([ModelFailed("script_exhausted", turns=0)])
    asyncio.run(play(plan, model, budget=Budget(tokens=20_000), settings=SETTINGS))
    assert (plan.budget.cost().model_calls, plan.budget.cost().tokens) == (1, 0)


def test_x4_the_reservation_of_a_dead_process_is_charged_in_full() -> None:
    clock = FixedClock()
    plan, aside = memory_plan(clock), list[Spend]()

    def die(_most: int | None) -> None:
        aside.append(plan.core.read(reserved_amount))
        raise Killed

    budget = Budget(tokens=20_000, time=900.0)
    with pytest.raises(Killed):
        asyncio.run(play(plan, spender([], die), budget=budget, settings=SETTINGS))
    assert plan.core.read(used_amount).tokens == aside[0].tokens
    clock.advance(LEASE)
    asyncio.run(play(plan, spender([]), budget=budget, settings=SETTINGS))
    assert plan.budget.cost().tokens == aside[0].tokens + 20
    assert LEASE <= plan.budget.cost().time < 2 * LEASE, "no more than has passed since"
    assert ends(plan)[0].outcome == "lost"


def test_x4_a_limit_in_dollars_stops_a_model_with_unknown_price() -> None:
    plan, asked = memory_plan(), list[int | None]()
    plan.budget.set(Budget(money=1.0))
    model = spender([poking()], asked.append)
    model.price = None
    stopped = asyncio.run(play(plan, model, (Poke(),)))
    assert stopped.why == "model_failed"
    assert "the price of spender is unknown" in stopped.text
    assert asked == []
    plan.budget.set(Budget(tokens=100_000))
    assert asyncio.run(play(plan, model, (Poke(),))).why == "answered"


def test_x4_the_forecast_is_made_from_three_tasks_that_cost_something() -> None:
    plan = memory_plan().acting_as("agent")
    for name in "ABCDE":
        plan.add(name)
    done: list[Plan] = []

    def complete(_most: int | None) -> None:
        done.append(plan)

    calls = [Call("complete_task", {"task": n, "result": "ok"}) for n in range(1, 4)]
    replies = [Reply("", (call,), Usage(50, 50)) for call in calls]
    assert plan.budget.forecast() is None
    asyncio.run(play(plan, spender(replies, complete), max_iterations=3))
    forecast = plan.budget.forecast()
    assert forecast is not None
    assert (forecast.model_calls, forecast.tokens, forecast.tool_calls) == (2, 200, 2)
    assert plan.budget.planning_cost().tool_calls == 3
    assert plan.budget.planning_cost().tokens > 0


def test_x4_an_open_attempt_of_another_actor_reserves_its_cost() -> None:
    plan = memory_plan()
    plan.budget.set(Budget(tool_calls=1))
    plan.core.commit(
        (BeginAttempt(None, "act", "elsewhere", reserve=Spend(tool_calls=1)),), return_commit
    )
    settle(plan, "0#1", "lost")
    stopped = asyncio.run(play(plan, spender([poking()]), (Poke(),)))
    assert (stopped.why, GOAL) == ("budget", plan.goal)
