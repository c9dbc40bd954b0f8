"""A store that takes in what people write into the plan's files, before it is asked or changed."""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.application.sync.intake import Person
    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.ports.edits import EditedStore
    from outlast.ports.store import Notice

T = TypeVar("T")


class FollowedStore:
    """The store of a held plan; a few times a second it looks whether somebody has edited it."""

    def __init__(self, store: EditedStore, person: Callable[[str], Person]) -> None:
        """Stand before a store; `person` returns a person's handle on it for one change."""
        self._store = store
        self._person = person
        self._lock = allocate_lock()

    def take_in(self, *, sure: bool = False) -> None:
        """Take in what has been edited, unless another thread is at it."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._store.edits():
                from outlast.application.sync.intake import Intake

                Intake(self._store, self._person).run(sure=sure)
        finally:
            self._lock.release()

    def files(self) -> tuple[str, ...]:
        """Return the paths of the files that show the plan now."""
        return self._store.files()

    def render(self) -> None:
        """Show the plan as it is in its files."""
        self._store.render()

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan."""
        if self._store.is_edited():
            self.take_in()
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
        """Decide the commands, keep their changes, all or none, and answer."""
        if self._store.is_edited():
            self.take_in()
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
        """Commit without waiting."""
        return self._store.submit(commands, then, author=author, now=now, reason=reason, key=key)

    def since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        return self._store.since(revision)

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit."""
        return self._store.before(revision)

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Tell a function every commit from now on; return what ends that."""
        return self._store.subscribe(callback)

    @property
    def notices(self) -> list[Notice]:
        """What had to be mended, could not be done, or was not taken in."""
        return self._store.notices

    def close(self) -> None:
        """Let go of the plan."""
        self._store.close()
