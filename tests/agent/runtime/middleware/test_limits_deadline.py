"""F13 and X4: calls that take too long are stopped."""

import asyncio

import pytest
from msgspec.structs import replace

from outlast import Budget
from outlast.agent import effects as e
from outlast.agent.effects import Acted, Thought
from outlast.agent.models.scripted import Turn
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.agent.runtime.middleware.limits import limit_time
from outlast.agent.runtime.pipeline import LAYERS
from outlast.config.settings import Limits
from outlast.model.budget import Spend
from tests.agent.runtime.hostile import FakeTime
from tests.agent.runtime.middleware.fakes import THINK, Slow, call, new_lane
from tests.agent.runtime.poke_tool import POKE, Poke
from tests.agent.runtime.scene import GOAL, agent_run, memory_plan
from tests.fake_model import FakeModel


@pytest.mark.parametrize(
    ("effect", "seconds", "failed"),
    [
        (THINK, 9, ""),
        (THINK, 11, "The model took longer than 10 s"),
        (replace(THINK, reserve=Spend(time=10)), 11, "The model took longer than 10 s"),
        (e.Act(POKE), 21, "The tool took longer than 20 s"),
    ],
)
def test_f13_calls_that_take_too_long_are_stopped(
    effect: e.Think | e.Act, seconds: float, failed: str
) -> None:
    time, limits = FakeTime(), Limits(model_seconds=10, tool_seconds=20)
    lane = new_lane(limits=limits, timeout=time.timeout)
    outcome = call(limit_time, effect, lane, Slow(time, seconds))
    assert outcome.error.startswith(failed)
    assert outcome.code == ("TIMED_OUT" if failed else "")


@pytest.mark.parametrize("effect", [THINK, e.Act(POKE)])
def test_x4_calls_without_time_in_the_budget_are_stopped(effect: e.Think | e.Act) -> None:
    time, limits = FakeTime(), Limits(model_seconds=10, tool_seconds=20)
    lane = new_lane(limits=limits, timeout=time.timeout)
    outcome = call(limit_time, replace(effect, reserve=Spend(time=3)), lane, Slow(time, 4))
    assert isinstance(outcome, Thought | Acted)
    assert outcome.code == "OUT_OF_BUDGET"
    assert outcome.error.startswith("The remaining 3 s of the budget are used up")


def test_f13_only_attempts_have_a_time_limit() -> None:
    limited = [kinds for middleware, kinds in LAYERS if middleware is limit_time]
    assert limited == [e.Attempted]


def test_x4_a_call_is_stopped_when_the_time_budget_is_used_up() -> None:
    time = FakeTime()
    plan = memory_plan(time)

    model = FakeModel(turns=[Turn(calls=(POKE,))], on_request=lambda _: time.sleep(40))
    place, made = PlanLocator(plan, None, None, "agent"), time.parts()
    with LeaseHolder(60) as holder:
        run = agent_run(holder, place, model, Poke(), budget=Budget(time=100), made=made)
        stopped = asyncio.run(run.execute(GOAL))
    assert (stopped.why, plan.budget.cost().time) == ("budget", 100)
    assert stopped.text.startswith("The remaining 20 s of the budget are used up")
