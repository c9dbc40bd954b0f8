"""X4: budgets are set aside before each call, hold, can be raised, and are forecast."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from outlast import Budget, Plan
from outlast.config.settings import Limits, Settings
from outlast.domain.budget import Spend
from outlast.domain.commands import BeginAttempt
from outlast.domain.costs import reserved, used
from outlast.domain.enact import receipt
from outlast.errors import ModelFailed
from outlast.ports import events as v
from outlast.ports.model import Call, Message, Price, Reply, ToolSpec, Usage
from outlast.testing import FixedClock
from tests.adapters.faults import Killed
from tests.application.loops.poking import POKE, Poke, ends
from tests.application.loops.scene import GOAL, LEASE, memory_plan, play

SETTINGS = Settings(limits=Limits(max_tokens=1_000))


class Spender:
    """A model that says what a test wants and costs what a test wants."""

    name = "spender"
    price: Price | None = Price(1_000.0, 10_000.0)

    def __init__(
        self,
        replies: Sequence[Reply | Exception],
        look: Callable[[int | None], object] = lambda _: None,
    ) -> None:
        self._replies, self._look = list(replies), look

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        del messages, tools, on_text
        self._look(max_tokens)
        reply = self._replies.pop(0) if self._replies else Reply("Well.", usage=Usage(10, 10))
        if isinstance(reply, Exception):
            raise reply
        return reply


def poking(tokens: int = 100) -> Reply:
    return Reply("", (POKE,), Usage(tokens // 2, tokens - tokens // 2))


def test_x4_what_a_call_can_cost_is_set_aside_before_it_is_made() -> None:
    plan, seen = memory_plan(), list[tuple[int | None, Spend]]()

    def look(max_tokens: int | None) -> None:
        seen.append((max_tokens, plan.read(reserved)))

    budget = Budget(tokens=20_000, money=100.0, time=500.0)
    model = Spender([poking()], look)
    asyncio.run(play(plan, model, (Poke(),), budget=budget, settings=SETTINGS))
    (most, aside), (_, later) = seen
    assert most == 1_000
    assert aside.model_calls == 1
    asked = aside.tokens - 1_000
    assert asked > 1_000, "the bytes of the request"
    assert aside.money == pytest.approx((asked * 1_000 + 1_000 * 10_000) / 1_000_000)
    assert aside.time == 300.0
    assert later.tokens - 1_000 < asked, "what was counted once is known"
    assert plan.read(reserved) == Spend()
    assert plan.spent().tokens == 120
    assert plan.spent().money == pytest.approx((60 * 1_000 + 60 * 10_000) / 1_000_000)


def test_x4_an_answer_is_cut_to_what_is_left() -> None:
    plan, seen = memory_plan(), list[int | None]()
    model = Spender([poking(5_000), poking(), poking()], seen.append)
    stopped = asyncio.run(
        play(plan, model, (Poke(),), budget=Budget(tokens=12_000), settings=SETTINGS)
    )
    assert seen[0] == 1_000
    assert stopped.why in ("answered", "budget")
    assert plan.spent().tokens <= 12_000


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        (Budget(model_calls=2), "steps"),
        (Budget(tokens=12_000), "tokens"),
        (Budget(tool_calls=1), "calls"),
        (Budget(money=40.0), "money"),
    ],
)
def test_x4_a_budget_stops_the_loop_and_raising_it_lets_it_go_on(budget: Budget, what: str) -> None:
    plan, events = memory_plan(), list[Any]()
    replies = [poking(1_800) for _ in range(12)]
    tools = (Poke(),)
    options: Any = {"settings": SETTINGS}
    stopped = asyncio.run(
        play(plan, Spender(replies), tools, events.append, budget=budget, **options)
    )
    assert (stopped.status, stopped.why) == ("paused", "budget")
    assert what in stopped.text
    assert plan.read(lambda state: state.ledger.books.paused_for) == "budget"
    spent, limit = getattr(plan.spent(), what), getattr(budget, what)
    assert 0 < spent <= limit
    assert any(isinstance(event, v.Spent) and event.budget == budget for event in events)
    again = asyncio.run(play(plan, Spender(replies), tools, **options))
    assert again.why == "budget", "a budget is not forgotten"
    plan.set_budget(Budget(**{what: limit * 100}))
    done = asyncio.run(play(plan, Spender([]), tools, **options))
    assert (done.status, done.text) == ("idle", "Well.")


def test_x4_an_agent_may_be_given_a_larger_budget_for_the_rest() -> None:
    plan = memory_plan()
    plan.set_budget(Budget(tool_calls=7))
    asyncio.run(play(plan, Spender([poking()] * 3), (Poke(),), budget=Budget(model_calls=1)))
    assert plan.budget() == Budget(model_calls=1, tool_calls=7)
    done = asyncio.run(play(plan, Spender([]), (Poke(),), budget=Budget(model_calls=9)))
    assert (done.why, plan.budget()) == ("answered", Budget(model_calls=9, tool_calls=7))


def test_x4_a_task_may_have_a_budget_of_its_own() -> None:
    plan = memory_plan().acting_as("agent")
    plan.add("One")
    plan.start()
    plan.set_budget(Budget(tool_calls=1), 1)
    stopped = asyncio.run(play(plan, Spender([poking()] * 4), (Poke(),)))
    assert (stopped.why, plan.spent(1).tool_calls) == ("budget", 1)
    assert "task 1" in stopped.text
    plan.set_budget(Budget(tool_calls=3), 1)
    assert asyncio.run(play(plan, Spender([poking()] * 9), (Poke(),))).why == "budget"
    assert (plan.spent(1).tool_calls, plan.spent().tool_calls) == (3, 3)


def test_x4_four_fifths_are_said_once() -> None:
    plan, events = memory_plan(), list[Any]()
    budget = Budget(model_calls=5)
    asyncio.run(play(plan, Spender([poking()] * 9), (Poke(),), events.append, budget=budget))
    said = [one for one in events if isinstance(one, v.Notified) and one.kind == "budget"]
    assert [one.text for one in said] == ["80 % of the budget is used"]


def test_x4_what_nobody_counted_is_charged_in_full() -> None:
    plan, seen = memory_plan(), list[Spend]()
    model = Spender([Reply("Well.")], lambda _: seen.append(plan.read(reserved)))
    asyncio.run(play(plan, model, budget=Budget(tokens=20_000), settings=SETTINGS))
    assert plan.spent().tokens == seen[0].tokens > 1_000


@pytest.mark.parametrize(
    "usage", [Usage(-5, 1), Usage(2**60, 1), Usage(5, 5, money=-1.0), Usage(5, 5, money=1e300)]
)
def test_f14_a_usage_that_cannot_be_true_counts_as_none(usage: Usage) -> None:
    plan = memory_plan()
    budget = Budget(tokens=20_000)
    asyncio.run(play(plan, Spender([Reply("Hm", (), usage)]), budget=budget, settings=SETTINGS))
    assert 1_000 < plan.spent().tokens <= 20_000, "all that was set aside"
    assert not plan.read(lambda state: state.ledger.attempts)


def test_x4_what_a_provider_refuses_costs_no_tokens() -> None:
    plan = memory_plan()
    model = Spender([ModelFailed("script_exhausted", turns=0)])
    asyncio.run(play(plan, model, budget=Budget(tokens=20_000), settings=SETTINGS))
    assert (plan.spent().model_calls, plan.spent().tokens) == (1, 0)


def test_x4_what_was_set_aside_as_the_process_died_is_charged_in_full() -> None:
    clock = FixedClock()
    plan, aside = memory_plan(clock), list[Spend]()

    def die(_most: int | None) -> None:
        aside.append(plan.read(reserved))
        raise Killed

    budget = Budget(tokens=20_000, time=900.0)
    with pytest.raises(Killed):
        asyncio.run(play(plan, Spender([], die), budget=budget, settings=SETTINGS))
    assert plan.read(used).tokens == aside[0].tokens
    clock.advance(LEASE)
    asyncio.run(play(plan, Spender([]), budget=budget, settings=SETTINGS))
    assert plan.spent().tokens == aside[0].tokens + 20
    assert plan.spent().time == LEASE, "no more than has passed since"
    assert ends(plan)[0].outcome == "lost"


def test_x4_a_limit_in_dollars_stops_a_model_whose_price_nobody_knows() -> None:
    plan, asked = memory_plan(), list[int | None]()
    plan.set_budget(Budget(money=1.0))
    model = Spender([poking()], asked.append)
    model.price = None
    stopped = asyncio.run(play(plan, model, (Poke(),)))
    assert stopped.why == "model_failed"
    assert "nobody knows what spender costs" in stopped.text
    assert asked == []
    plan.set_budget(Budget(tokens=100_000))
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
    assert plan.forecast() is None
    asyncio.run(play(plan, Spender(replies, complete), max_iterations=3))
    forecast = plan.forecast()
    assert forecast is not None
    assert (forecast.model_calls, forecast.tokens, forecast.tool_calls) == (2, 200, 2)
    assert plan.planning_cost().tool_calls == 3
    assert plan.planning_cost().tokens > 0


def test_x4_an_attempt_of_another_holds_back_what_it_may_cost() -> None:
    plan = memory_plan()
    plan.set_budget(Budget(tool_calls=1))
    plan.commit((BeginAttempt(None, "act", "elsewhere", reserve=Spend(tool_calls=1)),), receipt)
    plan.settle("0#1", "lost")
    stopped = asyncio.run(play(plan, Spender([poking()]), (Poke(),)))
    assert (stopped.why, GOAL) == ("budget", plan.goal)
