"""Every store passes the one suite that there is for stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import pytest

from outlast.adapters.stores.files import FilesStore
from outlast.adapters.stores.session_store import SessionStore
from outlast.domain.enact import receipt
from outlast.testing import MemoryStore
from outlast.testing.conformance import StoreConformance
from tests.adapters.faults import QuickDisk
from tests.adapters.operations import NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from outlast.domain.commands import CreatePlan
    from outlast.ports.store import Store


class TestMemoryStore(StoreConformance):
    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        store = MemoryStore(now)
        store.commit((command,), receipt, author=author, now=now)
        return store

    def reopen(self, store: Store) -> Store:
        return store


class Kept(StoreConformance):
    """A store that outlives its process, each plan in a directory of its own."""

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


class TestFilesStore(Kept):
    pass


class TestFilesStoreWithEagerSnapshots(Kept):
    @pytest.fixture(autouse=True)
    def be_eager(self, eager: Callable[[], None]) -> None:
        eager()


class TestSessionStore(Kept):
    kind = SessionStore
