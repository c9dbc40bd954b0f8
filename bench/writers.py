"""Many writers on one plan: threads, asyncio tasks and processes against a single one.

With s for a sync and c for the CPU of one commit, a single writer makes 1/(s + c) commits a second.
64 writers that share each sync could make 1/(c + s/64); the goal is 70 % of that gain.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import median
from threading import Barrier
from typing import TYPE_CHECKING, Final

from bench.durable import CountingDisk, HastyDisk, durable
from bench.measure import Sample, count, cpu, figure, micro, table, times
from bench.plans import RESULT, wide
from outlast import Plan
from outlast.model.commands import Complete
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.store.files.log import open_files
from outlast.store.port import Request
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.synchronize import Barrier as ProcessBarrier

    from bench.durable import Durable

WRITERS: Final = 64
PROCESSES: Final = 8
ONE: Final = "one writer"
THREADS: Final = f"{WRITERS} threads"
TASKS: Final = f"{WRITERS} asyncio tasks"
ALL_PROCESSES: Final = f"{PROCESSES} processes"
_PATIENCE: Final = 300.0  # seconds, if a process has died

Tasks = range


@dataclass(frozen=True)
class Writers:
    """Wall seconds and syncs of a commit, by who writes; c is the CPU before the sync."""

    c: float
    wall: dict[str, Sample]
    syncs: dict[str, float]
    lost: int

    @property
    def s(self) -> float:
        return max(0.0, self.wall[ONE].median - self.c)

    @property
    def ideal(self) -> float:
        """The gain if every sync served all writers."""
        return (self.s + self.c) / (self.c + self.s / WRITERS)

    def gain(self, name: str) -> float:
        """How much faster than a single writer: the middle of all rounds."""
        pairs = zip(self.wall[ONE].values, self.wall[name].values, strict=True)
        return median(one / many for one, many in pairs)

    def show(self) -> str:
        rows = [
            [
                name,
                count(round(1 / sample.median)),
                f"{micro(sample.median)} ({micro(sample.best)})",
                times(self.gain(name)),
                figure(self.syncs[name]) if name in self.syncs else "—",
            ]
            for name, sample in self.wall.items()
        ]
        head = ["", "commits a second", "µs each, median (best)", "gain", "syncs a commit"]
        return (
            f"{table(head, rows)}\n\nc = {micro(self.c)} µs, s = {micro(self.s)} µs; the gain of "
            f"{WRITERS} writers could be {times(self.ideal)}. {self.lost} acknowledged commits are "
            f"missing from the plan afterwards."
        )


def measure(rounds: int, each: int, each_process: int) -> Writers:
    """Let each kind of writers complete tasks, in turn; `each` is for one thread or task."""
    together, apart = WRITERS * each, PROCESSES * each_process
    works: dict[str, tuple[int, Callable[[Durable], float]]] = {
        ONE: (each_process, lambda made: _alone(made, each_process)),
        THREADS: (together, lambda made: _threads(made, each)),
        TASKS: (together, lambda made: _tasks(made, each)),
        ALL_PROCESSES: (apart, lambda made: _processes(made, each_process)),
    }
    wall: dict[str, Sample] = {name: Sample() for name in works}
    syncs: dict[str, float] = {}
    lost = 0
    for _ in range(rounds):
        for name, (commits, work) in works.items():
            with durable(wide(commits), CountingDisk()) as made:
                before = made.disk.syncs
                wall[name].values.append(work(made) / commits)
                lost += commits - made.plan.progress.current
                if name != ALL_PROCESSES:  # each of them has a disk of its own
                    syncs[name] = (made.disk.syncs - before) / commits
    return Writers(_cpu(together), wall, syncs, lost)


def _cpu(commits: int) -> float:
    with durable(wide(commits), HastyDisk()) as made:
        plan = made.plan
        return cpu(lambda: _complete(plan, range(1, commits + 1))) / commits


def _complete(plan: Plan, tasks: Tasks) -> None:
    for task in tasks:
        plan.complete(task, RESULT)


def _shares(writers: int, each: int) -> Sequence[Tasks]:
    return [range(1 + i * each, 1 + (i + 1) * each) for i in range(writers)]


def _alone(made: Durable, commits: int) -> float:
    began = time.perf_counter()
    _complete(made.plan, range(1, commits + 1))
    return time.perf_counter() - began


def _threads(made: Durable, each: int) -> float:
    begin = Barrier(WRITERS + 1)

    def write(number: int, tasks: Tasks) -> None:
        plan = made.plan.acting_as(f"writer {number}")
        begin.wait()
        _complete(plan, tasks)

    with ThreadPoolExecutor(WRITERS) as pool:
        futures = [pool.submit(write, *share) for share in enumerate(_shares(WRITERS, each))]
        begin.wait()
        began = time.perf_counter()
        for future in futures:
            future.result()
        return time.perf_counter() - began


def _tasks(made: Durable, each: int) -> float:
    store = made.store

    async def write(number: int, tasks: Tasks) -> None:
        author = f"writer {number}"
        for task in tasks:
            command = Complete(task, author, RESULT)
            future = store.submit(Request((command,), author, now()), return_commit)
            await asyncio.wrap_future(future)

    async def write_all() -> float:
        began = time.perf_counter()
        await asyncio.gather(*(write(*share) for share in enumerate(_shares(WRITERS, each))))
        return time.perf_counter() - began

    return asyncio.run(write_all())


def _processes(made: Durable, each: int) -> float:
    context = get_context("spawn")
    meeting = context.Barrier(PROCESSES + 1, timeout=_PATIENCE)
    running = [
        context.Process(target=_process, args=(made.store.where, number, tasks, meeting))
        for number, tasks in enumerate(_shares(PROCESSES, each))
    ]
    for process in running:
        process.start()
    meeting.wait()
    began = time.perf_counter()
    meeting.wait()
    seconds = time.perf_counter() - began
    for process in running:
        process.join()
    return seconds


def _process(directory: str, number: int, tasks: Tasks, meeting: ProcessBarrier) -> None:
    store = open_files(directory, Disk(), now())
    plan = Plan(PlanCore(store, now, new_plan_id, f"writer {number}"))
    meeting.wait()
    _complete(plan, tasks)
    meeting.wait()
    store.close()
