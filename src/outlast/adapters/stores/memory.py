"""A plan that lives as long as the process."""

from __future__ import annotations

from _thread import allocate_lock  # what threading.Lock is, without the cost of threading
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from outlast.domain.commands import Command

T = TypeVar("T")
_REMEMBERED_KEYS: Final = 10_000


class MemoryStore:
    """One plan in memory."""

    def __init__(self, now: datetime) -> None:
        """Begin before the first commit."""
        self._state = PlanState(now)
        self._lock = allocate_lock()
        self._answered: dict[str, Commit] = {}

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan while nobody changes it."""
        with self._lock:
            return question(self._state)

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
        """Decide the commands on the fresh state, keep their changes, all or none, and answer."""
        with self._lock:
            state = self._state
            if key and key in self._answered:
                return then(state, self._answered[key])
            changes = enact(state, commands, now)
            commit = Commit(state.revision, now, author, changes, reason, key)
            if key:
                self._remember(key, commit)
            return then(state, commit)

    def _remember(self, key: str, commit: Commit) -> None:
        self._answered[key] = commit
        if len(self._answered) > _REMEMBERED_KEYS:
            del self._answered[next(iter(self._answered))]
