"""`SyncingStore`: applies people's edits in the view files before each read and commit."""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.application.sync.edit_sync import PersonHandle
    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.ports.edits import EditableStore
    from outlast.ports.store import Notice

T = TypeVar("T")


class SyncingStore:
    """Wraps the store of an open plan and polls its views a few times a second."""

    def __init__(self, store: EditableStore, person: Callable[[str], PersonHandle]) -> None:
        """Wrap a store; `person(key)` returns a person's handle on it for one change."""
        self._store = store
        self._person = person
        self._lock = allocate_lock()

    def sync_edits(self, *, sure: bool = False) -> None:
        """Apply pending edits, unless another thread is doing so."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._store.pending_edits():
                from outlast.application.sync.edit_sync import EditSync

                EditSync(self._store, self._person).run(sure=sure)
        finally:
            self._lock.release()

    def view_paths(self) -> tuple[str, ...]:
        """Return the paths of the view files."""
        return self._store.view_paths()

    def render(self) -> None:
        """Write the view files from the plan."""
        self._store.render()

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Sync, then call a function with the state of the plan."""
        if self._store.poll_edits():
            self.sync_edits()
        return self._store.read(question)

    def commit(  # noqa: PLR0913 - what a commit is made of
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        *,
        author: str,
        now: datetime,
        reason: str = "",
        key: str = "",
    ) -> T:
        """Sync, then decide and save commands, all or none."""
        if self._store.poll_edits():
            self.sync_edits()
        return self._store.commit(commands, then, author=author, now=now, reason=reason, key=key)

    def submit(  # noqa: PLR0913 - what a commit is made of
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        *,
        author: str,
        now: datetime,
        reason: str = "",
        key: str = "",
    ) -> Future[T]:
        """Queue a commit without waiting or syncing."""
        return self._store.submit(commands, then, author=author, now=now, reason=reason, key=key)

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        return self._store.commits_since(revision)

    def state_before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit."""
        return self._store.state_before(revision)

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call a function with every commit from now on; return a function that ends that."""
        return self._store.subscribe(callback)

    @property
    def notices(self) -> list[Notice]:
        """What was repaired, failed, or could not be applied."""
        return self._store.notices

    def close(self) -> None:
        """Close the store."""
        self._store.close()
