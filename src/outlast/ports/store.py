"""Where a plan is kept, and the only way to change it."""

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
Notice = tuple[str, dict[str, object]]  # the key of a text, and what goes into it


class Store(Protocol):
    """One plan, for any number of threads.

    Whoever is handed the state reads it, never alters it, and does not keep it.
    """

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan while nobody changes it, the asker included."""

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
        """Decide the commands on the fresh state, keep their changes, all or none, and answer.

        `then` makes the answer out of the commit and the state it left. A key that was used before
        for the same commands is answered with the commit it led to then; for others it is refused.
        Commands that change nothing leave the revision as it is.
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
        """Commit without waiting, perhaps together with what others submit."""

    def since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit, in a copy of the asker's own."""

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Tell a function every commit from now on, whoever makes it; return what ends that."""

    @property
    def notices(self) -> list[Notice]:
        """What had to be mended, or could not be done, since the plan was opened."""

    def close(self) -> None:
        """Let go of what the plan is kept in."""
