"""Opening a plan that is on disk: `./dev bench open_plan [--quick]`.

The plan is layered and half completed, one commit for each task. It is opened from its snapshot,
and without the snapshot from the whole journal.
"""

from __future__ import annotations

import argparse
import gc
import tracemalloc
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import outlast
from bench.durable import KEY, HastyDisk, scratch
from bench.measure import Sample, count, cpu, figure, machine, milli, table
from bench.plans import ACTOR, GOAL, RESULT, layered, name_of, new_tasks
from bench.verdicts import at_least, at_most, judged
from outlast.plan.core import PlanCore
from outlast.store.files.log import open_files
from outlast.system.clock import new_plan_id, now

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.verdicts import Row

_SIZES: Final = (1_000, 10_000, 100_000)
_QUICK_SIZES: Final = (1_000, 10_000)
_ROUNDS: Final = 5
_QUICK_ROUNDS: Final = 3
_SECONDS: Final = 0.35  # at the largest size
_CHANGES: Final = 200_000
_BYTES: Final = 1_000


@dataclass(frozen=True)
class Opened:
    """CPU seconds of both ways to open a plan, and what it then weighs."""

    snapshot: Sample
    replay: Sample
    changes: int
    commits: int
    weight: float

    @property
    def pace(self) -> float:
        """Changes replayed a second."""
        return self.changes / self.replay.best


@dataclass(frozen=True)
class _Kept:
    place: str
    directory: Path
    changes: int
    commits: int

    def open(self) -> outlast.Plan:
        return outlast.open_plan(self.place, KEY, actor=ACTOR)


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench open_plan")
    parser.add_argument("--quick", action="store_true", help="up to 10 000 tasks, few rounds")
    parser.add_argument("--rounds", type=int, help="how often each plan is opened")
    options = parser.parse_args()
    sizes = _QUICK_SIZES if options.quick else _SIZES
    print(report(sizes, options.rounds or (_QUICK_ROUNDS if options.quick else _ROUNDS)))


def report(sizes: Sequence[int], rounds: int) -> str:
    before = machine()
    gc.freeze()  # what is imported is no garbage that a plan should be charged for
    found = {n: measure(n, rounds) for n in sizes}
    goals = judged(["CPU"], open_goals(found))
    return f"{before} Best of {rounds} rounds (median).\n\n{_show(found)}\n\n{goals}"


def measure(n: int, rounds: int) -> Opened:
    """Open a plan of so many tasks both ways, in turn."""
    snapshot, replay = Sample(), Sample()
    with _kept(n) as kept:
        for _ in range(rounds):
            snapshot.values.append(_opening(kept))
            with _without_snapshot(kept.directory):
                replay.values.append(_opening(kept))
        return Opened(snapshot, replay, kept.changes, kept.commits, _weight(kept, n))


def _opening(kept: _Kept) -> float:
    plans: list[outlast.Plan] = []
    seconds = cpu(lambda: plans.append(kept.open()))
    _let_go(plans.pop(), kept)
    return seconds


def _let_go(plan: outlast.Plan, kept: _Kept) -> None:
    """Close a plan and keep its files as they were."""
    snapshots = {path: path.read_bytes() for path in _snapshots(kept.directory)}
    plan.close()
    for path in _snapshots(kept.directory):
        path.unlink()
    for path, data in snapshots.items():
        path.write_bytes(data)


@contextmanager
def _kept(n: int) -> Iterator[_Kept]:
    with scratch() as place:
        outlast.create_plan(str(place), GOAL, KEY, actor=ACTOR).close()
        directory = next(place.rglob("journal.jsonl")).parent
        store = open_files(str(directory), HastyDisk(), now())
        plan = outlast.Plan(PlanCore(store, now, new_plan_id, ACTOR))
        plan.add_all(new_tasks(layered(n)))
        for task in range(1, n // 2 + 1):
            plan.complete(task, RESULT)
        commits = store.commits_since(0)
        plan.close()
        if not _snapshots(directory):
            raise FileNotFoundError(directory / "snapshot.json")
        changes = sum(len(commit.changes) for commit in commits)
        yield _Kept(str(place), directory, changes, len(commits))


@contextmanager
def _without_snapshot(directory: Path) -> Iterator[None]:
    aside = {path: path.rename(directory.parent / path.name) for path in _snapshots(directory)}
    yield
    for path, elsewhere in aside.items():
        elsewhere.rename(path)


def _snapshots(directory: Path) -> list[Path]:
    return list(directory.glob("snapshot*"))


def _weight(kept: _Kept, n: int) -> float:
    """Return the bytes of memory for each task of an opened plan, beyond its text."""
    text = sum(len(name_of(task).encode()) for task in range(1, n + 1))
    text += len(RESULT.encode()) * (n // 2)
    gc.collect()
    tracemalloc.start()
    try:
        plan = kept.open()
        gc.collect()
        weight = tracemalloc.get_traced_memory()[0] - text
    finally:
        tracemalloc.stop()
    plan.close()
    return weight / n


def _show(found: dict[int, Opened]) -> str:
    rows = [
        [
            count(n),
            f"{milli(one.snapshot.best)} ({milli(one.snapshot.median)})",
            f"{milli(one.replay.best)} ({milli(one.replay.median)})",
            count(one.commits),
            count(round(one.pace)),
            figure(one.weight),
        ]
        for n, one in found.items()
    ]
    head = [
        "tasks",
        "from the snapshot, ms",
        "full replay, ms",
        "commits",
        "changes a second",
        "bytes of memory a task",
    ]
    return table(head, rows)


def open_goals(found: dict[int, Opened]) -> list[Row]:
    n = max(found)
    one = found[n]
    return [
        [
            f"opened from the snapshot, {count(n)} tasks",
            f"≤ {_SECONDS} s",
            at_most(one.snapshot.best, _SECONDS, "{:.3f} s".format),
        ],
        [
            "full replay, changes a second",
            f"≥ {count(_CHANGES)}",
            at_least(one.pace, _CHANGES, figure),
        ],
        [
            "memory per task beyond its text",
            f"≤ {count(_BYTES)} B",
            at_most(one.weight, _BYTES, "{:.0f} B".format),
        ],
    ]


if __name__ == "__main__":
    main()
