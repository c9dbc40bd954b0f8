"""Replaced files, links, leftovers, forks and adopted plans, and what follows a repair."""

import fcntl
import gc
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from threading import Barrier, Event, Thread
from typing import TypeVar

import pytest

from outlast.errors import ClaimLost, DamagedJournal, OutlastError, TaskClaimed
from outlast.model import commands as c
from outlast.model.changes import AttemptBegan, Commit, TaskLeased
from outlast.plan.home.workspace import Workspace
from outlast.store import snapshot
from outlast.store.files.repair import repair
from outlast.store.store import Store
from tests.store.faults import FaultyDisk, LockTracking, QuickDisk
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    LATER,
    NOW,
    SNAPSHOT,
    change,
    fresh_directory,
    get_files,
    make_store,
    on_disk,
    open_store,
    state,
)
from tests.store.simulated_disk import SimulatedDisk

T = TypeVar("T")
ADD = (c.AddTasks((c.NewTask("new"),)),)
WHERE = "/plans/some-key"


# Names


def test_x6_a_commit_goes_to_the_file_that_has_the_name_though_the_old_one_has_another(
    ram_path: Path,
) -> None:
    store = make_store(ram_path)
    (ram_path / "backup").hardlink_to(ram_path / JOURNAL)
    old = (ram_path / JOURNAL).read_bytes()
    shutil.copy(ram_path / JOURNAL, ram_path / "copy")
    (ram_path / "copy").rename(ram_path / JOURNAL)
    acknowledged = change(store, ADD)
    assert on_disk(ram_path)["revision"] == acknowledged.revision
    assert state(store) == on_disk(ram_path)
    assert (ram_path / "backup").read_bytes() == old
    store.close()


def test_f1_only_leftovers_of_a_store_are_removed(ram_path: Path) -> None:
    make_store(ram_path).close()
    own = ("notes.new", "notes.1.2.new", "snapshot.json.new", "snapshot.json.1.2.new.txt")
    for name in own:
        (ram_path / name).write_text("somebody's own")
    left = [f"{SNAPSHOT}.{os.getpid()}.1.new", f"{JOURNAL}.12.34.new"]
    for name in left:
        (ram_path / name).write_text('{"outlast":')
    store = open_store(ram_path)
    assert sorted(get_files(ram_path)) == sorted((JOURNAL, *own))
    assert sorted(str(details["name"]) for _, details in store.notices) == sorted(left)
    store.close()


@pytest.mark.parametrize("offset", [-1, 0, 5, 1 << 40])
def test_a12_a_snapshot_of_a_place_where_nothing_ends_is_not_believed(
    offset: int, ram_path: Path
) -> None:
    store = make_store(ram_path)
    expected = state(store)
    forged = store.read(lambda state: snapshot.write(state, offset, "x", {}))
    change(store, ADD)
    store.close()
    (ram_path / SNAPSHOT).write_bytes(forged)
    assert on_disk(ram_path)["revision"] == expected["revision"] + 1
    store = open_store(ram_path)
    assert change(store, ADD).revision == expected["revision"] + 2
    store.close()


def test_x6_a_store_that_was_not_closed_leaves_no_open_file(ram_path: Path) -> None:
    make_store(ram_path).close()
    disk = FaultyDisk(QuickDisk())
    for _ in range(5):
        change(open_store(ram_path, disk), ADD)
    gc.collect()
    assert not disk.held


# Clocks


def test_f11_a_lease_of_a_clock_that_was_ahead_can_be_taken_over(ram_path: Path) -> None:
    store = new_files(str(ram_path), QuickDisk(), CREATE, author="ann", now=NOW)
    change(store, ADD)
    ahead = NOW + timedelta(days=3650)
    change(store, (c.Claim("ann", 1, 60), c.ClaimPlan("ann", 60)), now=ahead)
    change(store, (c.Claim("bob", None, 60), c.ClaimPlan("bob", 60)), now=LATER)
    with pytest.raises(ClaimLost):
        change(store, (c.Complete(1, "ann", token=1),), now=ahead)
    with pytest.raises(TaskClaimed):
        change(store, (c.Claim("eve", 1, 60),), now=LATER)
    assert state(store) == on_disk(ram_path)
    store.close()


