"""F5, X6: writes whose outcome is unknown, and what an interrupt costs the others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from outlast.adapters.stores.files.store import FilesStore
from outlast.domain import commands as c
from outlast.domain.changes import Commit
from outlast.domain.execute import return_commit
from outlast.errors import DamagedJournal, WriteFailed
from tests.adapters.stores.faults import FaultyDisk, QuickDisk
from tests.adapters.stores.operations import (
    JOURNAL,
    LATER,
    change,
    make_store,
    on_disk,
    open_store,
    state,
)

ADD = (c.AddTasks((c.NewTask("new"),)),)
PATIENCE = 30


class StubbornDisk(FaultyDisk):
    """A disk that fails a sync and the truncation after it."""

    def truncate(self, fd: int, size: int) -> None:
        if self.struck:
            raise OSError(5, "EIO")
        super().truncate(fd, size)


@pytest.mark.parametrize("kind", ["write", "sync"])
def test_f5_an_unknown_write_is_reported_and_settled_by_its_key(kind: str, ram_path: Path) -> None:
    disk = StubbornDisk(QuickDisk(), error=OSError(5, "EIO"))
    store = make_store(ram_path, disk)
    before = state(store)["revision"]
    disk.deadly = kind
    with pytest.raises(WriteFailed) as caught:
        change(store, ADD, key="the key")
    assert caught.value.text == "write_unknown"
    disk.struck = False
    assert state(store) == on_disk(ram_path)
    assert change(store, ADD, key="the key").revision == before + 1
    assert state(store) == on_disk(ram_path)
    store.close()


def test_x6_an_interrupt_with_an_unknown_write_is_reported_to_the_others(ram_path: Path) -> None:
    disk = StubbornDisk(QuickDisk(), error=KeyboardInterrupt())
    store = make_store(ram_path, disk)
    with store._lock.mutex:  # noqa: SLF001 - so that both are committed together
        future = store.submit(ADD, return_commit, author="bob", now=LATER)
        disk.deadly = "sync"
        with pytest.raises(KeyboardInterrupt):
            change(store, ADD)
    failed = future.exception(PATIENCE)
    assert isinstance(failed, WriteFailed)
    assert failed.text == "write_unknown"
    disk.struck = False
    assert state(store) == on_disk(ram_path)
    store.close()


def test_x6_an_interrupt_costs_only_the_commit_it_hits(ram_path: Path) -> None:
    disk = FaultyDisk(QuickDisk(), error=KeyboardInterrupt())
    store = make_store(ram_path, disk)
    before = state(store)["revision"]
    with store._lock.mutex:  # noqa: SLF001 - so that both are committed together
        future = store.submit(ADD, return_commit, author="bob", now=LATER)
        disk.deadly = "sync"
        with pytest.raises(KeyboardInterrupt):
            change(store, ADD)
    assert future.result(PATIENCE).revision == before + 1
    assert state(store) == on_disk(ram_path)
    store.close()


def test_x6_an_interrupt_after_the_commit_takes_nothing_from_the_others(
    ram_path: Path, eager: Callable[[], None]
) -> None:
    disk = FaultyDisk(QuickDisk(), error=KeyboardInterrupt())
    store = make_store(ram_path, disk)
    before = state(store)["revision"]
    eager()
    with store._lock.mutex:  # noqa: SLF001 - so that both are committed together
        future = store.submit(ADD, return_commit, author="bob", now=LATER)
        disk.deadly = "rename"  # of the snapshot
        with pytest.raises(KeyboardInterrupt):
            change(store, ADD)
        assert future.done()
    assert {future.result().revision, before + 2} == {before + 1, before + 2}
    assert state(store)["revision"] == before + 2
    assert state(store) == on_disk(ram_path)
    store.close()


def test_f6_damage_under_an_open_store_is_reported_when_it_is_read(ram_path: Path) -> None:
    store = make_store(ram_path)
    expected, made = state(store), change(store, ADD, key="once")
    journal = ram_path / JOURNAL
    good = journal.read_bytes()
    place = good.index(b'"step 2"')
    journal.write_bytes(good[:place] + b"#" + good[place + 1 :])
    calls: tuple[Callable[[], object], ...] = (
        lambda: store.commits_since(0),
        lambda: store.state_before(3),
        lambda: _again(store, "step 2"),
        lambda: open_store(ram_path).commit(ADD, return_commit, author="ann", now=LATER),
    )
    for call in calls:
        with pytest.raises(DamagedJournal):
            call()
    assert state(store)["revision"] == expected["revision"] + 1
    journal.write_bytes(good)
    assert change(store, ADD, key="once") == made
    assert store.commits_since(0)[-1] == made
    store.close()


def _again(store: FilesStore, key: str) -> Commit:
    return change(store, ADD, key=key)
