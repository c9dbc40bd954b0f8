"""What the files store and the SQLite store share: reads, the job queue, threads and forks."""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import deque
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar
from weakref import WeakSet

from outlast.adapters.stores.commit_job import CommitJob
from outlast.adapters.stores.thread_lock import ThreadLock
from outlast.domain.limits import check_commit_labels
from outlast.errors import OutlastError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.adapters.stores.replica import Replica
    from outlast.adapters.stores.writer_thread import WriterThread
    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.errors import StoreError
    from outlast.ports.store import Notice

T = TypeVar("T")


class SharedStore:
    """One plan on disk, for any number of threads and processes."""

    io_errors: ClassVar[tuple[type[Exception], ...]]  # what the replica may raise
    _replica: Replica

    def _reset_process_state(self) -> None:
        """Set up what belongs to this process: its lock, queue, writer thread and subscriptions."""
        self._lock = ThreadLock()
        self._queue: deque[CommitJob] = deque()
        self._writer: WriterThread | None = None
        self._writer_lock = allocate_lock()
        self._subscriptions: list[Callable[..., None]] = []

    def _register_for_fork(self) -> None:
        """Register for the after-fork hook."""
        _OPEN.add(self)

    def reset_after_fork(self) -> None:
        """Reset the store in a forked child, which shares its parent's files but has no threads.

        Without this, a child that never uses the plan would keep its parent's file lock alive.
        """
        self._reset_process_state()
        self._replica.invalidate()

    @property
    def notices(self) -> list[Notice]:
        """What was repaired or could not be done, as text keys with details."""
        return self._replica.notices

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Refresh the replica and call `question` with its state."""
        lock, replica = self._lock, self._replica
        with lock.mutex:
            if not lock.is_reading:
                self._wrap_errors(replica.refresh)
            return lock.run_read(question, replica.state)

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        commits = self._replica.commits_between
        return self.read(lambda state: self._wrap_errors(commits, revision + 1, state.revision))

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before the commit with this revision."""
        return self.read(lambda _: self._wrap_errors(self._replica.state_at, revision - 1))

    def _wrap_errors(self, call: Callable[..., T], *arguments: int) -> T:
        """Call a method of the replica; turn its I/O errors into a `StoreError`."""
        try:
            return call(*arguments)
        except self.io_errors as error:
            self._replica.stale = True
            raise self._read_error(error) from error

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
        """Queue a commit for the writer thread, which commits everything queued in one batch."""
        with self._writer_lock:
            if self._writer is None:
                from outlast.adapters.stores.writer_thread import WriterThread

                self._writer = WriterThread(self)
            future: Future[T] = self._writer.new_future()
            job = CommitJob(commands, then, author, now, reason, key, future)
            try:
                self._validate(job)
            except OutlastError as error:
                future.set_exception(error)
            else:
                self._queue.append(job)
                self._writer.call_soon(self.commit_queued)
        return future

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call `callback` for every later commit, from any process; return the unsubscriber."""
        from outlast.adapters.stores.watcher import WATCHER

        unsubscribe = WATCHER.subscribe(self, callback)
        self._subscriptions.append(unsubscribe)
        return unsubscribe

    def close(self) -> None:
        """Commit what was submitted, end the subscriptions, and close the replica."""
        self._lock.refuse_inside_read()
        self.stop_writer()
        while self._subscriptions:
            self._subscriptions.pop()(closed=True)
        with self._lock.mutex:
            self._replica.close()

    def stop_writer(self) -> None:
        """Commit what was submitted, and end the writer thread."""
        with self._writer_lock:
            writer, self._writer = self._writer, None
        if writer is not None:
            writer.stop()

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
        """Decide the commands on the current state and store their changes, all or none."""
        raise NotImplementedError

    def commit_queued(self) -> None:
        """Commit everything in the queue."""
        raise NotImplementedError

    def _read_error(self, error: Exception) -> StoreError:
        raise NotImplementedError

    def _validate(self, job: CommitJob) -> None:
        """Reject what could not be written down, before anything is decided."""
        check_commit_labels(job.author, job.reason, job.key)
        self._lock.refuse_inside_read()


_OPEN: Final[WeakSet[SharedStore]] = WeakSet()


def _after_fork_in_child() -> None:
    for store in list(_OPEN):
        store.reset_after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
