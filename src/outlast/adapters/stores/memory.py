"""A plan that lives as long as the process."""

from __future__ import annotations

from _thread import RLock  # threading's own, without the cost of threading
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.state import PlanState
from outlast.errors import InvalidArgument, InvalidStatus

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
        self._lock = RLock()
        self._asking = False
        self._answered: dict[str, tuple[tuple[Command, ...], Any]] = {}

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question, which may ask again but not change the plan."""
        with self._lock:
            before, self._asking = self._asking, True
            try:
                return question(self._state)
            finally:
                self._asking = before

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
            if self._asking:
                raise InvalidStatus("commit_in_question")
            if key and key in self._answered:
                return cast("T", self._again(key, commands))
            state = self._state
            changes = enact(state, commands, now)
            answer = then(state, Commit(state.revision, now, author, changes, reason, key))
            if key:
                self._remember(key, commands, answer)
            return answer

    def _again(self, key: str, commands: Sequence[Command]) -> object:
        before, answer = self._answered[key]
        if before != tuple(commands):
            raise InvalidArgument("key_reused", argument="key", key=key)
        return answer

    def _remember(self, key: str, commands: Sequence[Command], answer: object) -> None:
        self._answered[key] = (tuple(commands), answer)
        if len(self._answered) > _REMEMBERED_KEYS:
            del self._answered[next(iter(self._answered))]
