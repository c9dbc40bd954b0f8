"""A scheduler with several lanes on one plan: one small sequential loop per task."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from msgspec.structs import replace

from outlast import NewTask, Plan
from outlast.agent import effects as e
from outlast.agent.effects import Ended
from outlast.agent.runtime.driver import run
from outlast.agent.runtime.lane import Lane
from outlast.agent.runtime.pipeline import main_lane
from outlast.agent.runtime.run import Run
from outlast.context.chat_model import Call, Message, Price, Reply, ToolSpec, Usage
from outlast.context.tool import Level, Settlement
from outlast.model.commands import Complete, CreatePlan, Release, Start
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.store.files.log import open_files
from outlast.store.port import Request, Store
from outlast.store.watcher import WATCHER
from outlast.stores import MemoryStore
from outlast.system.clock import Clock
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.agent.runtime.scene import GOAL, LEASE, parts
from tests.fake_model import FakeModel, ModelRequest
from tests.store.faults import FaultyDisk, Killed, QuickDisk
from tests.store.opening import new_files

T = TypeVar("T")
SPEC = ToolSpec("mark", "Mark a number.", {"type": "object"})
Meanwhile = Callable[[int], Awaitable[object] | None]


async def pass_time(meanwhile: Meanwhile | None, number: int) -> None:
    waiting = meanwhile(number) if meanwhile else None
    if waiting is not None:
        await waiting


class Mark:
    """A tool that marks a number; the marks survive a killed process."""

    name, description, parameters = SPEC.name, SPEC.description, SPEC.parameters
    level: ClassVar[Level] = "read"

    def __init__(self, marks: Counter[int], meanwhile: Meanwhile | None = None) -> None:
        self._marks, self._meanwhile = marks, meanwhile

    def permission_request(self, params: dict[str, Any]) -> None:
        del params

    async def run(self, params: dict[str, Any]) -> str:
        await pass_time(self._meanwhile, params["n"])
        self._marks[params["n"]] += 1
        return f"marked {params['n']}"

    def settle(self, params: dict[str, Any]) -> Settlement:
        return "done" if self._marks[params["n"]] else "not_done"


class MarkModel(FakeModel):
    """A model that wants the number of its task marked; each reply costs the same."""

    def __init__(
        self, meanwhile: Meanwhile | None = None, usage: Usage | None = None, price: Any = None
    ) -> None:
        super().__init__(price=price)
        self._meanwhile, self._usage = meanwhile, usage or Usage(90, 10)
        self.most_at_once = self._at_once = 0

    async def reply(self, request: ModelRequest) -> Reply:
        number = int(request.messages[0].text.rpartition(" ")[2])
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await pass_time(self._meanwhile, number)
        finally:
            self._at_once -= 1
        if request.on_text:
            request.on_text(f"I mark {number}.")
        return Reply(f"I mark {number}.", (Call("mark", {"n": number}, f"m{number}"),), self._usage)


def work_on(task: int) -> e.Loop[str]:
    """Think, act and complete a task; go on where an earlier run was interrupted."""
    plan = (yield from e.record()).plan
    if plan.current is None:
        started = yield from e.record(Start(plan.actor, task))
        if started.outcome.error:
            return started.outcome.code
        plan = started.plan
    for attempt in plan.attempts:
        if attempt.task == task:
            plan = (yield from e.Settle(attempt)).plan
    if not any(done.kind == "act" for done in plan.recent_work):
        request = (Message("user", f"Mark {task}"),)
        thought = (yield from e.Think(request, (SPEC,), task=task)).outcome
        if thought.error:
            return thought.code or thought.error
        for call in thought.calls:
            acted = (yield from e.Act(call, task=task)).outcome
            if acted.error:
                return acted.code or acted.error
    completed = yield from e.record(Complete(task, plan.actor, f"marked {task}"))
    return completed.outcome.code or "done"


Ends = dict[int, Any]


def schedule(loops: dict[int, e.Loop[Any]]) -> e.Loop[Ends]:
    """Run a loop for each task on a lane of its own; return how each of them ended."""
    lanes, ends = dict[str, int](), Ends()
    for task, loop in loops.items():
        spawned = yield from e.Spawn(loop, task, f"agent/{task}")
        lanes[spawned.outcome.lane] = task
    while lanes:
        outcome = (yield from e.Join(tuple(lanes))).outcome
        if isinstance(outcome, Ended):
            ends[lanes.pop(outcome.lane)] = outcome.error or outcome.result
    return ends


def new_plan(tasks: int, clock: Clock | None = None, store: Store | None = None) -> Plan:
    """Return a plan of independent tasks, in memory unless a store is given."""
    clock = clock or FixedClock()
    if store is None:
        store = MemoryStore(clock())
        store.commit(Request((CreatePlan("plan_test", GOAL),), "ann", clock()), return_commit)
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", "agent"))
    if not plan.tasks():
        plan.add_all(NewTask(f"Mark {number}") for number in range(1, tasks + 1))
    return plan


def open_lane(plan: Plan, model: FakeModel, *tools: Any, slots: int = 4, **options: Any) -> Lane:
    """Return the main lane of a new run, which has the lease of the plan."""
    held = plan.core.claim_plan(LEASE)
    held.stop()  # no beats: the clock stands still
    needs = parts(plan, model, tools, parallel=slots, **options)
    return main_lane(Run(plan, held.lease, *needs))


def run_lanes(
    plan: Plan, loops: dict[int, e.Loop[Any]], model: FakeModel, *tools: Any, **options: Any
) -> Ends:
    """Run a scheduler over these loops to its end."""

    async def drive() -> Ends:
        lane = open_lane(plan, model, *tools, **options)
        results = await run(schedule(loops), lane)
        plan.core.commit((Release(0, lane.run.token),), return_commit)
        return results

    return asyncio.run(drive())


def dawdle(dice: Random, most: int = 5) -> Callable[[int], Awaitable[object]]:
    """Return a wait of a random number of turns of the event loop."""

    async def wait(_number: int) -> None:
        for _ in range(dice.randrange(most)):
            await asyncio.sleep(0)

    return wait


def is_killed(error: BaseException) -> bool:
    """Return whether an error is that of a killed process, perhaps of several lanes of it."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(is_killed, error.exceptions))
    return isinstance(error, Killed)


