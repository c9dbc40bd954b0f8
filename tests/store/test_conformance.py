"""Every store passes the conformance suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import pytest
from msgspec.structs import replace

from outlast.model.execute import return_commit
from outlast.plan.home.database import Database
from outlast.plan.home.layouts import CodeAgentStore, OutlastStore, SessionStore
from outlast.store.files.store import FilesStore
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing.conformance import StoreConformance
from tests.documents.views.rendered_plans import with_sync
from tests.store.faults import QuickDisk
from tests.store.operations import NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from outlast.model.commands import CreatePlan
    from outlast.store.port import Store


class TestMemoryStore(StoreConformance):
    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        store = MemoryStore(now)
        store.commit(Request((command,), author, now), return_commit)
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

    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        return self._with_sync(super().make(command, author=author, now=now))

    def reopen(self, store: Store) -> Store:
        return self._with_sync(super().reopen(store))

    def _with_sync(self, store: Store) -> Store:
        return with_sync(cast("OutlastStore", store), lambda: NOW)


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