# Plans that somebody else left


class Meanwhile(LockTracking, FaultyDisk):
    """A disk on which others act at call number `at`, or as soon as nothing is locked."""

    def __init__(self, at: int, others: Callable[[], None]) -> None:
        super().__init__(QuickDisk())
        self.turn, self.others = at, others
        self.locked: set[int] = set()
        self.came = False

    def _call(self, kind: str, call: Callable[[], T], *, writes: bool = False) -> T:
        if not self.came and len(self.calls) >= self.turn and not self.locked:
            self.came = True
            self.others()
        return super()._call(kind, call, writes=writes)


def foreign_plan_json(path: Path) -> bytes:
    """Return the `plan.json` of a plan."""
    store = Workspace(str(fresh_directory(path)), QuickDisk()).create(
        CREATE, "ann", NOW, layout="sessions"
    )
    change(store, ADD)
    store.close()
    return (path / ".sessions" / CREATE.key / "plan.json").read_bytes()


def put_plan_json(path: Path, content: bytes) -> Path:
    home = fresh_directory(path) / ".sessions" / CREATE.key
    home.mkdir(parents=True)
    (home / "plan.json").write_bytes(content)
    return home


def adopt(path: Path, disk: QuickDisk | Meanwhile) -> Store:
    return Workspace(str(path), disk).open(CREATE.key, NOW)


def test_x6_two_processes_that_adopt_a_plan_at_once_both_have_it(ram_path: Path) -> None:
    content, path = foreign_plan_json(ram_path / "made"), ram_path / "plan"

    def work() -> None:
        store = adopt(path, QuickDisk())
        change(store, ADD)
        store.close()

    for at in range(200):
        home = put_plan_json(path, content)
        disk = Meanwhile(at, work)
        store = adopt(path, disk)
        if not disk.came:
            break
        assert state(store)["revision"] == 2
        assert change(store, ADD).revision == 3
        assert store.notices == []
        store.close()
        assert sorted(get_files(home)) == [JOURNAL, "plan.json", "rendered.json"]
        assert (home / "plan.json").read_bytes().count(b'"new"') == 3
    assert 20 < at < 199


def test_x6_threads_that_adopt_a_plan_at_once_all_have_it(ram_path: Path) -> None:
    content, path = foreign_plan_json(ram_path / "made"), ram_path / "plan"
    barrier = Barrier(4)

    def work(_: int) -> int:
        barrier.wait()
        store = adopt(path, QuickDisk())
        revision = change(store, ADD).revision
        store.close()
        return revision

    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            home = put_plan_json(path, content)
            assert sorted(pool.map(work, range(4))) == [2, 3, 4, 5]
            assert sorted(get_files(home)) == [JOURNAL, "plan.json", "rendered.json"]


# Forks


class HeldDisk(QuickDisk):
    """A disk on which a sync never returns."""

    def __init__(self) -> None:
        self.holds = False
        self.held = Event()

    def sync(self, fd: int) -> None:
        if self.holds:
            self.held.set()
            Event().wait()
        super().sync(fd)


