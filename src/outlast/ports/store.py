"""The store port: where one plan is kept, and the only way to change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState

T = TypeVar("T")
Notice = tuple[str, dict[str, object]]  # a text key and the values for its placeholders


class Store(Protocol):
    """One plan, for any number of threads.

    A callback that gets the state reads it, never changes it, and does not keep it.
    """

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call `question` with the current state while no commit can happen.

        The callback may read again, but not commit: that raises `InvalidStatus`.
        """

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
        """Decide the commands on the current state and store their changes, all or none.

        Returns `then(state, commit)`, called with the state that the commit led to. A `key` makes
        the commit idempotent: the same key with the same commands returns the first commit's
        answer again; with other commands it raises `InvalidArgument`. Commands that change nothing
        leave the revision as it is.
        """

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
        """Commit in the background, possibly in one batch with other submitted commits."""

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before the commit with this revision."""

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call `callback` for every later commit, from any process; return the unsubscriber."""

    @property
    def notices(self) -> list[Notice]:
        """What was repaired, or could not be done, since the plan was opened."""

    def close(self) -> None:
        """Release the files or the database of the plan."""
