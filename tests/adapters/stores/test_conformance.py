"""Every store passes the conformance suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import pytest
from msgspec.structs import replace

from outlast import Plan
from outlast.adapters.stores.files.store import FilesStore
from outlast.adapters.stores.layouts import CodeAgentStore, OutlastStore, SessionStore
from outlast.adapters.stores.sqlite.database import Database
from outlast.application.sync.store import SyncingStore
from outlast.domain.execute import return_commit
from outlast.domain.model import PERSON
from outlast.testing import MemoryStore
from outlast.testing.conformance import StoreConformance
from tests.adapters.stores.faults import QuickDisk
from tests.adapters.stores.operations import NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from outlast.domain.commands import CreatePlan
    from outlast.ports.store import Store


class TestMemoryStore(StoreConformance):
    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        store = MemoryStore(now)
        store.commit((command,), return_commit, author=author, now=now)
        return store

    def reopen(self, store: Store) -> Store:
        return store


class InDirectories(StoreConformance):
    """A store that outlives its process, each plan in its own directory."""

    kind: ClassVar[type[FilesStore]] = FilesStore

    @pytest.fixture(autouse=True)
    def prepare(self, ram_path: Path) -> Iterator[None]:
        self.path = ram_path
        self.stores: list[FilesStore] = []
        yield
        for store in self.stores:
            store.close()

    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        directory = self.path / f"{len(self.stores)}"
        directory.mkdir()
        self.stores.append(
            self.kind.create(str(directory), QuickDisk(), command, author=author, now=now)
        )
        return self.stores[-1]

    def reopen(self, store: Store) -> Store:
        store.close()
        self.stores.append(self.kind(cast("FilesStore", store).directory, QuickDisk(), NOW))
        return self.stores[-1]


class TestFilesStore(InDirectories):
    pass


class TestFilesStoreWithEagerSnapshots(InDirectories):
    @pytest.fixture(autouse=True)
    def be_eager(self, eager: Callable[[], None]) -> None:
        eager()


class TestSessionStore(InDirectories):
    kind = SessionStore


class TestOutlastStore(InDirectories):
    kind = OutlastStore


class TestCodeAgentStore(InDirectories):
    kind = CodeAgentStore


class TestSyncingStore(InDirectories):
    """The store of an opened plan, which syncs edits before every use."""

    kind = OutlastStore

    @pytest.fixture(autouse=True)
    def begin(self) -> None:
        self.syncing: list[Store] = []

    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        return self._add_sync(super().make(command, author=author, now=now))

    def reopen(self, store: Store) -> Store:
        store.close()
        number = self.syncing.index(store)
        self.stores.append(self.kind(self.stores[number].directory, QuickDisk(), NOW))
        return self._add_sync(self.stores[-1])

    def _add_sync(self, store: Store) -> Store:
        kept = cast("OutlastStore", store)

        def person(key: str) -> Plan:
            return Plan(kept, lambda: NOW, lambda: "plan_next", PERSON, key=key)

        self.syncing.append(SyncingStore(kept, person))
        return self.syncing[-1]


class InDatabase(StoreConformance):
    """A store that keeps all plans in one file."""

    @pytest.fixture(autouse=True)
    def prepare(self, ram_path: Path) -> Iterator[None]:
        self.database = Database(str(ram_path / "plans.db"), QuickDisk())
        self.keys: dict[Store, str] = {}
        yield
        for store in self.keys:
            store.close()

    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        if self.keys:
            command = replace(command, key=f"{command.key} {len(self.keys)}")
        store = self.database.create(command, author, now)
        self.keys[store] = command.key
        return store

    def reopen(self, store: Store) -> Store:
        store.close()
        again = self.database.open(self.keys[store], NOW)
        self.keys[again] = self.keys[store]
        return again


class TestSqliteStore(InDatabase):
    pass


class TestSqliteStoreWithEagerSnapshots(InDatabase):
    @pytest.fixture(autouse=True)
    def be_eager(self, eager: Callable[[], None]) -> None:
        eager()
