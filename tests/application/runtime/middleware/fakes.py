"""Inner handlers, a run and effects, for tests of single middleware."""

from outlast.application.runtime.lease_holder import LeaseHolder
from outlast.application.runtime.run import Run
from outlast.ports import effects as e
from outlast.ports.model import Message
from outlast.testing import FixedClock
from tests.application.runtime.hostile import FakeTime
from tests.application.runtime.scene import GOAL, memory_plan

NOW = FixedClock()()
VIEW = e.PlanView(GOAL, "idle", 1, 0, 0, 0)
THINK = e.Think((Message("user", "Hi"),), ())
GOOD = e.Thought(NOW, VIEW, "Hello")


class Inner:
    """Answers with the given replies."""

    def __init__(self, *replies: e.Reply) -> None:
        self._replies = list(replies)
        self.seen: list[e.Effect] = []

    async def handle(self, effect: e.Effect) -> e.Reply:
        self.seen.append(effect)
        return e.Emitted(NOW) if isinstance(effect, e.Emit) else self._replies.pop(0)


class Slow:
    """Takes `seconds` for each effect."""

    def __init__(self, time: FakeTime, seconds: float) -> None:
        self._time, self._seconds = time, seconds

    async def handle(self, effect: e.Effect) -> e.Reply:
        await self._time.sleep(self._seconds)
        return GOOD if isinstance(effect, e.Think) else e.Acted(NOW, VIEW, "done")


def new_run(clock: FixedClock | None = None) -> Run:
    plan = memory_plan(clock)
    return Run(plan, LeaseHolder(60).acquire(plan))