def orphan(directory: str) -> bool:
    """Kill a process in the middle of a commit after it forked; return whether its lock is free.

    The forked child lives on and never uses the plan.
    """
    born, birth = os.pipe()
    end, life = os.pipe()
    parent = os.fork()
    if not parent:
        _commit_fork_and_die(directory, birth, end, life)
    os.waitpid(parent, 0)
    os.close(birth)
    assert os.read(born, 1) == b"y"
    fd = os.open(Path(directory) / JOURNAL, os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
        os.close(life)  # which ends the bystander
    return True


def _commit_fork_and_die(directory: str, birth: int, end: int, life: int) -> None:
    try:
        disk = HeldDisk()
        store = open_store(directory, disk)
        change(store, ADD)
        disk.holds = True
        Thread(target=change, args=(store, ADD), daemon=True).start()
        disk.held.wait()
        if not os.fork():
            os.close(life)
            os.write(birth, b"y")
            os.read(end, 1)
            os._exit(0)
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_f3_a_forked_bystander_does_not_keep_the_lock_of_a_killed_parent(tmp_path: Path) -> None:
    make_store(tmp_path).close()
    before = on_disk(tmp_path)["revision"]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(orphan, str(tmp_path)).result()
    assert on_disk(tmp_path)["revision"] in (before + 1, before + 2)


# Repair


class Damaged:
    """A plan with claims and attempts, whose journal is then damaged anywhere."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - what to damage is no secret
        self.disk, self.now = SimulatedDisk(), NOW
        self.store = new_files(WHERE, self.disk, CREATE, author="ann", now=NOW)
        self.given: set[int | str] = set()
        for _ in range(self.random.randrange(3, 14)):
            self.do(*self.choose())
        self.store.close()
        path = f"{WHERE}/{JOURNAL}"
        data = bytearray(self.disk.get(path))
        for _ in range(self.random.randrange(1, 4)):
            self.damage(data)
        self.disk.put(path, bytes(data))

    def choose(self) -> tuple[c.Command, ...]:
        several = range(self.random.randrange(1, 4))
        return self.random.choice(
            (
                (c.AddTasks(tuple(c.NewTask("x" * 50) for _ in several)),),
                tuple(c.Claim(f"worker {n}", None, 10) for n in several),
                tuple(c.BeginAttempt(None, "act", "look") for _ in several),
                (c.ClaimPlan("runner", 10),),
                (c.Complete(self.random.randrange(1, 5), "ann", "done"),),
                (c.Skip(self.random.randrange(1, 5)),),
            )
        )

    def do(self, *commands: c.Command) -> None:
        self.now += timedelta(seconds=100)
        with suppress(OutlastError):  # a rule: there may be no task for it
            self.given |= numbers(change(self.store, commands, now=self.now))

    def damage(self, data: bytearray) -> None:
        at, size = self.random.randrange(len(data)), self.random.randrange(1, 200)
        way = self.random.randrange(4)
        if way == 0:
            data[at] ^= 1 << self.random.randrange(8)
        elif way == 1:
            del data[at : at + size]
        elif way == 2:
            data[at : at + size] = bytes(size)
        else:
            data[at:at] = self.random.randbytes(size)
        data += b"" if data else b"x"

    def repair(self) -> bool:
        """Repair it; return whether anything could be repaired."""
        try:
            return bool(repair(WHERE, self.disk, self.now))
        except DamagedJournal:
            return False


def numbers(commit: Commit) -> set[int | str]:
    """Return the fence tokens and attempt ids that a commit gave out."""
    return {
        change.token if isinstance(change, TaskLeased) else change.id
        for change in commit.changes
        if isinstance(change, TaskLeased | AttemptBegan)
    }


@pytest.mark.parametrize("block", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_f6_no_token_or_attempt_is_given_again_after_a_repair(block: int) -> None:
    mended = 0
    for seed in range(block * 1000, block * 1000 + (1000 if block else 100)):
        plan = Damaged(seed)
        if not plan.repair():
            continue
        mended += 1
        store = open_store(WHERE, plan.disk)
        later = plan.now + timedelta(days=1)
        commands = c.BeginAttempt(None, "act", "look"), c.ClaimPlan("next", 10)
        again = numbers(change(store, commands, now=later)) & plan.given
        assert not again, f"seed {seed}"
        assert store.notices == []
    assert mended > 50
