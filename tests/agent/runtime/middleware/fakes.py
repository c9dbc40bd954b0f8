"""A lane, calls of the next layer and effects, for tests of single middleware."""

import asyncio
from typing import Any

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Outcome, Thought
from outlast.agent.runtime.lane import Lane
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.agent.runtime.pipeline import main_lane
from outlast.agent.runtime.run import Run
from outlast.config.settings import Limits, Settings
from outlast.context.chat_model import Message
from outlast.testing import FixedClock
from tests.agent.runtime.hostile import FakeTime
from tests.agent.runtime.scene import memory_plan, parts
from tests.fake_model import FakeModel

NOW = FixedClock()()
THINK = e.Think((Message("user", "Hi"),), ())
GOOD = Thought("Hello")


class Inner:
    """Answers with the given outcomes."""

    def __init__(self, *outcomes: Outcome) -> None:
        self._outcomes = list(outcomes)
        self.seen: list[Any] = []

    async def __call__(self, effect: e.Effect) -> Outcome:
        self.seen.append(effect)
        return self._outcomes.pop(0)


class Slow:
    """Takes `seconds` for each effect."""

    def __init__(self, time: FakeTime, seconds: float) -> None:
        self._time, self._seconds = time, seconds

    async def __call__(self, effect: e.Effect) -> Outcome:
        await self._time.sleep(self._seconds)
        return GOOD if isinstance(effect, e.Think) else Acted("done")


def new_lane(clock: FixedClock | None = None, limits: Limits | None = None, **options: Any) -> Lane:
    """Return the main lane of a run on a plan in memory."""
    plan = memory_plan(clock)
    settings = Settings(limits=limits or Limits())
    needs = parts(plan, FakeModel(), settings=settings, **options)
    return main_lane(Run(plan, LeaseHolder(60).acquire(plan), *needs))


def call(middleware: Any, effect: e.Effect, lane: Lane, call_next: Any) -> Any:
    """Return the outcome of an effect that passes through one middleware."""
    return asyncio.run(middleware(effect, lane, call_next))
