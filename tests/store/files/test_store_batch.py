"""F3, X6: batches with a job that breaks, and callbacks that close the plan."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from outlast.errors import InvalidArgument
from outlast.model import commands as c
from outlast.model.changes import Commit
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.store.store import Store
from tests.store.faults import QuickDisk
from tests.store.operations import LATER, change, make_store, on_disk, open_store, state

PATIENCE = 30
ADD = (c.AddTasks((c.NewTask("new"),)),)
NO_TIME: Any = object()


class Fragile(tuple[c.Command, ...]):
    """Commands that can be iterated once and then raise."""

    __slots__ = ()

    def __iter__(self) -> Any:
        yield self[0]
        raise ZeroDivisionError


class SubmittingDisk(QuickDisk):
    """A disk on which something is submitted while the journal is looked up."""

    submit: Callable[[], Future[Commit]] | None = None
    sent: Future[Commit] | None = None

    def stat_path(self, path: str) -> tuple[tuple[int, int], int]:
        submit, self.submit = self.submit, None
        if submit is not None:
            self.sent = submit()
        return super().stat_path(path)


def anything(value: object) -> Any:
    return value


Broken = tuple[tuple[c.Command, ...], str, datetime]
BROKEN: dict[str, Broken] = {
    "no command": (anything(("nothing that a store knows",)), "", LATER),
    "no commands": (anything(None), "", LATER),
    "breaks half-way": (Fragile((*ADD, *ADD)), "", LATER),
    "breaks while it is decided": ((c.Claim("ann", 5, 60),), "", NO_TIME),
    "cannot be written though it was carried out": (ADD, "", NO_TIME),
    "cannot be told from another": ((c.Start(anything(object())),), "some key", LATER),
}


def send(
    store: Store, commands: tuple[c.Command, ...], key: str = "", now: datetime = LATER
) -> Future[Commit]:
    return store.submit(Request(commands, "ann", now, key=key), return_commit)


@pytest.mark.parametrize("broken", BROKEN)
def test_f3_a_command_that_breaks_fails_alone(broken: str, ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)["revision"]
    with store.lock.mutex:
        first, failing, last = send(store, ADD, "a"), send(store, *BROKEN[broken]), send(store, ADD)
    error = failing.exception(PATIENCE)
    assert isinstance(error, TypeError | AttributeError | KeyError | ZeroDivisionError), error
    assert [job.result(PATIENCE).revision - before for job in (first, last)] == [1, 2]
    assert state(store) == on_disk(ram_path)
    assert len(store.commits_since(before)) == 2
    assert change(store, ADD, key="a").revision == before + 1
    assert store.notices == open_store(ram_path).notices == []
    store.close()


def test_f3_a_refused_command_costs_other_threads_nothing(ram_path: Path) -> None:
    store = make_store(ram_path)
    before = state(store)["revision"]
    refused: list[BaseException] = []

    def commit_wrongly() -> None:
        with pytest.raises(InvalidArgument) as caught:
            change(store, (c.Start(anything([]), 1),))
        refused.append(caught.value)

    thread = Thread(target=commit_wrongly)
    with store.lock.mutex:
        thread.start()
        sent = send(store, ADD)
    assert sent.result(PATIENCE).revision == before + 1
    thread.join(PATIENCE)
    assert len(refused) == 1
    assert state(store) == on_disk(ram_path)
    store.close()


class Contended(QuickDisk):
    """A disk whose lock takes time; other threads act meanwhile."""

    def __init__(self) -> None:
        self.meanwhile: list[Callable[[], object]] = []
        self.syncs = 0

    def lock(self, fd: int) -> None:
        while self.meanwhile:
            self.meanwhile.pop()()
        super().lock(fd)

    def sync(self, fd: int) -> None:
        self.syncs += 1
        super().sync(fd)


def test_x6_jobs_that_come_while_the_leader_waits_for_the_lock_share_the_sync(
    ram_path: Path,
) -> None:
    disk, sent = Contended(), list[Future[Commit]]()
    store = make_store(ram_path, disk)
    before, syncs = state(store)["revision"], disk.syncs
    disk.meanwhile.append(lambda: sent.append(send(store, ADD)))
    assert change(store, ADD).revision == before + 1
    assert sent[0].result(PATIENCE).revision == before + 2
    assert disk.syncs == syncs + 1
    assert state(store) == on_disk(ram_path)
    store.close()


def close_at_once(store: Store, closed: Event) -> Callable[[object], None]:
    def close(_: object) -> None:
        store.close()
        closed.set()

    return close


def test_x6_a_callback_of_a_commit_may_close_the_plan(ram_path: Path) -> None:
    store, closed = make_store(ram_path), Event()
    before = state(store)["revision"]
    with store.lock.mutex:
        sent = send(store, ADD)
        sent.add_done_callback(close_at_once(store, closed))
    assert sent.result(PATIENCE).revision == before + 1
    assert closed.wait(PATIENCE)
    assert on_disk(ram_path)["revision"] == before + 1


def test_x6_a_callback_in_another_committing_thread_may_close_the_plan(ram_path: Path) -> None:
    store, closed = make_store(ram_path), Event()
    before = state(store)["revision"]
    thread = Thread(target=change, args=(store, ADD), daemon=True)
    with store.lock.mutex:
        sent = send(store, ADD)
        sent.add_done_callback(close_at_once(store, closed))
        thread.start()
        while len(store._queue) < 2:  # noqa: SLF001 - the other thread is about to join
            thread.join(0.0001)
    assert closed.wait(PATIENCE)
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert on_disk(ram_path)["revision"] == before + 2


def test_x1_a_commit_that_comes_while_others_only_read_is_written(tmp_path: Path) -> None:
    """A batch of reads takes no lock, so that nothing may be decided in it that came later."""
    store = make_store(tmp_path, disk := SubmittingDisk())
    disk.submit = lambda: store.submit(Request(ADD, "ann", LATER), return_commit)
    revision = store.commit(Request((), "ann", LATER), return_commit).revision
    assert disk.sent is not None
    assert disk.sent.result(PATIENCE).revision == revision + 1
    assert on_disk(tmp_path)["revision"] == revision + 1
    store.close()
