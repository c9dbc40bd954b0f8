"""F5, X6: writes whose outcome is unknown, and what an interrupt costs the others."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from outlast.errors import DamagedJournal, WriteFailed
from outlast.model import commands as c
from outlast.model.changes import Commit
from outlast.model.execute import return_commit
from outlast.store.port import Request
from outlast.store.store import Store
from tests.store.faults import FaultyDisk, QuickDisk
from tests.store.operations import JOURNAL, LATER, change, make_store, on_disk, open_store, state

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


class Overtaken(QuickDisk):
    """A disk on which another process acts while a sync is under way."""

    def __init__(self) -> None:
        self.meanwhile: list[Callable[[], object]] = []
        self.error: OSError | None = None

    def sync(self, fd: int) -> None:
        while self.meanwhile:
            self.meanwhile.pop()()
        if self.error is not None:
            raise self.error
        super().sync(fd)


def test_f3_another_process_goes_on_while_a_commit_is_synced(ram_path: Path) -> None:
    disk, made = Overtaken(), list[Commit]()
    store, other = make_store(ram_path, disk), open_store(ram_path)
    before = change(other, ADD).revision  # whose own first commit also syncs what it found
    disk.meanwhile.append(lambda: made.append(change(other, ADD)))
    assert change(store, ADD).revision == before + 1
    assert made[0].revision == before + 2
    first, last = (ram_path / JOURNAL).read_bytes().splitlines()[-2:]
    assert json.loads(last)["back"] >= len(first), "its sync makes both durable, or neither"
    assert change(store, ADD).revision == before + 3
    assert state(store) == state(other) == on_disk(ram_path)
    store.close()
    other.close()


def test_f5_a_failed_sync_is_unknown_once_another_process_has_built_on_it(ram_path: Path) -> None:
    disk = Overtaken()
    store, other = make_store(ram_path, disk), open_store(ram_path)
    before = change(other, ADD).revision
    disk.error = OSError(5, "EIO")
    disk.meanwhile.append(lambda: change(other, ADD))
    with pytest.raises(WriteFailed) as caught:
        change(store, ADD, key="the key")
    assert caught.value.text == "write_unknown"
    disk.error = None
    assert change(store, ADD, key="the key").revision == before + 1, "it is there, and only once"
    assert state(store)["revision"] == before + 2
    assert state(store) == state(other) == on_disk(ram_path)
    store.close()
    other.close()


@pytest.mark.parametrize("commits", [1, 3])
def test_f19_a_reader_is_not_cut_off_by_a_failed_sync_of_another(
    commits: int, ram_path: Path
) -> None:
    disk, revisions = Overtaken(), list[int]()
    store, reader = make_store(ram_path, disk), open_store(ram_path)
    change(store, ADD)
    before = state(reader)
    disk.error = OSError(5, "EIO")
    disk.meanwhile.append(lambda: revisions.append(state(reader)["revision"]))
    submitted = [store.submit(Request(ADD, "ann", LATER), return_commit) for _ in range(commits)]
    for future in submitted:
        with pytest.raises(WriteFailed):
            future.result(PATIENCE)
    assert revisions[0] > before["revision"], "it has read what was withdrawn then"
    assert state(reader) == before
    assert [text for text, _ in reader.notices] == ["commit_withdrawn"]
    assert change(reader, ADD).revision == before["revision"] + 1
    reader.close()
    disk.error = None
    store.close()


def test_x6_an_interrupt_with_an_unknown_write_costs_the_others_nothing(ram_path: Path) -> None:
    disk = StubbornDisk(QuickDisk(), error=KeyboardInterrupt())
    store = make_store(ram_path, disk)
    before = state(store)["revision"]
    with store.lock.mutex:
        future = store.submit(Request(ADD, "bob", LATER), return_commit)
        disk.deadly = "sync"
        with pytest.raises(KeyboardInterrupt):
            change(store, ADD)
    commit = future.result(PATIENCE)  # it was written, and is not written again
    assert (commit.revision, commit.author) == (before + 1, "bob")
    disk.struck = False
    assert [made.author for made in store.commits_since(before)] == ["bob", "ann"]
    assert state(store) == on_disk(ram_path)
    store.close()


def test_x6_an_interrupt_costs_only_the_commit_it_hits(ram_path: Path) -> None:
    disk = FaultyDisk(QuickDisk(), error=KeyboardInterrupt())
    store = make_store(ram_path, disk)
    before = state(store)["revision"]
    with store.lock.mutex:
        future = store.submit(Request(ADD, "bob", LATER), return_commit)
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
    with store.lock.mutex:
        future = store.submit(Request(ADD, "bob", LATER), return_commit)
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
        lambda: open_store(ram_path).commit(Request(ADD, "ann", LATER), return_commit),
    )
    for call in calls:
        with pytest.raises(DamagedJournal):
            call()
    assert state(store)["revision"] == expected["revision"] + 1
    journal.write_bytes(good)
    assert change(store, ADD, key="once") == made
    assert store.commits_since(0)[-1] == made
    store.close()


def _again(store: Store, key: str) -> Commit:
    return change(store, ADD, key=key)
