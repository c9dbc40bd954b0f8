"""F3, X6: many processes and threads change one plan in a database; nothing is lost."""

import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from outlast.errors import LockTimeout, PlanExists, StoreError, TaskNotFound
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.store.store import Store
from outlast.testing import FixedClock
from tests.store.faults import QuickDisk
from tests.store.operations import CREATE, LATER, NOW
from tests.store.sqlite.databases import (
    ADD,
    KEY,
    NAME,
    begin,
    change,
    close_in_child,
    connection_of,
    database,
    fork_among_threads,
    fork_in_answer,
    inherit,
    make_store,
    on_disk,
    open_and_close,
    open_store,
    process,
    sql,
    state,
)
from tests.store.workers import SPAWN, Acknowledged, work, work_in_processes

WRONG: Any = ("nothing that a store knows",)


def assert_history(store: Store, told: list[Acknowledged]) -> None:
    """Check that every acknowledged commit is there once, at its revision."""
    kept = [
        (commit.revision, type(commit.changes[-1]).__name__) for commit in store.commits_since(0)
    ]
    assert [revision for revision, _ in kept] == list(range(1, len(told) + 2))
    assert sorted((revision, kind) for revision, kind, _ in told) == kept[1:]


@pytest.mark.slow
@pytest.mark.soak
def test_f3_eight_processes_lose_nothing_and_none_is_refused(tmp_path: Path) -> None:
    begin(tmp_path).close()
    watcher = open_store(tmp_path)
    told = work_in_processes(process, str(tmp_path))
    assert_history(watcher, told)
    seen = state(watcher)
    added = [task for _, kind, task in told if kind == "TaskAdded"]
    assert sorted(added) == sorted(seen["tasks"])
    watcher.close()
    assert on_disk(tmp_path) == seen


@pytest.mark.slow
def test_f3_handles_that_are_opened_and_closed_all_the_time_lose_nothing(ram_path: Path) -> None:
    """SQLite's locks belong to the process: closing one handle must not drop another's."""
    begin(ram_path).close()
    with ProcessPoolExecutor(3, mp_context=SPAWN) as pool:
        jobs = [pool.submit(open_and_close, str(ram_path), f"process {n}", 100) for n in range(3)]
        made = [revision for job in jobs for revision in job.result()]
    assert sorted(made) == [*range(2, 302)]
    database(ram_path).check_integrity(KEY, NOW)
    assert [path.name for path in ram_path.iterdir()] == [NAME]


def test_f3_threads_on_two_open_stores_of_one_process_lose_nothing(ram_path: Path) -> None:
    stores = (begin(ram_path), open_store(ram_path))
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(work, stores[n % 2], f"thread {n}", 25) for n in range(8)]
        told = [line for job in jobs for line in job.result()]
    assert_history(stores[0], told)
    assert state(stores[0]) == state(stores[1]) == on_disk(ram_path)
    for store in stores:
        store.close()


@pytest.mark.slow
def test_f3_children_that_inherit_an_open_store_lose_nothing(ram_path: Path) -> None:
    """SQLite would take the parent's locks for its own, and exclude nobody."""
    begin(ram_path).close()
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        assert pool.submit(inherit, str(ram_path), 4, 50).result() == 0
    assert on_disk(ram_path)["revision"] == 1 + 4 + 4 * 50 + 1


@pytest.mark.slow
def test_f3_a_child_forked_while_threads_work_is_not_left_waiting(ram_path: Path) -> None:
    begin(ram_path).close()
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        assert pool.submit(fork_among_threads, str(ram_path), 40).result() == 0
    database(ram_path).check_integrity(KEY, NOW)


def test_x6_a_child_may_close_the_store_of_its_parent(ram_path: Path) -> None:
    begin(ram_path).close()
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        assert pool.submit(close_in_child, str(ram_path)).result() == 0
    assert on_disk(ram_path)["revision"] == 5


def test_f3_a_child_forked_in_a_transaction_is_refused(ram_path: Path) -> None:
    begin(ram_path).close()
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        assert pool.submit(fork_in_answer, str(ram_path)).result() == "store_inherited"
    assert on_disk(ram_path)["revision"] == 3


def test_x6_an_open_store_sees_what_another_commits(ram_path: Path) -> None:
    first = make_store(ram_path)
    second = open_store(ram_path)
    for number in range(6):
        change((first, second)[number % 2], ADD)
        assert state(first) == state(second) == on_disk(ram_path)
    first.close()
    second.close()


def test_x6_a_snapshot_by_another_process_does_not_disturb(
    ram_path: Path, eager: Callable[[], None]
) -> None:
    eager()
    stores = [make_store(ram_path), open_store(ram_path)]
    for number in range(10):
        change(stores[number % 2], (c.AddTasks((c.NewTask(f"{number}"),)),))
        assert state(stores[0]) == state(stores[1]) == on_disk(ram_path)
    assert sql(ram_path, "select place from snapshots") == [(len(stores[0].commits_since(0)),)]
    for store in stores:
        store.close()


