"""Complete a task and get the next one on disk: CPU before the sync, and bytes."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bench.durable import HastyDisk, durable
from bench.graphlib_floor import sort_built
from bench.measure import TIMES, Sample, count, cpu_each, figure, micro, table, times
from bench.plans import RESULT, SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.durable import Durable
    from bench.plans import Dependencies
    from outlast import Plan

ASK: Final = "complete, ask for the next"
START: Final = "complete, start the next"
GRAPHLIB: Final = "graphlib, with build"
ON_DISK: Final = {shape: SHAPES[shape] for shape in ("chain", "layered")}
OFTEN: Final = 3  # times a round, where a plan is small enough
OFTEN_UP_TO: Final = 10_000
_TOGETHER: Final = 2_000  # pairs timed together, so that a plan of ten tasks is measurable


@dataclass(frozen=True)
class Bytes:
    """What a pair writes, on average over the whole plan."""

    journal: float
    snapshots: float


@dataclass(frozen=True)
class Pairs:
    """Seconds by shape, size and way; bytes likewise."""

    seconds: dict[tuple[str, int, str], Sample] = field(default_factory=dict)
    bytes: dict[tuple[str, int, str], Bytes] = field(default_factory=dict)

    def best(self, shape: str, n: int, way: str) -> float:
        return self.seconds[shape, n, way].best

    def note(self, key: tuple[str, int, str], seconds: float) -> None:
        self.seconds.setdefault(key, Sample()).values.append(seconds)


def work_off(plan: Plan) -> None:
    task = plan.next()
    while task:
        plan.complete(task.id, RESULT)
        task = plan.next()


def _start_each(plan: Plan) -> None:
    for _ in plan.tasks():
        plan.complete(plan.start().id, RESULT)


_WAYS: Final[dict[str, Callable[[Plan], None]]] = {ASK: work_off, START: _start_each}


def measure(sizes: Sequence[int], rounds: int, together: int = _TOGETHER) -> Pairs:
    """Work every plan off in every way, all in turn within a round."""
    found = Pairs()
    plans = {(shape, n): make(n) for shape, make in ON_DISK.items() for n in sizes}
    for turn in range(rounds * OFTEN):
        for (shape, n), dependencies in plans.items():
            if turn % OFTEN and n > OFTEN_UP_TO:
                continue
            copies = max(1, together // n)
            built = [sort_built(dependencies) for _ in range(copies)]
            found.note((shape, n, GRAPHLIB), cpu_each(built) / n)
            for name, work in _WAYS.items():
                seconds, written = _timed(dependencies, work, copies)
                found.note((shape, n, name), seconds)
                found.bytes[shape, n, name] = written
    return found


def _timed(
    dependencies: Dependencies, work: Callable[[Plan], None], copies: int
) -> tuple[float, Bytes]:
    n = len(dependencies)
    with ExitStack() as plans:
        made = [plans.enter_context(durable(dependencies, HastyDisk())) for _ in range(copies)]
        before = [(one.journal, one.disk.written) for one in made]
        seconds = cpu_each([_worked(one, work) for one in made]) / n
        journal, written = (made[0].journal - before[0][0], made[0].disk.written - before[0][1])
    return seconds, Bytes(journal / n, (written - journal) / n)


def _worked(made: Durable, work: Callable[[Plan], None]) -> Callable[[], None]:
    plan = made.plan
    return lambda: work(plan)


def show(found: Pairs, sizes: Sequence[int]) -> str:
    """Return a table of seconds for each shape, then one of bytes."""
    parts = [_seconds_table(found, shape, sizes) for shape in ON_DISK]
    rows = []
    for shape in ON_DISK:
        for way in _WAYS:
            cells = [found.bytes[shape, n, way] for n in sizes]
            shown = [f"{figure(b.journal)} + {figure(b.snapshots)}" for b in cells]
            rows.append([way, shape, *shown])
    head = ["bytes a pair, journal + snapshots", "shape", *map(count, sizes)]
    return "\n\n".join([*parts, table(head, rows, labels=2)])


def _seconds_table(found: Pairs, shape: str, sizes: Sequence[int]) -> str:
    rows = []
    for way in (*_WAYS, GRAPHLIB):
        row = [way]
        for n in sizes:
            sample = found.seconds[shape, n, way]
            ratio = sample.best / found.best(shape, n, GRAPHLIB)
            growth = sample.best / found.best(shape, sizes[0], way)
            row += [f"{micro(sample.best)} ({micro(sample.median)})", times(ratio), times(growth)]
        rows.append(row)
    head = [f"{shape}: best (median)"]
    for n in sizes:
        head += [count(n), f"{TIMES} graphlib", f"{TIMES} {sizes[0]}"]
    return table(head, rows)
