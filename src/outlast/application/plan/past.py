"""A plan as it was: it can be asked everything and changed in nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

from outlast.domain.limits import check_number
from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.ports.store import Notice, Store

T = TypeVar("T")


def state_at(store: Store, revision: int) -> PlanState:
    """Return a plan as it was at a revision, in a copy of the asker's own."""
    newest = store.read(lambda state: state.revision)
    check_number(revision, "revision", 1, newest)
    state = store.before(revision + 1)
    if state.revision != revision:
        raise InvalidStatus("no_past", revision=revision)
    return state


class Past:
    """The store of a plan as it was; its history is in the store of the plan as it is."""

    def __init__(self, store: Store, revision: int) -> None:
        """Look back to a revision."""
        self._store = store
        self._state = state_at(store, revision)

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan as it was."""
        return question(self._state)

    def commit(
        self,
        commands: Sequence[Command],  # noqa: ARG002 - whatever is asked for
        then: Callable[[PlanState, Commit], T],  # noqa: ARG002
        **given: object,  # noqa: ARG002
    ) -> NoReturn:
        """Refuse: what was is not changed."""
        raise InvalidStatus("plan_of_the_past", revision=self._state.revision)

    def submit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        **given: object,
    ) -> Future[T]:
        """Refuse it likewise."""
        self.commit(commands, then, **given)

    def since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision that had been made then, oldest first."""
        last = self._state.revision
        return [commit for commit in self._store.since(revision) if commit.revision <= last]

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit, in a copy of the asker's own."""
        return self._store.before(min(revision, self._state.revision + 1))

    def subscribe(self, _callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Tell nothing: nothing will happen here."""
        return lambda: None

    @property
    def notices(self) -> list[Notice]:
        """Nothing: what had to be mended was said when the plan was opened."""
        return []

    def close(self) -> None:
        """Let the plan as it is stay open."""