def test_x6_one_mistake_costs_no_other_caller_a_commit(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)["revision"]
    commands: tuple[Any, ...] = (ADD, WRONG, ADD, (c.RemoveTask(99),), WRONG, ADD)
    with store.lock.mutex:
        futures = [
            store.submit(Request(asked, "ann", LATER, key=f"{n}"), return_commit)
            for n, asked in enumerate(commands)
        ]
    assert isinstance(futures[1].exception(30), (KeyError, TypeError))
    assert isinstance(futures[3].exception(30), TaskNotFound)
    assert [futures[n].result(30).revision - before for n in (0, 2, 5)] == [1, 2, 3]
    assert state(store) == on_disk(ram_path)
    store.close()
    assert "outlast-writer" not in [thread.name for thread in threading.enumerate()]


def test_x6_what_ends_a_thread_is_raised_to_the_waiting_callers(ram_path: Path) -> None:
    store = make_store(ram_path)

    def leave(*_: object) -> None:
        raise SystemExit

    assert isinstance(store.submit(Request(ADD, "ann", LATER), leave).exception(30), SystemExit)
    before = state(store)["revision"]
    made = store.submit(Request(ADD, "ann", LATER), return_commit).result(30)
    assert made.revision == before + 1
    store.close()


@pytest.mark.parametrize("how", ["begin immediate", "begin exclusive"])
def test_f3_a_program_that_keeps_the_database_locked_is_waited_for(
    how: str, ram_path: Path
) -> None:
    make_store(ram_path).close()
    other = sqlite3.connect(ram_path / NAME, isolation_level=None, check_same_thread=False)
    other.execute(how)
    store = open_store(ram_path)
    timer = threading.Timer(0.2, other.rollback)
    timer.start()
    assert change(store, ADD).revision == state(store)["revision"]
    timer.join()
    other.close()
    store.close()


class Hurried(QuickDisk):
    """A disk that does not wait long for a lock."""

    def lock_seconds(self) -> float:
        return 0.05


def test_f22_a_program_that_never_lets_go_costs_the_change_and_nothing_else(ram_path: Path) -> None:
    make_store(ram_path).close()
    store = open_store(ram_path, disk=Hurried())
    before = state(store)
    with closing(sqlite3.connect(ram_path / NAME, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(LockTimeout) as caught:
            change(store, ADD)
        assert caught.value.details["pid"] == os.getpid()
        assert state(store) == before
    assert change(store, ADD).revision == before["revision"] + 1
    store.close()


def test_f3_processes_that_make_the_database_at_the_same_time_have_one(ram_path: Path) -> None:
    def make(key: str) -> str:
        try:
            database(ram_path).create(replace(CREATE, key=key), "ann", NOW).close()
        except PlanExists:
            return "late"
        return key

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, ["a", "b", "c", "d", "a", "b", "c", "d"]))
    assert sorted(made) == ["a", "b", "c", "d", "late", "late", "late", "late"]
    assert sorted(database(ram_path).plan_keys()) == ["a", "b", "c", "d"]
    assert [path.name for path in ram_path.iterdir()] == [NAME]


def test_f3_plans_of_one_database_do_not_mix(ram_path: Path) -> None:
    stores = [
        database(ram_path).create(replace(CREATE, key=f"plan {n}"), "ann", NOW) for n in range(4)
    ]
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda store: work(store, "agent", 25), stores))
    for store, own in zip(stores, told, strict=True):
        assert_history(store, own)
        store.close()


def test_x6_an_interrupted_commit_leaves_none_of_it(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.commit(Request(ADD, "ann", FixedClock()()), interrupt)
    assert not connection_of(store).in_transaction
    assert state(store) == before == on_disk(ram_path)
    assert change(store, ADD).revision == before["revision"] + 1
    store.close()


def test_x6_a_closed_database_is_not_left_open_by_an_error(ram_path: Path) -> None:
    with pytest.raises(StoreError):
        open_store(ram_path)
    begin(ram_path).close()
    assert [path.name for path in ram_path.iterdir()] == [NAME]


def test_f3_one_look_sees_all_that_others_have_committed_however_much(ram_path: Path) -> None:
    store = begin(ram_path)
    with closing(open_store(ram_path)) as other:
        before = other.read(lambda plan: plan.revision)
        for number in range(450):  # more than two pages of rows
            change(store, (c.AddTasks((c.NewTask(f"task {number}"),)),))
        seen = other.read(lambda plan: (plan.revision, len(plan.tasks)))
        assert seen == (before + 450, 450)
        assert len(other.commits_since(before)) == 450
    store.close()
