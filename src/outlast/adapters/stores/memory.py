"""A plan that lives as long as the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from outlast.adapters.stores.turn import Turn
from outlast.domain.apply import fold
from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.limits import check_labels
from outlast.domain.state import PlanState
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.domain.commands import Command
    from outlast.ports.store import Notice

T = TypeVar("T")
_REMEMBERED_KEYS: Final = 10_000


class MemoryStore:
    """One plan in memory, with its past unless that is not wanted."""

    def __init__(self, now: datetime, *, past: bool = True) -> None:
        """Begin before the first commit."""
        self._began = PlanState(now)  # where the past begins
        self._state = PlanState(now)
        self._turn = Turn()
        self._answered: dict[str, Commit] = {}
        self._past: list[Commit] | None = [] if past else None
        self._watches: list[Callable[[], None]] = []

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question, which may ask again but not change the plan."""
        with self._turn.lock:
            return self._turn.answer(question, self._state)

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
        check_labels(author, reason, key)
        turn = self._turn
        with turn.lock:
            turn.refuse_in_question()
            asked = _asked(commands) if key else ""
            if key in self._answered:
                return self._again(key, asked, then)
            state = self._state
            changes = enact(state, commands, now)
            commit = Commit(state.revision, now, author, changes, reason, key, asked)
            if changes and self._past is not None:
                self._past.append(commit)
            if key:
                self._remember(commit)
            return turn.answer(then, state, commit)

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
        """Commit at once: there is nothing to wait for."""
        from concurrent.futures import Future

        future: Future[T] = Future()
        try:
            future.set_result(
                self.commit(commands, then, author=author, now=now, reason=reason, key=key)
            )
        except Exception as error:  # noqa: BLE001 - raised to whoever asks the future
            future.set_exception(error)
        return future

    def since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        with self._turn.lock:
            return [commit for commit in self._past or () if commit.revision > revision]

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit, in a copy of its own."""
        from copy import deepcopy

        with self._turn.lock:
            old = deepcopy(self._began)
            for commit in self._past or ():
                if commit.revision < revision:
                    fold(old, commit.changes, commit.revision, commit.at)
        return old

    @property
    def notices(self) -> list[Notice]:
        """Nothing: memory needs no mending."""
        return []

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Tell a function every commit from now on; return what ends that."""
        from outlast.adapters.stores.watcher import WATCHER

        self._keep_past()
        end = WATCHER.watch(self, callback)
        self._watches.append(end)
        return end

    def _keep_past(self) -> None:
        """Keep what happens from now on, if nothing was kept so far."""
        from copy import deepcopy

        with self._turn.lock:
            if self._past is None:
                self._began, self._past = deepcopy(self._state), []

    def close(self) -> None:
        """End what watches; memory has nothing else to let go of."""
        while self._watches:
            self._watches.pop()()

    def _again(self, key: str, asked: str, then: Callable[[PlanState, Commit], T]) -> T:
        """Answer as then; without the past, with the plan as it is now."""
        commit = self._answered[key]
        if commit.asked != asked:
            raise InvalidArgument("key_reused", argument="key", key=key)
        state = self._state if self._past is None else self.before(commit.revision + 1)
        return self._turn.answer(then, state, commit)

    def _remember(self, commit: Commit) -> None:
        self._answered[commit.key] = commit
        if len(self._answered) > _REMEMBERED_KEYS:
            attempts = self._state.ledger.attempts
            known = self._answered
            del known[next((old for old in known if old not in attempts), commit.key)]


def _asked(commands: Sequence[Command]) -> str:
    from outlast.formats.journal import digest

    return digest(commands)
