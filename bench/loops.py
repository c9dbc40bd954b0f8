"""Agent loops on files in one process: how long the event loop is held up, and what a call costs.

The model is scripted and takes as long as a real one; each of its replies calls one tool. A probe
on the same event loop measures how late it is woken; other processes can only add to that, so the
best of a few rounds counts. To inject a slow sync, the disk sleeps in it.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bench.durable import CountingDisk, scratch
from bench.measure import MILLI, cpu, figure, in_turn, milli, table, times
from bench.verdicts import at_most, judged
from outlast import AgentLoop, Plan
from outlast.config.settings import LoopSettings, Rules, Settings
from outlast.context.chat_model import Call, Reply, Usage
from outlast.documents.views.registry import OUTLAST
from outlast.documents.views.synced_views import SyncedViews
from outlast.model.commands import AddTasks, CreatePlan, NewTask
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.store.files.log import FilesLog, create_files
from outlast.store.store import MemoryStore, Store
from outlast.system.clock import new_plan_id, now

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from bench.verdicts import Row
    from outlast.context.chat_model import Message, ToolSpec
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.store.port import Request

T = TypeVar("T")
LOOPS: Final = (1, 20, 100)
SYNC_SECONDS: Final = 0.01
SHORT: Final = 11
LONG: Final = 300
_CALLS: Final = 6  # of the model, in each loop
_ROUNDS: Final = 3
_FIRST_ROUNDS: Final = 5
_FIRST: Final = "from bench import loops; print(loops.run_first())"
_THINK_SECONDS: Final = (0.5, 1.5)
_PROBE_SECONDS: Final = 0.002
_GROWTH: Final = 1.25  # that noise may cause
_GOAL: Final = "Sort the reports"
_NO_THOUGHT: Final = (0.0, 0.0)


class SlowDisk(CountingDisk):
    """A disk whose sync takes a while longer."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def sync(self, fd: int) -> None:
        super().sync(fd)
        time.sleep(self._seconds)


class SlowModel:
    """A model that calls a tool in each reply but the last, and takes a while for each."""

    name, price = "slow", None

    def __init__(self, calls: int, seconds: tuple[float, float], seed: int = 0) -> None:
        self._left, self._seconds = calls, seconds
        self._dice = Random(seed)  # noqa: S311 - to be repeated
        self.asked = 0

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        del messages, tools, max_tokens, on_text
        await asyncio.sleep(self._dice.uniform(*self._seconds))
        self.asked += 1
        self._left -= 1
        calls = (Call("look_up", {"number": self.asked}, f"c{self.asked}"),) if self._left else ()
        return Reply(f"Look number {self.asked} up.", calls, Usage(500, 50))


def look_up(number: int) -> str:
    """Look a number up."""
    return f"The number is {number}. " * 5


@dataclass(frozen=True)
class Loops:
    """What loops that ran at the same time did to their event loop."""

    delays: list[float]
    seconds: float
    model_calls: int

    @property
    def worst(self) -> float:
        return max(self.delays)

    @property
    def usual(self) -> float:
        return median(self.delays)

    @property
    def late(self) -> float:
        """The delay that 99 of 100 do not exceed."""
        return quantiles(self.delays, n=100)[98]


@dataclass(frozen=True)
class Counts:
    """What one model call with one tool takes."""

    commits: float
    views: float
    syncs: float


def new_plan(store: Store) -> Plan:
    core = PlanCore(store, now, new_plan_id, "agent")
    core.commit((AddTasks((NewTask("Sort them"),)),), return_commit)
    return Plan(core)


def memory_plan() -> Plan:
    store = MemoryStore(now())
    core = PlanCore(store, now, new_plan_id, "agent")
    core.commit((CreatePlan(new_plan_id(), _GOAL, begun=True),), return_commit)
    return new_plan(store)


def files_plan(place: Path, disk: CountingDisk, kind: type[Store] = Store) -> Plan:
    place.mkdir()
    command = CreatePlan(new_plan_id(), _GOAL, place.name, begun=True)
    create_files(str(place), disk, command, author="agent", now=now())
    log = FilesLog(str(place), disk, now())
    store = kind(log, now())
    SyncedViews(store, log, OUTLAST.views)
    return new_plan(store)


def new_agent(plan: Plan, model: SlowModel) -> AgentLoop:
    settings = Settings(loop=LoopSettings(policy="explicit"), rules=Rules(stop_limit=0))
    return AgentLoop(
        model=model, tools=[look_up], plan=plan, max_iterations=LONG + 10, settings=settings
    )


async def _probe(delays: list[float]) -> None:
    """Note how late this task is woken, again and again."""
    while True:
        due = time.perf_counter() + _PROBE_SECONDS
        await asyncio.sleep(_PROBE_SECONDS)
        delays.append(max(time.perf_counter() - due, 0.0))


def measure_delay(
    loops: int,
    sync_seconds: float,
    calls: int = _CALLS,
    think_seconds: tuple[float, float] = _THINK_SECONDS,
    *,
    make_early: bool = True,
) -> Loops:
    """Run loops on plans of their own, at the same time; they are made before, or meanwhile."""
    delays: list[float] = []
    disk = SlowDisk(sync_seconds)
    models = [SlowModel(calls, think_seconds, seed) for seed in range(loops)]

    async def work(make: Callable[[], list[AgentLoop]], made: list[AgentLoop]) -> None:
        probe = asyncio.create_task(_probe(delays))
        await asyncio.sleep(10 * _PROBE_SECONDS)
        await asyncio.gather(*(agent.run(_GOAL) for agent in made or make()))
        await asyncio.sleep(_PROBE_SECONDS)
        probe.cancel()

    with scratch() as place, ExitStack() as plans:
        opened = [plans.enter_context(files_plan(place / str(n), disk)) for n in range(loops)]

        def make() -> list[AgentLoop]:
            return [new_agent(*pair) for pair in zip(opened, models, strict=True)]

        agents = make() if make_early else []
        begun = time.perf_counter()
        asyncio.run(work(make, agents))
        seconds = time.perf_counter() - begun
    return Loops(delays, seconds, sum(model.asked for model in models))


