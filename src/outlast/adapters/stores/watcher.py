"""One thread that looks at plans now and then, and tells what has happened to them."""

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

_SECONDS: Final = 0.1


class Watch:
    """Who is to be told of which plan, and how far that has come."""

    def __init__(self, store: Store, callback: Callable[[Commit], None]) -> None:
        self.store = store
        self.callback = callback
        self.seen = self._revision()
        self.ended = self._closed = False
        self._problem = ""

    def end(self, *, closed: bool = False) -> None:
        """Tell nothing more, at the wish of the one who was told or because the plan is closed."""
        self._closed = closed
        self.ended = True

    def _revision(self) -> int:
        return self.store.read(lambda state: state.revision)

    def look(self) -> None:
        """Tell what is new; a plan that cannot be read now is looked at again."""
        try:
            commits = self._news()
            self._problem = ""
        except OutlastError as error:
            commits = []
            self._complain(str(error))
        if self._closed:
            self.store.close()  # looking has opened it again
        for commit in commits:
            if self.ended:
                return
            self.seen = commit.revision
            self._tell(commit)

    def _complain(self, problem: str) -> None:
        if problem != self._problem:
            LOG.warning("watching: %s", problem)
        self._problem = problem

    def _news(self) -> list[Commit]:
        revision = self._revision()
        self.seen = min(self.seen, revision)  # somebody may have put an older plan back
        return self.store.since(self.seen) if revision > self.seen else []

    def _tell(self, commit: Commit) -> None:
        try:
            self.callback(commit)
        except Exception:
            LOG.exception("a subscriber failed")


class Watcher:
    """Follows any number of plans, whoever changes them, in this process or another."""

    def __init__(self) -> None:
        """Begin with nothing to watch, and no thread."""
        self.forget()

    def forget(self) -> None:
        """Watch nothing: in a forked process what its parent watches is the parent's."""
        self._watches: list[Watch] = []
        self._lock = Lock()
        self._thread: Thread | None = None

    def watch(self, store: Store, callback: Callable[[Commit], None]) -> Callable[..., None]:
        """Tell a function every commit from now on; return what ends that."""
        watch = Watch(store, callback)
        with self._lock:
            self._watches.append(watch)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="outlast-watcher", daemon=True)
                self._thread.start()
        return watch.end

    def _work(self) -> None:
        while watches := self._wanted():
            for watch in watches:
                watch.look()
            del watch, watches
            sleep(_SECONDS)

    def _wanted(self) -> list[Watch]:
        with self._lock:
            self._watches = [watch for watch in self._watches if not watch.ended]
            if not self._watches:
                self._thread = None
            return list(self._watches)


WATCHER: Final = Watcher()
os.register_at_fork(after_in_child=WATCHER.forget)
