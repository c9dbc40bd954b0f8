"""F2: a power loss takes what was not synced, in any order; what was acknowledged stays."""

import os
from collections.abc import Callable
from random import Random

import pytest

from outlast.errors import WriteFailed
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.store.store import CommitJob, Store
from tests.store.faults import FaultyDisk, Killed
from tests.store.opening import new_files
from tests.store.operations import CREATE, JOURNAL, LATER, LATEST, NOW, SNAPSHOT, change, open_store
from tests.store.operations import state as state_of
from tests.store.power_loss import WHERE, World, survive
from tests.store.simulated_disk import LoseAll, SimulatedDisk

SEEDS = int(os.environ.get("OUTLAST_SEEDS", "20000"))
BLOCKS = 8
PATH = f"{WHERE}/{JOURNAL}"


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("block", range(BLOCKS))
def test_f2_what_was_acknowledged_survives_every_power_cut(
    block: int, eager: Callable[[], None]
) -> None:
    eager()
    assert survive(World, range(block, SEEDS, BLOCKS)) >= SEEDS // BLOCKS


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


def new_disk() -> SimulatedDisk:
    """Return a disk with a plan that has no tasks."""
    disk = SimulatedDisk()
    new_files(WHERE, disk, CREATE, author="ann", now=NOW).close()
    return disk


def write_without_sync(disk: SimulatedDisk, name: str, key: str = "") -> None:
    """Kill a process between its write and its sync."""
    process = FaultyDisk(disk)
    store = open_store(WHERE, process)
    process.deadly, process.spared = "sync", 1  # the first one is for what others have written
    lines = disk.get(PATH).count(b"\n")
    with pytest.raises(Killed):
        change(store, (c.AddTasks((c.NewTask(name),)),), key=key)
    assert disk.get(PATH).count(b"\n") == lines + 1


def names_in(store: Store) -> list[str]:
    return [task.name for task in state_of(store)["tasks"].values()]


@pytest.mark.parametrize("opened", ["before", "after"])
def test_f2_a_repeated_key_is_acknowledged_only_when_its_change_is_safe(opened: str) -> None:
    disk = new_disk()
    early = open_store(WHERE, disk)
    change(early, (c.AddTasks((c.NewTask("old"),)),))
    write_without_sync(disk, "new", "the key")
    store = early if opened == "before" else open_store(WHERE, disk)
    answer = change(store, (c.AddTasks((c.NewTask("new"),)),), key="the key")
    assert answer.revision == 3
    disk.power_cut(LoseAll())
    assert names_in(open_store(WHERE, disk)) == ["old", "new"]


def test_f2_a_snapshot_is_written_only_of_what_is_safe(eager: Callable[[], None]) -> None:
    disk = new_disk()
    write_without_sync(disk, "one")
    eager()
    open_store(WHERE, disk).close()  # reads the change that is not safe, and writes a snapshot
    assert b'"one"' in disk.get(f"{WHERE}/{SNAPSHOT}")
    disk.power_cut(LoseAll())
    assert names_in(open_store(WHERE, disk)) == ["one"]


def test_f2_a_snapshot_of_what_the_power_cut_took_is_not_believed(
    eager: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = new_disk()
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
    """After a failed sync, the kernel drops the dirty pages and the next sync succeeds."""
    disk = SimulatedDisk()
    process = FaultyDisk(disk)
    store = new_files(WHERE, process, CREATE, author="ann", now=NOW)
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
        store = new_files(WHERE, process, CREATE, author="ann", now=NOW)
        other = c.AddTasks((c.NewTask("other", reasoning="x" * 2000),))
        store._queue.append(  # noqa: SLF001 - what a second thread does at the same moment
            CommitJob(Request((other,), "bob", LATER), return_commit)
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
        new_files(WHERE, disk, CREATE, author="ann", now=NOW).close()
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