def first_delay(rounds: int = _FIRST_ROUNDS) -> float:
    """Return how long the first loop of a process holds up the event loop, in the best round."""
    command = (sys.executable, "-c", _FIRST)
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own
        for _ in range(rounds)
    ]
    return min(float(run.stdout) for run in runs)


def run_first() -> float:
    """Measure the delay of one loop, made on a loop that runs already."""
    return measure_delay(1, 0.0, think_seconds=_NO_THOUGHT, make_early=False).worst


def least_delay(loops: int, sync_seconds: float, rounds: int = _ROUNDS) -> Loops:
    """Return the round that was disturbed least."""
    found = (measure_delay(loops, sync_seconds) for _ in range(rounds))
    return min(found, key=lambda run: run.worst)


class CountingStore(Store):
    """A store that counts what is submitted: each submission makes one view."""

    submitted = 0

    def submit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> Future[T]:
        self.submitted += 1
        return super().submit(request, then)


def count_calls(calls: int = SHORT) -> Counts:
    """Count commits, views and syncs of one loop, without those before its second model call."""
    disk, marks = CountingDisk(), list[tuple[int, int, int]]()

    class MarkedModel(SlowModel):
        async def think(self, *arguments: Any, **options: Any) -> Reply:  # noqa: ANN401 - passed on
            marks.append((plan.revision, store.submitted, disk.syncs))
            return await super().think(*arguments, **options)

    with scratch() as place:
        plan = files_plan(place / "plan", disk, CountingStore)
        store: Any = plan.core.store
        with plan:
            asyncio.run(new_agent(plan, MarkedModel(calls, _NO_THOUGHT)).run(_GOAL))
    first, last, steps = marks[1], marks[-1], len(marks) - 2
    commits, views, syncs = ((end - begin) / steps for begin, end in zip(first, last, strict=True))
    return Counts(commits, views, syncs)


def call_cost(calls: int) -> float:
    """Return the CPU seconds of one model call in a conversation of so many."""
    model = SlowModel(calls, _NO_THOUGHT)
    agent = new_agent(memory_plan(), model)
    seconds = cpu(lambda: asyncio.run(agent.run(_GOAL)))
    if model.asked != calls:
        raise AssertionError(model.asked)
    return seconds / calls


def measure_growth(rounds: int = 5) -> tuple[float, float]:
    """Return the cost of a model call in a short and in a long conversation."""
    call_cost(SHORT)  # imports
    costs = in_turn({n: partial(call_cost, n) for n in (SHORT, LONG)}, rounds)
    return costs[SHORT].best, costs[LONG].best


def loop_goals() -> list[Row]:
    """Return the row of each goal of the agent loop."""
    counts, (short, long) = count_calls(), measure_growth()
    delay = least_delay(LOOPS[-1], SYNC_SECONDS)
    commits, growth = "agent loop: commits per model call with one tool", long / short
    held_up = f"agent loop: event-loop delay, {LOOPS[-1]} loops, 10 ms sync"
    first, most = "agent loop: event-loop delay, the first loop of a process", first_delay()
    cost = f"agent loop: cost of a model call, {LONG} calls against {SHORT}"
    return [
        [commits, "≤ 2", at_most(counts.commits, 2, figure)],
        [held_up, "≤ 20 ms", at_most(delay.worst * MILLI, 20, lambda ms: f"{figure(ms)} ms")],
        [first, "≤ 20 ms", at_most(most * MILLI, 20, lambda ms: f"{figure(ms)} ms")],
        [cost, "does not grow", at_most(growth, _GROWTH, times)],
    ]


def report() -> str:
    """Return all figures as tables."""
    rows = []
    for sync_seconds in (0.0, SYNC_SECONDS):
        for loops in LOOPS:
            run = least_delay(loops, sync_seconds)
            rows.append(
                [
                    f"{loops}, {figure(sync_seconds * MILLI)} ms",
                    *(milli(seconds) for seconds in (run.usual, run.late, run.worst)),
                    figure(run.model_calls / run.seconds),
                ]
            )
    head = ["loops, sync", "delay: median ms", "99 %", "worst", "calls/s"]
    busy = [
        [str(loops), figure(run.model_calls / run.seconds), milli(run.worst)]
        for loops in LOOPS
        for run in [measure_delay(loops, 0.0, 20 if loops < LOOPS[-1] else 6, _NO_THOUGHT)]
    ]
    counts, (short, long) = count_calls(), measure_growth()
    return "\n\n".join(
        (
            table(head, rows),
            table(["loops, a model that takes no time", "calls/s", "worst delay ms"], busy),
            table(
                ["a model call with one tool", "commits", "views", "syncs"],
                [["", *map(figure, (counts.commits, counts.views, counts.syncs))]],
            ),
            table(
                ["conversation", "CPU ms a model call"],
                [[f"{SHORT} calls", milli(short)], [f"{LONG} calls", milli(long)]],
            ),
            judged(["measured"], loop_goals()),
        )
    )


if __name__ == "__main__":
    print(report())
