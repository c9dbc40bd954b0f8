"""X6: submitted commits, and threads that commit in one batch."""

import asyncio
import gc
import multiprocessing
import shutil
import threading
import time
import weakref
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from outlast.errors import PlanNotFound, Refused, TaskNotFound, WriteFailed
from outlast.model import commands as c
from outlast.model.changes import Commit
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.store.store import Store
from outlast.system.clock import now
from outlast.system.disk import Disk
from tests.store.faults import FaultyDisk, LockTracking, QuickDisk
from tests.store.files.test_store_writers import assert_history, assert_replays
from tests.store.opening import new_files
from tests.store.operations import (
    CREATE,
    JOURNAL,
    LATER,
    NOW,
    change,
    fresh_directory,
    make_store,
    on_disk,
    open_store,
    state,
)
from tests.store.workers import Acknowledged, Agent, close_in_child

ADD = (c.AddTasks((c.NewTask("new"),)),)
WRONG: Any = ("nothing that a store knows",)
PATIENCE = 30


def send(store: Store, commands: tuple[c.Command, ...] = ADD, key: str = "") -> Future[Commit]:
    return store.submit(Request(commands, "ann", LATER, key=key), return_commit)


class AsyncAgent(Agent):
    """An agent that yields to others while it waits."""

    async def act_without_waiting(self) -> None:
        command = self.choose()
        waiting = self.store.submit(Request((command,), self.name, now()), return_commit)
        try:
            self.note(command, await asyncio.wrap_future(waiting))
        except Refused:
            assert isinstance(command, c.Start), command  # all are taken: a rule, not a race


def test_f3_sixty_four_async_writers_lose_nothing_and_share_their_syncs(tmp_path: Path) -> None:
    disk = FaultyDisk(Disk())
    store = new_files(str(tmp_path), disk, CREATE, author="ann", now=NOW)

    async def work(name: str) -> list[Acknowledged]:
        agent = AsyncAgent(store, name)
        while len(agent.acknowledged) < 20:
            await agent.act_without_waiting()
        return agent.acknowledged

    async def all_of_them() -> list[Acknowledged]:
        told = await asyncio.gather(*(work(f"writer {n}") for n in range(64)))
        return [line for lines in told for line in lines]

    told = asyncio.run(all_of_them())
    assert len(told) == 64 * 20
    assert_history(tmp_path, told)
    assert disk.calls.count("sync") < 64 * 20 / 4, "those that wait are taken along"
    seen = state(store)
    store.close()
    assert_replays(tmp_path, seen)


def test_x6_a_job_cancelled_in_time_is_not_done_and_harms_no_other(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)["revision"]
    with store.lock.mutex:
        futures = [send(store) for _ in range(3)]
        assert futures[1].cancel()
    assert [futures[n].result(PATIENCE).revision for n in (0, 2)] == [before + 1, before + 2]
    assert state(store)["revision"] == before + 2
    store.close()


def test_x6_a_task_cancelled_while_it_waits_harms_no_other(ram_path: Path) -> None:
    store = make_store(ram_path)

    async def work() -> int:
        waiting = [asyncio.ensure_future(asyncio.wrap_future(send(store))) for _ in range(20)]
        for task in waiting[::2]:
            task.cancel()
        done = await asyncio.gather(*waiting, return_exceptions=True)
        return sum(isinstance(answer, Commit) for answer in done)

    assert asyncio.run(work()) == 10
    assert send(store).result(PATIENCE).revision == state(store)["revision"]
    store.close()


def test_x6_what_was_submitted_is_done_though_the_store_is_collected(ram_path: Path) -> None:
    make_store(ram_path).close()
    before = on_disk(ram_path)["revision"]
    futures = [send(open_store(ram_path)) for _ in range(20)]
    assert sorted(future.result(PATIENCE).revision for future in futures) == [
        *range(before + 1, before + 21)
    ]
    gc.collect()
    for thread in pool_threads():
        thread.join(PATIENCE)
        assert not thread.is_alive(), "an idle thread ends"


def pool_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "outlast-commits"]


def test_x6_all_stores_of_a_process_share_eight_threads(ram_path: Path) -> None:
    stores = [make_store(fresh_directory(ram_path / str(n))) for n in range(20)]
    before = state(stores[0])["revision"]
    with ThreadPoolExecutor(16) as pool:
        futures = list(pool.map(lambda n: send(stores[n % 20]), range(200)))
        assert 1 <= len(pool_threads()) <= 8
    assert sorted(future.result(PATIENCE).revision - before for future in futures) == sorted(
        [*range(1, 11)] * 20
    )
    for store in stores:
        store.close()


