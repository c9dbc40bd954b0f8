"""One acknowledged operation against a bare append with a sync, and against SQLite.

All take turns, operation by operation, so that variations of the disk affect all alike.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bench.durable import KEY, CountingDisk, HastyDisk, durable, scratch
from bench.measure import TIMES, Sample, cpu, figure, micro, table, times
from bench.plans import ACTOR, GOAL, RESULT, new_tasks, wide
from outlast import create_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OURS: Final = "outlast: a task completed"
IN_SQLITE: Final = "outlast in SQLite: a task completed"
CONTROL: Final = "control: the same bytes appended, fdatasync"
SQLITE: Final = f"SQLite {sqlite3.sqlite_version}, WAL, FULL: one row updated"
_ROWS: Final = 1_000
_WARM: Final = 20  # operations before the first that counts


@dataclass(frozen=True)
class Acknowledged:
    """CPU and wall seconds of each operation by who did it; syncs and bytes of a commit of ours.

    `unsynced` is the CPU above a bare append where neither is synced.
    """

    syncs: float
    line: float
    unsynced: float
    cpu: dict[str, Sample] = field(default_factory=dict)
    wall: dict[str, Sample] = field(default_factory=dict)

    @property
    def above(self) -> float:
        """CPU seconds that an operation costs above the control."""
        return self.cpu[OURS].median - self.cpu[CONTROL].median

    def show(self) -> str:
        rows = [
            [
                name,
                f"{micro(self.cpu[name].median)} ({micro(self.cpu[name].best)})",
                times(self.cpu[name].median / self.cpu[CONTROL].median),
                f"{micro(self.wall[name].median)} ({micro(self.wall[name].best)})",
                times(self.wall[name].median / self.wall[CONTROL].median),
            ]
            for name in self.cpu
        ]
        against = f"{TIMES} control"
        head = ["µs, median (best)", "CPU", against, "wall", against]
        return (
            f"{table(head, rows)}\n\n{len(self.cpu[OURS].values)} operations each, in turn. "
            f"An Outlast commit has {figure(self.line)} B. Without the syncs, which leave the "
            f"caches cold, it costs {micro(self.unsynced)} µs more than the bare append."
        )


def measure(operations: int) -> Acknowledged:
    """Let each do so many operations, one after the other."""
    count = operations + _WARM
    line = _line()
    with durable(wide(count), CountingDisk()) as made, scratch() as place:
        plan, disk, before = made.plan, made.disk, made.journal
        syncs = disk.syncs
        with (
            closing(_Log(place, line)) as log,
            closing(_table(place)) as rows,
            create_plan(f"sqlite:///{place}/plans.db", GOAL, KEY, actor=ACTOR) as other,
        ):
            other.add_all(new_tasks(wide(count)))
            works: dict[str, Callable[[int], object]] = {
                OURS: lambda i: plan.complete(i + 1, RESULT),
                IN_SQLITE: lambda i: other.complete(i + 1, RESULT),
                CONTROL: log.append,
                SQLITE: lambda i: rows.execute(
                    "update task set version = version + 1 where id = ?", (i % _ROWS,)
                ),
            }
            spent, wall = _in_turn(works, count)
        per_commit = (disk.syncs - syncs) / count
        length = (made.journal - before) / count
    found = Acknowledged(per_commit, length, _unsynced(count, line))
    for name in works:
        found.cpu[name] = Sample(spent[name][_WARM:])
        found.wall[name] = Sample(wall[name][_WARM:])
    return found


def _in_turn(
    works: dict[str, Callable[[int], object]], count: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    spent: dict[str, list[float]] = {name: [] for name in works}
    wall: dict[str, list[float]] = {name: [] for name in works}
    for i in range(count):
        for name, work in works.items():
            began, before = time.perf_counter(), time.process_time()
            work(i)
            spent[name].append(time.process_time() - before)
            wall[name].append(time.perf_counter() - began)
    return spent, wall


def _line() -> bytes:
    """Return as many bytes as a commit of the measured kind writes."""
    with durable(wide(1), CountingDisk()) as made:
        before = made.journal
        made.plan.complete(1, RESULT)
        return b"x" * (made.journal - before)


def _unsynced(count: int, line: bytes) -> float:
    with durable(wide(count), HastyDisk()) as made, scratch() as place:
        plan = made.plan
        ours = cpu(lambda: [plan.complete(i, RESULT) for i in range(1, count + 1)])
        with closing(_Log(place, line)) as log:
            return (ours - cpu(lambda: [log.write() for _ in range(count)])) / count


class _Log:
    def __init__(self, place: Path, line: bytes) -> None:
        self._line = line
        self._fd = os.open(place / "log", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self) -> int:
        return os.write(self._fd, self._line)

    def append(self, _: int) -> None:
        self.write()
        os.fdatasync(self._fd)

    def close(self) -> None:
        os.close(self._fd)


def _table(place: Path) -> sqlite3.Connection:
    rows = sqlite3.connect(place / "rows.db", isolation_level=None)
    rows.execute("pragma journal_mode = wal")
    rows.execute("pragma synchronous = full")
    rows.execute("create table task (id integer primary key, text text, version integer)")
    rows.execute("begin")
    rows.executemany("insert into task values (?, ?, 0)", ((i, "x" * 150) for i in range(_ROWS)))
    rows.execute("commit")
    return rows
