"""Plans on disk for the benchmarks, and a disk that counts what a store asks of it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench.plans import ACTOR, GOAL, new_tasks
from outlast import Plan
from outlast.model.commands import CreatePlan
from outlast.plan.core import PlanCore
from outlast.store.files.log import create_files, open_files
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.plans import Dependencies
    from outlast.store.store import Store

KEY: Final = "bench"
_PLACE: Final = Path(__file__).parent.parent / "build" / "bench"  # /tmp may be no disk at all


class CountingDisk(Disk):
    """The real disk; it counts syncs and bytes."""

    def __init__(self) -> None:
        self.syncs = 0
        self.written = 0
        self.replaced = 0

    def write(self, fd: int, data: bytes) -> int:
        done = super().write(fd, data)
        self.written += done
        return done

    def sync(self, fd: int) -> None:
        self.syncs += 1
        super().sync(fd)

    def rename(self, old: str, new: str) -> None:
        self.replaced += 1
        super().rename(old, new)


class HastyDisk(CountingDisk):
    """The same, and no sync takes any time: what is left is the CPU before the sync."""

    def sync(self, fd: int) -> None:
        del fd
        self.syncs += 1

    def sync_directory(self, path: str) -> None:
        del path


@dataclass(frozen=True)
class Durable:
    """A plan in a directory of its own."""

    store: Store
    disk: CountingDisk

    @property
    def plan(self) -> Plan:
        return Plan(PlanCore(self.store, now, new_plan_id, ACTOR))

    @property
    def journal(self) -> int:
        """How many bytes its journal has."""
        return (Path(self.store.where) / "journal.jsonl").stat().st_size


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a directory on the disk that the project is on."""
    _PLACE.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=_PLACE) as place:
        yield Path(place)


@contextmanager
def durable(dependencies: Dependencies, disk: CountingDisk) -> Iterator[Durable]:
    """Make a plan on disk; it is gone afterwards."""
    with scratch() as place:
        command = CreatePlan(new_plan_id(), GOAL, KEY)
        create_files(str(place), disk, command, author=ACTOR, now=now())
        store = open_files(str(place), disk, now())
        made = Durable(store, disk)
        made.plan.add_all(new_tasks(dependencies))
        yield made
        store.close()
