"""Every store passes the conformance suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import pytest
from msgspec.structs import replace

from outlast.documents.views.registry import CODE_AGENT, OUTLAST, SESSIONS
from outlast.model.execute import return_commit
from outlast.plan.home.database import Database
from outlast.store.files.log import create_files, open_files
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing.conformance import StoreConformance
from tests.documents.views.rendered_plans import with_sync
from tests.store.faults import QuickDisk
from tests.store.opening import open_views
from tests.store.operations import NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from outlast.documents.views.registry import LayoutViews
    from outlast.model.commands import CreatePlan
    from outlast.store.port import Store
    from outlast.store.store import Store as StoreOverLog


class TestMemoryStore(StoreConformance):
    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        store = MemoryStore(now)
        store.commit(Request((command,), author, now), return_commit)
        return store

    def reopen(self, store: Store) -> Store:
        return store


class InDirectories(StoreConformance):
    """A store that outlives its process, each plan in its own directory."""

    layout: ClassVar[LayoutViews | None] = None

    @pytest.fixture(autouse=True)
    def prepare(self, ram_path: Path) -> Iterator[None]:
        self.path = ram_path
        self.stores: list[Store] = []
        yield
        for store in self.stores:
            store.close()

    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        directory = self.path / f"{len(self.stores)}"
        directory.mkdir()
        create_files(str(directory), QuickDisk(), command, author=author, now=now)
        return self._open(str(directory), now)

    def reopen(self, store: Store) -> Store:
        store.close()
        return self._open(cast("StoreOverLog", store).where, NOW)

    def _open(self, directory: str, now: datetime) -> Store:
        if self.layout is None:
            self.stores.append(open_files(directory, QuickDisk(), now))
        else:
            self.stores.append(open_views(directory, QuickDisk(), now, layout=self.layout))
        return self.stores[-1]


class TestFilesStore(InDirectories):
    pass


class TestFilesStoreWithEagerSnapshots(InDirectories):
    @pytest.fixture(autouse=True)
    def be_eager(self, eager: Callable[[], None]) -> None:
        eager()


class TestSessionStore(InDirectories):
    layout = SESSIONS


class TestOutlastStore(InDirectories):
    layout = OUTLAST


class TestCodeAgentStore(InDirectories):
    layout = CODE_AGENT


class TestSyncingStore(InDirectories):
    """The store of an opened plan, which syncs edits before every use."""

    layout = OUTLAST

    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        return self._with_sync(super().make(command, author=author, now=now))

    def reopen(self, store: Store) -> Store:
        return self._with_sync(super().reopen(store))

    def _with_sync(self, store: Store) -> Store:
        return with_sync(cast("StoreOverLog", store), lambda: NOW)


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
