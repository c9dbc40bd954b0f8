"""One thread that reports the new commits of all plans to their subscribers.

It sleeps until a directory changes that has such a plan, or until this process commits to one. For
a while after a change the plan is polled: a commit to SQLite can be read only some time after its
last write. What cannot be watched is always polled. Now and then every plan is looked at, in case
the system told nothing: a directory above was renamed, or too much happened at once.
"""

from __future__ import annotations

import os
from functools import partial
from threading import RLock, Thread
from time import sleep, thread_time
from typing import TYPE_CHECKING, Final, Protocol

from outlast.errors import HistoryDiverged, OutlastError, PlanClosed
from outlast.system.clock import monotonic
from outlast.system.logs import LOG
from outlast.system.watch.inotify import DirectoryFeed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outlast.model.changes import Commit

_POLL_SECONDS: Final = 0.1
_SETTLE_SECONDS: Final = 2.0
_CHECK_SECONDS: Final = 5.0
_REST: Final = (
    9.0  # times as long as it has worked: on busy plans the thread takes a tenth of a core
)


def _ignore() -> None:
    """Nudge nobody: the subscription is polled by hand."""


class Subscription:
    """One subscriber of one plan, and the last revision delivered to it.

    `look` returns how often the next plan took the key, whose revisions begin at 1 again, and the
    newest revision; `commits_since` those after one. They have no other effects.

    Somebody else's commits show in a `directory`. If that is empty they are polled for; None means
    that nobody else commits.
    """

    def __init__(
        self,
        look: Callable[[], tuple[int, int]],
        commits_since: Callable[[int], list[Commit]],
        callback: Callable[[Commit], None],
        directory: str | None = "",
    ) -> None:
        self.directory, self.nudge = directory, _ignore
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
                self._finish()

    def end_with(self, commits: Iterable[Commit]) -> None:
        """Report those of the last commits of a closed plan that are new, and then no more."""
        if self.ended:
            return
        with self._lock:
            try:
                self._deliver(commits)
            finally:
                self._finish()

    def _finish(self) -> None:
        self.ended = True
        self.nudge()

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


class Feed(Protocol):
    """What a `DirectoryFeed` does."""

    def watch(self, directory: str, /) -> int:
        """Watch a directory; return the number of its watch, -1 if it cannot be watched."""

    def unwatch(self, number: int, /) -> None:
        """Watch a directory no longer."""

    def wake(self) -> None:
        """Let the thread that waits go on."""

    def wait(self, seconds: float, /) -> set[int] | None:
        """Sleep for at most so many seconds; return what has changed, or None for "anything"."""

    def close(self) -> None:
        """Watch nothing any more."""


