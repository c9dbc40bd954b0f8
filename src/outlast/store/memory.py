"""A store in memory: the plan lives as long as the process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from outlast import store as ports
from outlast.errors import InvalidArgument, PlanClosed
from outlast.model.changes import Commit, fold
from outlast.model.commands import Command
from outlast.model.execute import execute, execute_composed
from outlast.model.limits import check_commit_labels
from outlast.model.state import PlanState
from outlast.store.port import Notice, Request
from outlast.store.thread_lock import ThreadLock

if TYPE_CHECKING:
    from outlast.store.watcher import Subscription

T = TypeVar("T")


class MemoryStore:
    """One plan in memory. Without `keep_history` it has no past: no commits, no earlier states."""

    restarts = 0  # its revisions never begin again

    def __init__(self, now: datetime, *, keep_history: bool = True) -> None:
        self._initial_state = PlanState(now)  # where the history starts
        self._state = PlanState(now)
        self._lock = ThreadLock()
        self._commits_by_key: dict[str, Commit] = {}
        self._history: list[Commit] | None = [] if keep_history else None
        self._subscriptions: list[Subscription] = []
        self._is_closed = False

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call `question` with the current state."""
        with self._lock.mutex:
            if self._is_closed:
                raise _closed_error()
            return self._lock.run_read(question, self._state)

    def commit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> T:
        """Decide the commands on the current state and apply their changes, all or none."""
        author, now, reason, key = request.author, request.now, request.reason, request.key
        check_commit_labels(author, reason, key, request.person)
        lock = self._lock
        with lock.mutex:
            if lock.is_reading:
                lock.refuse_inside_read()
            if self._is_closed:
                raise _closed_error()
            digest = ""
            compose = request.compose
            if key:
                digest = "" if compose else _digest(request.commands)
                if key in self._commits_by_key:
                    return self._answer_repeated(key, digest, then)
            state = self._state
            if compose is None:
                changes = execute(state, request.commands, now)
            else:
                changes = execute_composed(state, lock.guard(compose), now)
                key = key if changes else ""
            commit = Commit(
                state.revision, now, author, changes, reason, key, digest, request.person
            )
            if changes and self._history is not None:
                self._history.append(commit)
            if key:
                from outlast.store.replica import remember_key

                remember_key(self._commits_by_key, key, commit, state.ledger.attempts)
            lock.is_reading = True
            try:
                return then(state, commit)
            finally:
                lock.is_reading = False

    def submit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> ports.Future[T]:
        """Commit at once and return a finished future."""
        future: ports.Future[T] = ports.Future()
        try:
            future.set_result(self.commit(request, then))
        except Exception as error:  # noqa: BLE001 - raised by the future
            future.set_exception(error)
        return future

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        return self.read(
            lambda _: [commit for commit in self._history or () if commit.revision > revision]
        )

    def history(self, since: int = 0) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        return self.commits_since(since)

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision; "" if it was not kept."""
        from outlast.store.journal import mark_of, write_commit

        commits = self.commits_since(revision - 1)[:1]
        is_there = bool(commits) and commits[0].revision == revision
        return mark_of(write_commit(commits[0])) if is_there else ""

    def revision(self) -> int:
        """Return the newest revision."""
        return self.read(lambda state: state.revision)

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before the commit with this revision."""
        return self.read(lambda _: self._replay_until(revision))

    def _replay_until(self, revision: int) -> PlanState:
        from copy import deepcopy

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
        from outlast.store.watcher import WATCHER

        self._start_history()
        subscription = WATCHER.subscribe(self, callback)
        self._subscriptions.append(subscription)
        return subscription.end

    def _start_history(self) -> None:
        """Keep commits from now on, if none were kept before."""
        from copy import deepcopy

        with self._lock.mutex:
            if self._history is None:
                self._initial_state, self._history = deepcopy(self._state), []

    def close(self) -> None:
        """Report the last commits to subscribers; nothing else can be done with the plan."""
        self._lock.refuse_inside_read()
        with self._lock.mutex:
            self._is_closed = True
            subscriptions, self._subscriptions = self._subscriptions, []
        for subscription in subscriptions:
            subscription.end_with(self._history or ())

    def _answer_repeated(self, key: str, digest: str, then: Callable[[PlanState, Commit], T]) -> T:
        """Answer a repeated key as the first time; without a history, on the current state."""
        commit = self._commits_by_key[key]
        if not digest or commit.request_digest != digest:
            raise InvalidArgument("key_reused", argument="key", key=key)
        state = self._state if self._history is None else self._replay_until(commit.revision + 1)
        return self._lock.run_read(then, state, commit)


def _closed_error() -> PlanClosed:
    return PlanClosed("memory_plan_closed")


def _digest(commands: Sequence[Command]) -> str:
    from outlast.store.journal import digest

    return digest(commands)