PRICE = Price(3.0, 15.0)


class Bomb:
    """Kills the process at a yield of any of its loops, those that it spawns included."""

    def __init__(self, disk: FaultyDisk, at: int, *, after: bool) -> None:
        self._disk, self._left, self._after = disk, at, after

    def arm(self, loop: e.Loop[Any]) -> e.Loop[Any]:
        """Return the loop with the bomb in it."""
        step: Any = loop.send
        reply: Any = None
        while True:
            try:
                effect = step(reply)
            except StopIteration as end:
                return end.value
            if isinstance(effect, e.Spawn):
                effect = replace(effect, loop=self.arm(effect.loop))
            self._left -= 1
            is_last = self._left == 0
            if is_last and not self._after:
                self._disk.die()
            try:
                reply = yield effect
                step = loop.send
            except e.Cancelled as cancelled:
                step, reply = loop.throw, cancelled
            if is_last:
                self._disk.die()


class Mortal(Generic[T]):
    """A plan on disk, for runs that are killed and started again."""

    def __init__(self, path: Path, tasks: int = 0) -> None:
        path.mkdir()
        self._path, self.tasks, self._clock = str(path), tasks, FixedClock()
        command, now = CreatePlan("plan_test", GOAL, "key"), self._clock()
        new_files(self._path, QuickDisk(), command, author="ann", now=now).close()
        self.open(QuickDisk()).close()

    def open(self, disk: Disk) -> Plan:
        """Open the plan as a new process would."""
        return new_plan(self.tasks, self._clock, open_files(self._path, disk, self._clock()))

    def go(self, disk: FaultyDisk | None = None, bomb: Bomb | None = None) -> T:
        """Run as a new process would, until the run has ended or the process dies."""
        disk = disk or FaultyDisk(QuickDisk())
        try:
            return asyncio.run(self.live(disk, bomb or Bomb(disk, 0, after=False)))
        except BaseException as error:
            if not is_killed(error):
                raise
            self._clock.advance(LEASE)
            WATCHER.reset()  # its thread may have died: a new process has one of its own
            raise Killed from None

    async def live(self, disk: FaultyDisk, bomb: Bomb) -> T:
        """Run the loops of the scene, with the bomb in them."""
        raise NotImplementedError
