"""One thread that polls plans and reports their new commits to subscribers."""

from __future__ import annotations

import os
from threading import Lock, RLock, Thread
from time import sleep
from typing import TYPE_CHECKING, Final, Protocol

from outlast.errors import HistoryDiverged, OutlastError, PlanClosed
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outlast.model.changes import Commit

_POLL_SECONDS: Final = 0.1


class WatchedStore(Protocol):
    """What is polled; that must have no other effects."""

    @property
    def restarts(self) -> int:
        """How often the next plan took the key, whose revisions begin at 1 again."""

    def revision(self) -> int:
        """Return the newest revision."""

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""


class Subscription:
    """One subscriber of one plan, and the last revision delivered to it."""

    def __init__(self, store: WatchedStore, callback: Callable[[Commit], None]) -> None:
        self.store = store
        self.callback = callback
        self.last_revision = store.revision()
        self._restarts = store.restarts
        self.ended = False
        self._lock = RLock()
        self._is_polling = False
        self._problem = ""

    def end(self) -> None:
        """Report what was committed before, and then no more; a callback that ends it, at once."""
        if self.ended:
            return
        with self._lock:
            try:
                if not self._is_polling:
                    self.poll()
            finally:
                self.ended = True

    def end_with(self, commits: Iterable[Commit]) -> None:
        """Report those of the last commits of a closed plan that are new, and then no more."""
        if self.ended:
            return
        with self._lock:
            try:
                self._deliver(commits)
            finally:
                self.ended = True

    def poll(self) -> None:
        """Report new commits. A plan that cannot be read now is polled again later.

        A plan with another history than before is polled no more.
        """
        with self._lock:
            self._is_polling = True
            try:
                self._deliver(self._new_commits())
                self._problem = ""
            except PlanClosed:
                return  # `close` reports the last commits
            except HistoryDiverged as error:
                self._log_problem(str(error))
                self.ended = True
            except OutlastError as error:
                self._log_problem(str(error))
            finally:
                self._is_polling = False

    def _deliver(self, commits: Iterable[Commit]) -> None:
        for commit in commits:
            if not self.ended and commit.revision > self.last_revision:
                self.last_revision = commit.revision
                self._notify(commit)

    def _log_problem(self, problem: str) -> None:
        if problem != self._problem:
            LOG.warning("watching: %s", problem)
        self._problem = problem

    def _new_commits(self) -> list[Commit]:
        revision = self.store.revision()
        self.follow_restart()
        return self.store.commits_since(self.last_revision) if revision > self.last_revision else []

    def follow_restart(self) -> None:
        """Begin with the first commit again if the next plan took the key."""
        if self._restarts != self.store.restarts:
            self._restarts, self.last_revision = self.store.restarts, 0

    def _notify(self, commit: Commit) -> None:
        try:
            self.callback(commit)
        except Exception:
            LOG.exception("a subscriber failed")


def undelivered_commits(store: WatchedStore, subscriptions: Sequence[Subscription]) -> list[Commit]:
    """Return the commits that some subscription has not reported, as far as they can be read."""
    for each in subscriptions:
        each.follow_restart()
    delivered = [each.last_revision for each in subscriptions if not each.ended]
    try:
        return store.commits_since(min(delivered)) if delivered else []
    except OutlastError as error:
        LOG.warning("watching: %s", error)
        return []


class Watcher:
    """Polls any number of plans in one daemon thread, which runs while there are subscriptions."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []
        self.reset()

    def reset(self) -> None:
        """Drop all subscriptions: in a forked child they belong to the parent."""
        for subscription in self._subscriptions:
            subscription.ended = True
        self._subscriptions = []
        self._lock = Lock()
        self._thread: Thread | None = None

    def subscribe(self, store: WatchedStore, callback: Callable[[Commit], None]) -> Subscription:
        """Call `callback` for every later commit, until the subscription ends."""
        subscription = Subscription(store, callback)
        with self._lock:
            self._subscriptions.append(subscription)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="outlast-watcher", daemon=True)
                self._thread.start()
        return subscription

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
