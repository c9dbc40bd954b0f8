"""A log of somebody else: it cannot be locked, and its guarded insert says who was first."""

from __future__ import annotations

from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import pytest

from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.log import Behind, End, Log
from outlast.store.port import Request
from outlast.store.store import Store
from outlast.system.disk import Disk
from outlast.testing.conformance import StoreConformance
from tests.store.operations import CREATE, NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.model.changes import Commit
    from outlast.model.commands import CreatePlan
    from outlast.store.log import News, Page

THREADS, COMMITS = 3, 20


class Table:
    """Commits that any number of logs insert into, as into the table of a database."""

    def __init__(self) -> None:
        self.rows: list[Commit] = []
        self._guard = Lock()

    def insert(self, rows: list[Commit], after: int) -> bool:
        """Add rows behind a number of them; return whether there are no others yet."""
        with self._guard:
            if len(self.rows) == after:
                self.rows += rows
                return True
            return False


class TableLog(Log):
    """A log over a table; positions are the numbers of rows. Behind `interruption` others write."""

    begins_empty = True
    disk = Disk()

    def __init__(self, table: Table) -> None:
        self.where, self.notices = "a table", []
        self.table = table
        self.interruption: Callable[[], object] = lambda: None
        self.behind = 0
        self._read, self._batch = 0, list[Any]()

    def check(self) -> News:
        return "current" if len(self.table.rows) == self._read else "grown"

    def seek(self, position: int, _mark: str, _revision: int) -> None:
        self._read = position

    def read_new(self, _revision: int) -> Iterator[tuple[int, Commit]]:
        while self._read < len(self.table.rows):
            self._read += 1
            yield self._read - 1, self.table.rows[self._read - 1]

    def end(self, revision: int) -> End:
        return End(self._read, b"", revision)

    def has_end(self, end: End) -> bool:
        return end.position <= len(self.table.rows)

    def prepare(self) -> None:
        self._batch = []

    def add(self, commit: Commit) -> int:
        self._batch.append(commit)
        return self._read + len(self._batch) - 1

    def write(self) -> None:
        self.interruption()
        if not self.table.insert(self._batch, self._read):
            self.behind += 1
            raise Behind
        self._read += len(self._batch)
        self._batch = []

    def read_page(self, since: int, position: int | None) -> Page:
        rows = self.table.rows[: self._read] + self._batch
        first = [n for n, commit in enumerate(rows) if commit.revision > since]
        begin = (first[0] if first else len(rows)) if position is None else position
        return rows[begin : begin + 3], min(begin + 3, len(rows))

    def read_page_back(self, position: int | None) -> Page:
        end = self._read if position is None else position
        begin = max(end - 3, 0)
        return self.table.rows[begin:end][::-1], begin

    def commit_at(self, position: int) -> Commit:
        return self.table.rows[position]


class TestTableLog(StoreConformance):
    """A store over such a log passes the suite for stores."""

    @pytest.fixture(autouse=True)
    def prepare(self) -> None:
        self.tables: dict[Store, Table] = {}

    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        store = self._open(Table(), now)
        store.commit(Request((command,), author, now), return_commit)
        return store

    def reopen(self, store: Any) -> Store:
        store.close()
        return self._open(self.tables[store], NOW)

    def _open(self, table: Table, now: datetime) -> Store:
        store = Store(TableLog(table), now)
        self.tables[store] = table
        return store


def begin() -> tuple[TableLog, Store, Store]:
    table = Table()
    log = TableLog(table)
    first = Store(log, NOW)
    first.commit(Request((CREATE,), "ann", NOW), return_commit)
    return log, first, Store(TableLog(table), NOW)


def add(store: Store, name: str, key: str = "") -> Commit:
    return store.commit(
        Request((c.AddTasks((c.NewTask(name),)),), "ann", NOW, key=key), return_commit
    )


def names(store: Store) -> list[str]:
    return store.read(lambda state: [task.name for task in state.tasks_in_order()])


def test_x6_who_was_slower_decides_again_on_what_the_others_have_made() -> None:
    log, store, other = begin()

    def be_faster() -> None:
        log.interruption = lambda: None
        add(other, "theirs")

    log.interruption = be_faster
    assert add(store, "ours").revision == 3
    assert names(store) == names(other) == ["theirs", "ours"]
    assert log.behind == 1


def test_x1_a_key_that_was_taken_meanwhile_is_answered_with_their_commit() -> None:
    log, store, other = begin()
    theirs: list[Commit] = []

    def be_faster() -> None:
        log.interruption = lambda: None
        theirs.append(add(other, "same", key="k"))

    log.interruption = be_faster
    assert [add(store, "same", key="k")] == theirs
    assert names(store) == ["same"]


def in_threads(work: Callable[[int], None]) -> None:
    threads = [Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_f3_many_writers_of_several_stores_lose_nothing() -> None:
    _, *stores = begin()

    def write(number: int) -> None:
        for count in range(COMMITS):
            add(stores[number % 2], f"{number} {count}")

    in_threads(write)
    expected = sorted(f"{n} {count}" for n in range(THREADS) for count in range(COMMITS))
    for store in stores:
        assert sorted(names(store)) == expected
        assert store.revision() == 1 + len(expected)
