"""F13: a busy model is called again."""

import asyncio
from math import nan
from typing import Any

import pytest

from outlast.agent import effects as e
from outlast.agent.effects import Outcome, Thought
from outlast.agent.models.scripted import Turn
from outlast.agent.runtime.middleware.limits import limit_time, retry_busy_model
from outlast.agent.runtime.pipeline import LAYERS
from outlast.config.settings import Limits
from outlast.context.chat_model import Reply
from outlast.errors import ModelBusy
from outlast.testing import FixedClock
from tests.agent.runtime.hostile import FakeTime
from tests.agent.runtime.middleware.fakes import GOOD, THINK, Inner, Slow, call, new_lane
from tests.agent.runtime.poke_tool import ends
from tests.agent.runtime.scene import memory_plan, play
from tests.fake_model import FakeModel, ModelRequest


def busy(after: float | None = None) -> Thought:
    return Thought(error="busy", code="MODEL_BUSY", retry_after=after)


def retried(*outcomes: Outcome, limits: Limits | None = None) -> tuple[Outcome, list[float]]:
    slept, clock = list[float](), FixedClock()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(seconds)

    lane = new_lane(clock, limits, sleep=sleep)
    return call(retry_busy_model, THINK, lane, Inner(*outcomes)), slept


def test_f13_a_busy_model_is_asked_again_after_the_time_it_wants() -> None:
    assert retried(busy(7), busy(0.5), GOOD) == (GOOD, [7.0, 0.5])


def test_f13_without_retry_after_the_delay_doubles_and_the_tries_are_limited() -> None:
    assert retried(busy(), busy(), busy(), busy()) == (busy(), [1.0, 2.0, 4.0])


def test_f13_a_model_that_wants_more_time_than_allowed_is_not_retried() -> None:
    limits = Limits(model_seconds=10)
    assert retried(busy(11), limits=limits) == (busy(11), [])
    assert retried(busy(6), busy(6), limits=limits) == (busy(6), [6.0])
    assert retried(busy(nan), limits=limits)[1] == []


def test_f13_all_tries_together_take_no_longer_than_one_thought_may() -> None:
    clock, inner = FixedClock(), Inner(busy(6), busy(3), GOOD)

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    lane = new_lane(clock, Limits(model_seconds=10), sleep=sleep)
    assert call(retry_busy_model, THINK, lane, inner) == GOOD
    assert [effect.timeout for effect in inner.seen] == [0, 4, 1]
    time = FakeTime()
    lane = new_lane(limits=Limits(model_seconds=10), timeout=time.timeout)
    assert call(limit_time, inner.seen[1], lane, Slow(time, 5)).code == "TIMED_OUT"


@pytest.mark.parametrize("jump", [-3_600, 3_600, 86_400])
def test_f37_a_clock_that_jumps_takes_no_time_from_a_model(jump: int) -> None:
    clock, inner = FixedClock(), Inner(busy(6), busy(3), GOOD)

    async def sleep(_seconds: float) -> None:
        clock.advance(jump)

    lane = new_lane(clock, Limits(model_seconds=10), sleep=sleep, monotonic=lambda: 5.0)
    assert call(retry_busy_model, THINK, lane, inner) == GOOD
    assert [effect.timeout for effect in inner.seen] == [0, 4, 7]


def test_f13_only_calls_of_a_busy_model_are_retried() -> None:
    failed = Thought(error="no such model", code="MODEL_FAILED")
    assert retried(failed) == (failed, [])
    retries = [kinds for middleware, kinds in LAYERS if middleware is retry_busy_model]
    assert retries == [e.Think]


def test_f13_each_try_is_an_attempt_of_its_own() -> None:
    plan, tries = memory_plan(), iter([ModelBusy("script_exhausted", turns=0, retry_after=0)])

    class Busy(FakeModel):
        async def reply(self, request: ModelRequest) -> Reply:
            for error in tries:
                raise error
            return await self.play(request)

    told: list[Any] = []
    stopped = asyncio.run(play(plan, Busy(turns=[Turn(say="At last")]), (), told.append))
    assert stopped.text == "At last"
    assert [one.outcome for one in ends(plan)] == ["failed", "done"]
    assert plan.budget.cost().model_calls == 2
    assert "The model is busy or unreachable; retrying in 0 s" in [
        getattr(one, "text", "") for one in told
    ]
