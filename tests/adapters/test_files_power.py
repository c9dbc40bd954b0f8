"""F2: a power cut loses what was not synced, in any order; what was acknowledged stays."""

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from outlast.adapters.stores.files import FilesStore
from outlast.adapters.stores.job import Job
from outlast.domain import commands as c
from outlast.domain.enact import receipt
from outlast.errors import PlanNotFound, Refused, WriteFailed
from outlast.system.disk import Disk
from outlast.testing import MemoryStore
from tests.adapters.faults import FaultyDisk, Killed
from tests.adapters.operations import (
    CREATE,
    JOURNAL,
    LATER,
    LATEST,
    NOW,
    SNAPSHOT,
    change,
    open_store,
)
from tests.adapters.operations import state as state_of
from tests.adapters.simulated import LoseAll, SimulatedDisk
from tests.domain.recompute import whole

SEEDS = int(os.environ.get("OUTLAST_SEEDS", "20000"))
BLOCKS = 8
WHERE = "/plan"
PATH = f"{WHERE}/{JOURNAL}"
Step = tuple[tuple[c.Command, ...], Any, str]


class World:
    """A plan on a simulated disk, and what people were told about it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - a power cut is no secret
        self.disk = SimulatedDisk()
        self.moment = NOW
        self.kept: list[Step] = []
        self.doubtful: list[Step] = []
        self.promised = False
        self.model = self._model([])

    @staticmethod
    def _model(steps: list[Step]) -> MemoryStore:
        model = MemoryStore(NOW)
        model.commit((CREATE,), receipt, author="ann", now=NOW)
        for step in steps:
            _repeat(model, step)
        return model

    def begin(self) -> None:
        """Make the plan; the process may die in it, and the power may go then or later."""
        process = FaultyDisk(self.disk, self.random.choice((0, self.random.randrange(1, 13))))
        with suppress(Killed):
            self.make(process).close()
        if self.random.random() < 0.5:
            self.disk.power_cut(self.random)
            self.look()

    def make(self, disk: Disk) -> FilesStore:
        """Make the plan, which is a promise when it returns."""
        store = FilesStore.create(WHERE, disk, CREATE, author="ann", now=NOW)
        self.promised = True
        return store

    def open(self, disk: Disk) -> FilesStore:
        """Open the plan; if nobody was ever told that it is there, make it anew."""
        try:
            return open_store(WHERE, disk)
        except PlanNotFound:
            assert not self.promised, "the plan is gone"
            self.doubtful = []
            return self.make(disk)

    def live(self) -> None:
        """Let a process work until it dies, by itself or with the power."""
        process = FaultyDisk(self.disk, self.random.randrange(1, 90))
        with suppress(Killed):
            store = self.open(process)
            if self.doubtful and self.random.random() < 0.5:
                self.commit(store, self.doubtful[0])
            for _ in range(self.random.randrange(8)):
                self.commit(store, (self.some_commands(store), self.now(), self.some_key()))
            store.close()
        if self.random.random() < 0.6:
            self.disk.power_cut(self.random)
            self.look()

    def commit(self, store: FilesStore, step: Step) -> None:
        """Ask for a change; it is in doubt until it is acknowledged, which makes all safe."""
        commands, now, key = step
        seen = store.read(lambda state: state.revision) - self.model.read(lambda s: s.revision)
        seen_before = self.doubtful[:seen]
        self.doubtful = [*seen_before, step] if step not in seen_before else seen_before
        try:
            store.commit(commands, receipt, author="ann", now=now, key=key)
        except Refused:
            self.doubtful = seen_before
            return
        self.promised = True
        for safe in self.doubtful:
            _repeat(self.model, safe)
        self.kept += self.doubtful
        self.doubtful = []

    def look(self) -> None:
        """Open the plan and hold it against what may be there."""
        store = self.open(self.disk)
        found = state_of(store)
        store.close()
        allowed = [self.model.read(whole)]
        allowed += [
            self._model([*self.kept, *self.doubtful[: count + 1]]).read(whole)
            for count in range(len(self.doubtful))
        ]
        assert found in allowed, f"revision {found['revision']} of {len(self.kept) + 1}"
        assert not [name for name in self.disk.names(WHERE) if name.endswith(".new")]

    def now(self) -> Any:
        """Return the next moment."""
        self.moment += timedelta(seconds=1)
        return self.moment

    def some_key(self) -> str:
        """Return a key of its own."""
        return f"key {self.moment}"

    def some_commands(self, store: FilesStore) -> tuple[c.Command, ...]:
        """Return commands that the plan will take, of many lengths."""
        tasks = store.read(lambda state: [*state.graph.ready])
        text = "x" * self.random.choice((1, 20, 700, 3000))
        name = self.random.choice("abcdefgh")
        added = c.AddTasks((c.NewTask(name, reasoning=text),))
        if not tasks or self.random.random() < 0.5:
            return (added,)
        task = self.random.choice(tasks)
        return self.random.choice(((c.Complete(task, "ann", name),), (added, c.Skip(task))))


def _repeat(model: MemoryStore, step: Step) -> None:
    commands, now, key = step
    model.commit(commands, receipt, author="ann", now=now, key=key)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("block", range(BLOCKS))
def test_f2_what_was_acknowledged_survives_every_power_cut(
    block: int, eager: Callable[[], None]
) -> None:
    eager()
    for seed in range(block, SEEDS, BLOCKS):
        world = World(seed)
        try:
            world.begin()
            for _ in range(3):
                world.live()
            world.look()
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


def test_f2_the_simulated_disk_does_lose_what_was_not_synced() -> None:
    lost = kept = 0
    for seed in range(100):
        disk = SimulatedDisk()
        disk.put("/plan/a", b"old")
        fd = disk.open("/plan/a", os.O_RDWR | os.O_APPEND, 0)
        disk.write(fd, b"new")
        disk.power_cut(Random(seed))  # noqa: S311
        lost += disk.get("/plan/a") == b"old"
        kept += disk.get("/plan/a") == b"oldnew"
    assert lost > 20
    assert kept > 20


def begun() -> SimulatedDisk:
    """Return a disk with a plan that has no tasks."""
    disk = SimulatedDisk()
    FilesStore.create(WHERE, disk, CREATE, author="ann", now=NOW).close()
    return disk


def written_but_not_synced(disk: SimulatedDisk, name: str, key: str = "") -> None:
    """Have a process die between its write and its sync."""
    process = FaultyDisk(disk)
    store = open_store(WHERE, process)
    process.deadly, process.spared = "sync", 1  # the first one is for what others have written
    lines = disk.get(PATH).count(b"\n")
    with pytest.raises(Killed):
        change(store, (c.AddTasks((c.NewTask(name),)),), key=key)
    assert disk.get(PATH).count(b"\n") == lines + 1


def names_in(store: FilesStore) -> list[str]:
    return [task.name for task in state_of(store)["tasks"].values()]


@pytest.mark.parametrize("opened", ["before", "after"])
def test_f2_a_repeated_key_is_acknowledged_only_when_its_change_is_safe(opened: str) -> None:
    disk = begun()
    early = open_store(WHERE, disk)
    change(early, (c.AddTasks((c.NewTask("old"),)),))
    written_but_not_synced(disk, "new", "the key")
    store = early if opened == "before" else open_store(WHERE, disk)
    answer = change(store, (c.AddTasks((c.NewTask("new"),)),), key="the key")
    assert answer.revision == 3
    disk.power_cut(LoseAll())
    assert names_in(open_store(WHERE, disk)) == ["old", "new"]


def test_f2_a_snapshot_is_written_only_of_what_is_safe(eager: Callable[[], None]) -> None:
    disk = begun()
    written_but_not_synced(disk, "one")
    eager()
    open_store(WHERE, disk).close()  # reads the change that is not safe, and writes a snapshot
    assert b'"one"' in disk.get(f"{WHERE}/{SNAPSHOT}")
    disk.power_cut(LoseAll())
    assert names_in(open_store(WHERE, disk)) == ["one"]


def test_f2_a_snapshot_of_what_the_power_cut_took_is_not_believed(
    eager: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = begun()
    journal = disk.get(PATH)
    eager()
    change(open_store(WHERE, disk), (c.AddTasks((c.NewTask("one"),)),))
    monkeypatch.undo()
    snapshot = disk.get(f"{WHERE}/{SNAPSHOT}")
    disk.put(PATH, journal)  # a disk that reports a sync it did not do
    disk.put(f"{WHERE}/{SNAPSHOT}", snapshot)
    store = open_store(WHERE, disk)
    assert names_in(store) == []
    change(store, (c.AddTasks((c.NewTask("two"),)),))  # a line as long as the one that is gone
    assert disk.get(f"{WHERE}/{SNAPSHOT}") == snapshot
    assert names_in(store) == names_in(open_store(WHERE, disk)) == ["two"]


def test_f2_a_failed_sync_leaves_no_hole_before_a_later_change() -> None:
    """After a failed sync a kernel forgets the pages and says yes to the next sync."""
    disk = SimulatedDisk()
    process = FaultyDisk(disk)
    store = FilesStore.create(WHERE, process, CREATE, author="ann", now=NOW)
    process.deadly, process.spared, process.error = "sync", 1, OSError(5, "EIO")
    with pytest.raises(WriteFailed):
        change(store, (c.AddTasks((c.NewTask("lost"),)),))
    disk.drop_dirty()
    process.heal()
    change(store, (c.AddTasks((c.NewTask("kept"),)),), now=LATER)
    told = state_of(store)
    disk.power_cut(LoseAll())
    found = state_of(open_store(WHERE, disk))
    assert [task.name for task in found["tasks"].values()][-1] == "kept"
    assert found == told


def test_f2_commits_written_together_are_no_damage_when_only_the_later_one_is_kept() -> None:
    for seed in range(100):
        disk = SimulatedDisk()
        process = FaultyDisk(disk)
        store = FilesStore.create(WHERE, process, CREATE, author="ann", now=NOW)
        other = c.AddTasks((c.NewTask("other", reasoning="x" * 2000),))
        store._waiting.append(  # noqa: SLF001 - what a second thread does at the same moment
            Job((other,), receipt, author="bob", now=LATER, reason="", key="")
        )
        process.deadly, process.spared = "sync", 1
        with pytest.raises(Killed):
            change(store, (c.AddTasks((c.NewTask("short"),)),))
        disk.power_cut(Random(seed))  # noqa: S311
        survivor = open_store(WHERE, disk)
        change(survivor, (other,), now=LATEST)
        assert state_of(survivor)["revision"] in (2, 3, 4)


@pytest.mark.parametrize("opened", ["before", "after"])
def test_f2_two_processes_that_died_before_their_syncs_leave_no_damage(opened: str) -> None:
    for seed in range(100):
        disk = SimulatedDisk()
        FilesStore.create(WHERE, disk, CREATE, author="ann", now=NOW).close()
        first, second = FaultyDisk(disk), FaultyDisk(disk)
        dying = open_store(WHERE, first)
        heir = open_store(WHERE, second) if opened == "before" else None
        first.deadly, first.spared = "sync", 1
        with pytest.raises(Killed):
            change(dying, (c.AddTasks((c.NewTask("long", reasoning="x" * 900),)),))
        second.deadly, second.spared = "sync", 1
        with pytest.raises(Killed):
            change(heir or open_store(WHERE, second), (c.AddTasks((c.NewTask("short"),)),))
        disk.power_cut(Random(seed))  # noqa: S311
        survivor = open_store(WHERE, disk)
        change(survivor, (c.AddTasks((c.NewTask("goes on"),)),), now=LATEST)
        assert state_of(open_store(WHERE, disk)) == state_of(survivor)
