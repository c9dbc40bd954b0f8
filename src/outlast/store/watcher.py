"""One thread that polls plans and reports their new commits to subscribers."""

from __future__ import annotations

import os
from threading import Lock, RLock, Thread
from time import sleep
from typing import TYPE_CHECKING, Final

from outlast.errors import HistoryDiverged, OutlastError, PlanClosed
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outlast.model.changes import Commit

_POLL_SECONDS: Final = 0.1


class Subscription:
    """One subscriber of one plan, and the last revision delivered to it.

    `look` returns how often the next plan took the key, whose revisions begin at 1 again, and the
    newest revision; `commits_since` those after one. They are polled, and have no other effects.
    """

    def __init__(
        self,
        look: Callable[[], tuple[int, int]],
        commits_since: Callable[[int], list[Commit]],
        callback: Callable[[Commit], None],
    ) -> None:
        self._look, self._commits_since, self._callback = look, commits_since, callback
        self._restarts, self.last_revision = look()
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
        restarts, revision = self._look()
        self.follow_restart(restarts)
        return self._commits_since(self.last_revision) if revision > self.last_revision else []

    def follow_restart(self, restarts: int) -> None:
        """Begin with the first commit again if the next plan took the key."""
        if self._restarts != restarts:
            self._restarts, self.last_revision = restarts, 0

    def _notify(self, commit: Commit) -> None:
        try:
            self._callback(commit)
        except Exception:
            LOG.exception("a subscriber failed")


def undelivered_commits(
    commits_since: Callable[[int], list[Commit]],
    restarts: int,
    subscriptions: Sequence[Subscription],
) -> list[Commit]:
    """Return the commits that some subscription has not reported, as far as they can be read."""
    for each in subscriptions:
        each.follow_restart(restarts)
    delivered = [each.last_revision for each in subscriptions if not each.ended]
    try:
        return commits_since(min(delivered)) if delivered else []
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

    def add(self, subscription: Subscription) -> None:
        """Poll for a subscription until it ends."""
        with self._lock:
            self._subscriptions.append(subscription)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="outlast-watcher", daemon=True)
                self._thread.start()

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
