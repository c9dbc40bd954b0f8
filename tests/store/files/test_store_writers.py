"""F3, X6: many processes and threads change one plan; nothing is lost and none is refused."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from msgspec.structs import replace

from outlast.documents.views import manifest
from outlast.errors import StoreError, WriteFailed
from outlast.model import commands as c
from outlast.plan.core import PlanCore
from outlast.plan.home.workspace import Workspace
from outlast.plan.plan import Plan
from outlast.store import journal
from outlast.store.files.log import create_files
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.documents.views.rendered_plans import TASK_PLAN, assert_rendered
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    NOW,
    SNAPSHOT,
    change,
    get_files,
    make_store,
    on_disk,
    open_store,
    state,
)
from tests.store.workers import (
    COMMITS,
    PROCESSES,
    SPAWN,
    Acknowledged,
    inherit,
    process,
    process_with_views,
    work,
    work_in_processes,
)


def assert_history(directory: Path, told: list[Acknowledged]) -> None:
    """Check that every acknowledged commit is in the journal once, at its revision."""
    lines = list(journal.split_lines((directory / JOURNAL).read_bytes()))
    commits = [journal.read_commit(line) for _, line in lines[1:]]
    kept = [(commit.revision, type(commit.changes[-1]).__name__) for commit in commits if commit]
    assert len(kept) == len(commits) == len(told) + 1
    assert [revision for revision, _ in kept] == list(range(1, len(told) + 2))
    assert sorted((revision, kind) for revision, kind, _ in told) == kept[1:]


def assert_replays(directory: Path, expected: dict[str, Any]) -> None:
    """Check that the journal alone gives the same plan."""
    assert on_disk(directory) == expected
    (directory / SNAPSHOT).unlink(missing_ok=True)
    assert on_disk(directory) == expected


def check_processes(path: Path, work_in: Callable[[str, str, int], list[Acknowledged]]) -> None:
    """Let eight processes work on one plan; check that all acknowledged commits are there."""
    create_files(str(path), Disk(), CREATE, author="ann", now=NOW)
    watcher = open_store(path)
    told = work_in_processes(work_in, str(path))
    assert_history(path, told)
    seen = state(watcher)
    assert seen["revision"] == PROCESSES * COMMITS + 1
    added = [task for _, kind, task in told if kind == "TaskAdded"]
    assert sorted(added) == sorted(seen["tasks"])
    watcher.close()
    assert_replays(path, seen)


@pytest.mark.slow
@pytest.mark.soak
def test_f3_eight_processes_lose_nothing_and_none_is_refused(tmp_path: Path) -> None:
    check_processes(tmp_path, process)


@pytest.mark.slow
@pytest.mark.soak
def test_f3_eight_processes_with_views_lose_nothing_and_the_last_revision_is_shown(
    tmp_path: Path,
) -> None:
    check_processes(tmp_path, process_with_views)
    content = (tmp_path / TASK_PLAN).read_text("utf-8")
    with closing(open_store(tmp_path)) as store:
        store.read(lambda found: assert_rendered(content, found))
    entries, _ = manifest.load(str(tmp_path), Disk())
    shown = entries[TASK_PLAN].revision
    assert shown == PROCESSES * COMMITS + 1
    assert get_files(tmp_path).keys() <= {JOURNAL, SNAPSHOT, "rendered.json", TASK_PLAN}


@pytest.mark.slow
def test_f3_sixty_four_threads_lose_nothing_and_share_their_syncs(tmp_path: Path) -> None:
    disk = FaultyDisk(Disk())
    store = new_files(str(tmp_path), disk, CREATE, author="ann", now=NOW)
    with ThreadPoolExecutor(64) as pool:
        jobs = [pool.submit(work, store, f"thread {n}", 20) for n in range(64)]
        told = [line for job in jobs for line in job.result()]
    assert len(told) == 64 * 20
    assert_history(tmp_path, told)
    assert disk.calls.count("sync") < 64 * 20, "threads that wait are taken along"
    seen = state(store)
    store.close()
    assert_replays(tmp_path, seen)


def test_f3_threads_on_two_open_stores_of_one_process_lose_nothing(ram_path: Path) -> None:
    first = new_files(str(ram_path), QuickDisk(), CREATE, author="ann", now=NOW)
    stores = (first, open_store(ram_path))
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(work, stores[n % 2], f"thread {n}", 25) for n in range(8)]
        told = [line for job in jobs for line in job.result()]
    assert_history(ram_path, told)
    assert state(stores[0]) == state(stores[1])
    assert_replays(ram_path, state(first))


@pytest.mark.slow
def test_f3_children_that_inherit_an_open_store_lose_nothing(ram_path: Path) -> None:
    """A lock on an inherited descriptor is shared with the parent, so it excludes nothing."""
    new_files(str(ram_path), QuickDisk(), CREATE, author="ann", now=NOW).close()
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        assert pool.submit(inherit, str(ram_path), 4, 50).result() == 0
    assert on_disk(ram_path)["revision"] == 4 * 50 + 1


def test_x6_an_open_store_sees_what_another_commits(ram_path: Path) -> None:
    store = make_store(ram_path)
    other = open_store(ram_path)
    mine = Plan(PlanCore(store, FixedClock(), str, "ann"))
    theirs = Plan(PlanCore(other, FixedClock(), str, "bob"))
    task = theirs.add("by bob")
    assert mine.task(task.id).name == "by bob"
    mine.complete(task.id, "by ann")
    assert theirs.task(task.id).result == "by ann"
    assert mine.revision == theirs.revision
    assert state(store) == state(other) == on_disk(ram_path)


@pytest.mark.parametrize("looked", ["between", "only at the end"])
@pytest.mark.parametrize("instead", ["taken by the disk", "another, longer or shorter"])
def test_x6_a_store_that_saw_a_change_which_the_disk_then_refused_forgets_it(
    instead: str, looked: str, ram_path: Path
) -> None:
    make_store(ram_path).close()
    reader = open_store(ram_path)

    class Watched(FaultyDisk):
        def sync(self, fd: int) -> None:
            if self.deadly == "sync":
                state(reader)
            super().sync(fd)

    disk = Watched(QuickDisk(), error=OSError(5, "EIO"))
    writer = open_store(ram_path, disk)
    disk.deadly, disk.spared = "sync", 1
    with pytest.raises(WriteFailed):
        change(writer, (c.AddTasks((c.NewTask("refused by a disk"),)),))
    disk.heal()
    if looked == "between":
        try:
            assert state(reader) == state(writer)
        except (OSError, StoreError) as error:
            pytest.fail(f"the reader cannot go on: {error!r}")
    change(writer, (c.AddTasks((c.NewTask(instead),)),))
    assert [task.name for task in state(reader)["tasks"].values()][-1] == instead
    assert state(reader) == state(writer) == on_disk(ram_path)
    change(reader, (c.Pause(),))
    assert state(reader) == state(writer) == on_disk(ram_path)


def test_x6_a_snapshot_by_another_process_does_not_disturb(
    ram_path: Path, eager: Callable[[], None]
) -> None:
    eager()
    stores = [make_store(ram_path), open_store(ram_path)]
    for number in range(10):
        change(stores[number % 2], (c.AddTasks((c.NewTask(f"{number}"),)),))
        assert state(stores[0]) == state(stores[1]) == on_disk(ram_path)


def test_r0_01_threads_that_make_the_first_plans_of_a_workspace_do_not_disturb_each_other(
    ram_path: Path,
) -> None:
    for number in range(30):
        root = ram_path / f"{number}"
        root.mkdir()
        ready = Barrier(8)

        def make(key: str, root: Path = root, ready: Barrier = ready) -> None:
            ready.wait()
            command = replace(CREATE, key=key)
            Workspace(str(root), QuickDisk()).create(command, "ann", NOW).close()

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(make, "abcdefgh"))
        assert sorted(Workspace(str(root), QuickDisk()).plan_keys()) == [*"abcdefgh"]
