"""The threads that carry out what is submitted to stores: one pool for the whole process."""

from __future__ import annotations

import os
from concurrent.futures import Future, InvalidStateError
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

_THREADS: Final = 8
_IDLE_SECONDS: Final = 5.0  # after which a thread ends


class JobFuture(Future[Any]):
    """The future of a submitted job; every method may be called again after an interrupt."""

    def try_start(self) -> bool:
        """Mark the future as running; return False if it was cancelled or is done."""
        try:
            return self.running() or self.set_running_or_notify_cancel()
        except RuntimeError:  # cancelled or resolved already: an interrupt came in between
            return False

    def resolve(self, answer: object, error: BaseException | None) -> None:
        """Set the result or the error, unless there is an outcome already."""
        try:
            if error is None:
                self.set_result(answer)
            else:
                self.set_exception(error)
        except InvalidStateError:  # cancelled, or resolved already
            return


class CommitPool:
    """Daemon threads that let stores commit their queues. Idle threads end.

    A scheduled store is kept alive until its queue is committed.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the threads and what was scheduled: a forked child has none of them."""
        self._scheduled: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = Lock()
        self._threads = 0
        self._unfinished = 0  # stores that are scheduled or being served

    def schedule(self, commit_queued: Callable[[], None]) -> None:
        """Let a thread call a store's method soon."""
        self._scheduled.put(commit_queued)
        with self._lock:
            self._unfinished += 1
            if self._threads >= min(self._unfinished, _THREADS):
                return
            self._threads += 1
        try:
            Thread(target=self._run, name="outlast-commits", daemon=True).start()
        except RuntimeError:  # no thread available: those that run will come to it
            with self._lock:
                self._threads -= 1
                if not self._threads:
                    raise

    def is_idle(self) -> bool:
        """Return whether nothing is scheduled or being committed."""
        with self._lock:
            return not self._unfinished

    def _run(self) -> None:
        while (commit_queued := self._next()) is not None:
            try:
                commit_queued()
            except Exception:
                LOG.exception("a submitted commit failed")
            del commit_queued
            with self._lock:
                self._unfinished -= 1

    def _next(self) -> Callable[[], None] | None:
        """Return what to call next; None ends the thread."""
        while True:
            try:
                return self._scheduled.get(timeout=_IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if not self._scheduled.qsize():
                        self._threads -= 1
                        return None


POOL: Final = CommitPool()
os.register_at_fork(after_in_child=POOL.reset)