class Watcher:
    """Polls plans that may have changed in one daemon thread, which runs while it has subscribers.

    A commit of this process is known at once: `Subscription.nudge` tells of it.
    """

    def __init__(
        self,
        open_feed: Callable[[], Feed] = DirectoryFeed,
        pause: Callable[[float], None] = sleep,
        moment: Callable[[], float] = monotonic,
    ) -> None:
        self._open_feed, self._pause, self._moment = open_feed, pause, moment
        self._subscriptions: list[Subscription] = []
        self.reset()

    def reset(self) -> None:
        """Drop all subscriptions, and with them the thread."""
        for subscription in self._subscriptions:
            subscription.ended = True
        self._subscriptions = []
        self._nudged: set[Subscription] = set()
        self._lock = RLock()
        self._feed: Feed | None = None

    def reset_after_fork(self) -> None:
        """Do the same in a child, where subscriptions and thread belong to the parent."""
        feed = self._feed
        self.reset()
        if feed is not None:
            feed.close()

    def add(self, subscription: Subscription) -> None:
        """Report to a subscription until it ends."""
        with self._lock:
            if self._feed is None:
                self._start()
            self._subscriptions.append(subscription)
        subscription.nudge = partial(self._nudge, subscription)
        subscription.nudge()

    def _start(self) -> None:
        self._feed = feed = self._open_feed()
        try:
            name = "outlast-watcher"
            Thread(target=self._run, args=(feed,), name=name, daemon=True).start()
        except BaseException:
            self._feed = None
            feed.close()
            raise

    def _nudge(self, subscription: Subscription) -> None:
        """Let the thread look at a plan soon."""
        with self._lock:
            if self._feed is not None:
                if not self._nudged:
                    self._feed.wake()
                self._nudged.add(subscription)

    def _run(self, feed: Feed) -> None:
        watches = _Watches(feed)
        changed: set[int] | None = None
        due = 0.0
        try:
            while (nudged := self._begin_round(feed, watches)) is not None:
                begun, work_begun = self._moment(), thread_time()
                touched = nudged | watches.find(changed or (), begun)
                if changed is None or begun >= due:
                    due = begun + _CHECK_SECONDS
                    touched |= self._active()
                for subscription in touched:
                    watches.renew(subscription, begun)
                    subscription.poll()
                del touched, nudged
                self._pause(min(_REST * (thread_time() - work_begun), _POLL_SECONDS))
                left = max(due - self._moment(), 0.0)
                changed = feed.wait(min(left, _POLL_SECONDS) if watches.are_polled else left)
        finally:
            with self._lock:
                if self._feed is feed:
                    self._feed = None
            feed.close()

    def _begin_round(self, feed: Feed, watches: _Watches) -> set[Subscription] | None:
        """Forget what has ended, and return what was nudged; None ends the thread."""
        with self._lock:
            if self._feed is not feed:
                return None
            ended = [each for each in self._subscriptions if each.ended]
            if ended:
                self._subscriptions = [each for each in self._subscriptions if not each.ended]
                watches.forget(ended)
            if not self._subscriptions:
                self._feed = None
                self._nudged = set()
                return None
            nudged, self._nudged = self._nudged, set()
        return {each for each in nudged if not each.ended}

    def _active(self) -> set[Subscription]:
        with self._lock:
            return {each for each in self._subscriptions if each.directory is not None}


class _Watches:
    """Which directories are watched for which subscriptions, and what has to be polled."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._numbers: dict[Subscription, int] = {}
        self._by_number: dict[int, set[Subscription]] = {}
        self._unwatched: set[Subscription] = set()
        self._unsettled: dict[Subscription, float] = {}  # and until when

    @property
    def are_polled(self) -> bool:
        """Whether some have to be looked at although nothing was told."""
        return bool(self._unwatched or self._unsettled)

    def find(self, changed: Iterable[int], now: float) -> set[Subscription]:
        """Return those that changed directories concern, and those that are polled."""
        found = self._unwatched.union(self._unsettled)
        self._unsettled = {each: end for each, end in self._unsettled.items() if end > now}
        for number in changed:
            told = self._by_number.get(number, ())
            self._unsettled.update(dict.fromkeys(told, now + _SETTLE_SECONDS))
        return found.union(self._unsettled)

    def renew(self, subscription: Subscription, now: float) -> None:
        """Watch the directory that has the name now."""
        directory = subscription.directory
        if directory is None:
            return
        number = self._feed.watch(directory) if directory else -1
        known = self._numbers.get(subscription, -1)
        if number != known:
            self.forget((subscription,))
        if number < 0:
            self._unwatched.add(subscription)
        elif number != known:
            self._numbers[subscription] = number
            self._by_number.setdefault(number, set()).add(subscription)
            self._unsettled[subscription] = now + _SETTLE_SECONDS

    def forget(self, subscriptions: Iterable[Subscription]) -> None:
        """Watch for some subscriptions no longer."""
        for subscription in subscriptions:
            self._unwatched.discard(subscription)
            self._unsettled.pop(subscription, None)
            number = self._numbers.pop(subscription, -1)
            sharing = self._by_number.get(number, set())
            sharing.discard(subscription)
            if number >= 0 and not sharing:
                del self._by_number[number]
                self._feed.unwatch(number)


WATCHER: Final = Watcher()
os.register_at_fork(after_in_child=WATCHER.reset_after_fork)
