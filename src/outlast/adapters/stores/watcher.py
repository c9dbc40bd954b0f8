"""One thread that polls plans and reports their new commits to subscribers."""

from __future__ import annotations

import os
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Final

from outlast.errors import OutlastError
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.changes import Commit
    from outlast.ports.store import Store

_POLL_SECONDS: Final = 0.1


class Subscription:
    """One subscriber of one plan, and the last revision delivered to it."""

    def __init__(self, store: Store, callback: Callable[[Commit], None]) -> None:
        self.store = store
        self.callback = callback
        self.last_revision = self._read_revision()
        self.ended = self._closed = False
        self._problem = ""

    def end(self, *, closed: bool = False) -> None:
        """Stop reporting; `closed` says that the store was closed and must stay so."""
        self._closed = closed
        self.ended = True

    def _read_revision(self) -> int:
        return self.store.read(lambda state: state.revision)

    def poll(self) -> None:
        """Report new commits. A plan that cannot be read now is polled again later."""
        try:
            commits = self._new_commits()
            self._problem = ""
        except OutlastError as error:
            commits = []
            self._log_problem(str(error))
        if self._closed:
            self.store.close()  # polling opened it again
        for commit in commits:
            if self.ended:
                return
            self.last_revision = commit.revision
            self._notify(commit)

    def _log_problem(self, problem: str) -> None:
        if problem != self._problem:
            LOG.warning("watching: %s", problem)
        self._problem = problem

    def _new_commits(self) -> list[Commit]:
        revision = self._read_revision()
        # An older copy of the plan may have been put back.
        self.last_revision = min(self.last_revision, revision)
        return self.store.commits_since(self.last_revision) if revision > self.last_revision else []

    def _notify(self, commit: Commit) -> None:
        try:
            self.callback(commit)
        except Exception:
            LOG.exception("a subscriber failed")


class Watcher:
    """Polls any number of plans in one daemon thread, which runs while there are subscriptions."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Drop all subscriptions: in a forked child they belong to the parent."""
        self._subscriptions: list[Subscription] = []
        self._lock = Lock()
        self._thread: Thread | None = None

    def subscribe(self, store: Store, callback: Callable[[Commit], None]) -> Callable[..., None]:
        """Call `callback` for every later commit; return the unsubscriber."""
        subscription = Subscription(store, callback)
        with self._lock:
            self._subscriptions.append(subscription)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="outlast-watcher", daemon=True)
                self._thread.start()
        return subscription.end

    def _run(self) -> None:
        while subscriptions := self._active():
            for subscription in subscriptions:
                subscription.poll()
            del subscription, subscriptions
            sleep(_POLL_SECONDS)

    def _active(self) -> list[Subscription]:
        with self._lock:
            self._subscriptions = [each for each in self._subscriptions if not each.ended]
            if not self._subscriptions:
                self._thread = None
            return list(self._subscriptions)


WATCHER: Final = Watcher()
os.register_at_fork(after_in_child=WATCHER.reset)
