"""A plan that lives as long as the process."""

from __future__ import annotations

from _thread import allocate_lock  # what threading.Lock is, without the cost of threading
from typing import TYPE_CHECKING, Final

from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.domain.commands import Command

_REMEMBERED_KEYS: Final = 10_000


class MemoryStore:
    """One plan in memory; safe to use from several threads."""

    def __init__(self, now: datetime) -> None:
        """Begin before the first commit."""
        self._state = PlanState(now)
        self._lock = allocate_lock()
        self._answered: dict[str, Commit] = {}

    @property
    def state(self) -> PlanState:
        """The plan as the last commit left it: to read, never to alter."""
        return self._state

    def commit(
        self,
        commands: Sequence[Command],
        *,
        author: str,
        now: datetime,
        reason: str = "",
        key: str = "",
    ) -> Commit:
        """Decide the commands on the fresh state and keep their changes: all or none."""
        with self._lock:
            if key and key in self._answered:
                return self._answered[key]
            changes = enact(self._state, commands, now)
            commit = Commit(self._state.revision, now, author, changes, reason, key)
            if key:
                self._remember(key, commit)
            return commit

    def _remember(self, key: str, commit: Commit) -> None:
        self._answered[key] = commit
        if len(self._answered) > _REMEMBERED_KEYS:
            del self._answered[next(iter(self._answered))]
