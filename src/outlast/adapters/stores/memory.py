"""A store in memory: the plan lives as long as the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from outlast.adapters.stores.replica import remember_key
from outlast.adapters.stores.thread_lock import ThreadLock
from outlast.domain.changes import Commit
from outlast.domain.changes.apply import fold
from outlast.domain.execute import execute
from outlast.domain.limits import check_commit_labels
from outlast.domain.state import PlanState
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.domain.commands import Command
    from outlast.ports.store import Notice

T = TypeVar("T")


class MemoryStore:
    """One plan in memory. Without `keep_history` it has no past: no commits, no earlier states."""

    def __init__(self, now: datetime, *, keep_history: bool = True) -> None:
        self._initial_state = PlanState(now)  # where the history starts
        self._state = PlanState(now)
        self._lock = ThreadLock()
        self._commits_by_key: dict[str, Commit] = {}
        self._history: list[Commit] | None = [] if keep_history else None
        self._subscriptions: list[Callable[[], None]] = []

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call `question` with the current state."""
        with self._lock.mutex:
            return self._lock.run_read(question, self._state)

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
        """Decide the commands on the current state and apply their changes, all or none."""
        check_commit_labels(author, reason, key)
        lock = self._lock
        with lock.mutex:
            lock.refuse_inside_read()
            digest = _digest(commands) if key else ""
            if key in self._commits_by_key:
                return self._answer_repeated(key, digest, then)
            state = self._state
            changes = execute(state, commands, now)
            commit = Commit(state.revision, now, author, changes, reason, key, digest)
            if changes and self._history is not None:
                self._history.append(commit)
            if key:
                remember_key(self._commits_by_key, key, commit, state.ledger.attempts)
            return lock.run_read(then, state, commit)

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
        """Commit at once and return a finished future."""
        from concurrent.futures import Future

        future: Future[T] = Future()
        try:
            future.set_result(
                self.commit(commands, then, author=author, now=now, reason=reason, key=key)
            )
        except Exception as error:  # noqa: BLE001 - raised by the future
            future.set_exception(error)
        return future

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        with self._lock.mutex:
            return [commit for commit in self._history or () if commit.revision > revision]

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before the commit with this revision."""
        from copy import deepcopy

        with self._lock.mutex:
            old = deepcopy(self._initial_state)
            for commit in self._history or ():
                if commit.revision < revision:
                    fold(old, commit.changes, commit.revision, commit.at)
        return old

    @property
    def notices(self) -> list[Notice]:
        """Always empty: memory needs no repair."""
        return []

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call `callback` for every later commit; return the unsubscriber."""
        from outlast.adapters.stores.watcher import WATCHER

        self._start_history()
        unsubscribe = WATCHER.subscribe(self, callback)
        self._subscriptions.append(unsubscribe)
        return unsubscribe

    def _start_history(self) -> None:
        """Keep commits from now on, if none were kept before."""
        from copy import deepcopy

        with self._lock.mutex:
            if self._history is None:
                self._initial_state, self._history = deepcopy(self._state), []

    def close(self) -> None:
        """End the subscriptions."""
        while self._subscriptions:
            self._subscriptions.pop()()

    def _answer_repeated(self, key: str, digest: str, then: Callable[[PlanState, Commit], T]) -> T:
        """Answer a repeated key as the first time; without a history, on the current state."""
        commit = self._commits_by_key[key]
        if commit.request_digest != digest:
            raise InvalidArgument("key_reused", argument="key", key=key)
        state = self._state if self._history is None else self.state_before(commit.revision + 1)
        return self._lock.run_read(then, state, commit)


def _digest(commands: Sequence[Command]) -> str:
    from outlast.formats.journal import digest

    return digest(commands)