def test_x6_submitting_waits_neither_for_readers_nor_for_the_disk(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)["revision"]
    with store.lock.mutex:
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(send, store).result(PATIENCE)
        assert not future.done()
    assert future.result(PATIENCE).revision == before + 1
    store.close()


def test_x6_a_store_is_collected_once_its_queue_is_committed(ram_path: Path) -> None:
    store = make_store(ram_path)
    send(store).result(PATIENCE)
    gone = weakref.ref(store)
    del store
    for _ in range(PATIENCE * 100):
        gc.collect()
        if gone() is None:
            return
        time.sleep(0.01)
    raise AssertionError


def test_x6_what_is_submitted_without_commands_writes_and_locks_nothing(ram_path: Path) -> None:
    disk = FaultyDisk(QuickDisk())
    store, other = make_store(ram_path, disk), open_store(ram_path)
    change(other, ADD)
    disk.calls.clear()
    request = Request((), "ann", LATER)
    assert (
        store.submit(request, lambda state, _: state.revision).result(PATIENCE)
        == (state(other)["revision"])
    )
    assert not {"lock", "write", "sync"} & set(disk.calls)
    store.close()
    other.close()


def test_x6_one_mistake_costs_no_other_caller_a_commit(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)["revision"]
    commands = (ADD, WRONG, ADD, (c.RemoveTask(99),), WRONG, ADD)
    with store.lock.mutex:
        futures = [send(store, asked, key=f"{n}") for n, asked in enumerate(commands)]
        futures.append(store.submit(Request(ADD, "ann", LATER), lambda *_: 1 // 0))  # type: ignore[arg-type]
    assert isinstance(futures[1].exception(PATIENCE), (KeyError, TypeError))
    assert isinstance(futures[3].exception(PATIENCE), TaskNotFound)
    assert isinstance(futures[6].exception(PATIENCE), ZeroDivisionError)
    assert [futures[n].result(PATIENCE).revision - before for n in (0, 2, 5)] == [1, 2, 3]
    assert state(store) == on_disk(ram_path)
    assert state(store)["revision"] == before + 4
    store.close()


def test_x6_a_failed_write_is_reported_to_every_caller_of_the_batch(ram_path: Path) -> None:
    disk = FaultyDisk(QuickDisk(), error=OSError(5, "EIO"))
    store = make_store(ram_path, disk)
    before = state(store)
    with store.lock.mutex:
        futures = [send(store) for _ in range(3)]
        disk.deadly = "sync"
    assert {type(future.exception(PATIENCE)) for future in futures} == {WriteFailed}
    assert state(store) == before == on_disk(ram_path)
    assert send(store).result(PATIENCE).revision == before["revision"] + 1
    store.close()


def test_x6_a_cancelled_job_is_reported_though_the_disk_fails(ram_path: Path) -> None:
    disk = FaultyDisk(QuickDisk(), error=OSError(5, "EIO"))
    store = make_store(ram_path, disk)
    with store.lock.mutex:
        futures = [send(store) for _ in range(2)]
        assert futures[1].cancel()
        disk.deadly = "lock"
    assert not wait(futures, PATIENCE).not_done
    assert isinstance(futures[0].exception(), WriteFailed)
    store.close()


class LockedDisk(LockTracking, QuickDisk):
    """A disk that refuses a write to a journal that is not locked."""

    def __init__(self) -> None:
        self.locked: set[int] = set()

    def write(self, fd: int, data: bytes) -> int:
        assert fd in self.locked or not data.startswith(b'{"revision"')
        return super().write(fd, data)


def test_x6_a_replaced_journal_is_locked_before_it_is_written_to(ram_path: Path) -> None:
    make_store(ram_path).close()
    disk = LockedDisk()
    store = open_store(ram_path, disk)
    for _ in range(3):
        shutil.copy(ram_path / JOURNAL, ram_path / "copy")
        (ram_path / "copy").rename(ram_path / JOURNAL)
        change(store, ADD)
        assert not disk.locked
        assert state(store) == on_disk(ram_path)
    store.close()


def test_x6_a_deleted_plan_is_reported(ram_path: Path) -> None:
    store = make_store(ram_path)
    (ram_path / JOURNAL).unlink()
    with pytest.raises(PlanNotFound):
        change(store, ADD)
    with pytest.raises(PlanNotFound):
        state(store)
    with pytest.raises(PlanNotFound):
        send(store).result(PATIENCE)
    store.close()


def test_x6_a_child_may_close_the_store_of_its_parent(ram_path: Path) -> None:
    make_store(ram_path).close()
    before = on_disk(ram_path)["revision"]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(close_in_child, str(ram_path)).result() == 0
    assert on_disk(ram_path)["revision"] == before + 4
