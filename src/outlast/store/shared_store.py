"""What the files store and the SQLite store share: reads, and commits in batches.

How a commit is made, by threads and processes at the same time:

1. `commit` queues a job. If no thread leads, the caller leads; if one does, the caller sleeps until
   its job is done or it has to lead. `submit` queues a job and leaves the leading to `CommitPool`.
2. The leader holds the mutex, so that one thread at a time uses the replica, and takes the whole
   queue as one batch.
3. `Replica.write` takes the lock between processes and applies their commits. Each job is then
   decided on the state that the job before it left; all of them share one write and one sync.
4. Finished jobs are reported with no lock held, and the next leader is woken.

A batch of reads needs neither lock nor write. If the leader is interrupted, the other jobs stay in
the queue, and the next leader looks whether their batch was written before it decides them again.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar
from weakref import WeakSet

from msgspec import Struct

from outlast.errors import InvalidArgument, LockTimeout, OutlastError, PlanClosed
from outlast.model.changes import Commit
from outlast.model.execute import execute, execute_composed
from outlast.model.limits import check_commit_labels
from outlast.model.state import PlanState
from outlast.store.journal import digest
from outlast.store.port import Request
from outlast.store.thread_lock import ThreadLock
from outlast.system.disk import LockHeld, LockWait

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Future

    from outlast.errors import StoreError
    from outlast.store.commit_pool import JobFuture
    from outlast.store.history import Page, StoredHistory
    from outlast.store.port import Notice
    from outlast.store.replica import Replica
    from outlast.store.watcher import Subscription
    from outlast.system.disk import Disk

T = TypeVar("T")
_WAKE_SECONDS: Final = 0.1  # after which a sleeping thread looks by itself, if a wake-up was lost


class CommitJob(Struct, eq=False):
    """A requested commit and, once `done`, its answer or its error.

    A job with a `future` was submitted; any other has a thread that waits for it.
    """

    request: Request
    then: Callable[[PlanState, Commit], Any]
    future: Any = None
    gate: Any = None
    answer: Any = None
    error: BaseException | None = None
    done: bool = False

    def try_start(self) -> bool:
        """Mark the job as started; return False if it is done or was cancelled before."""
        future: JobFuture | None = self.future
        if not self.done and future is not None:
            self.done = not future.try_start()
        return not self.done

    def wait(self) -> None:
        """Sleep until `wake`, or until the timeout. The caller checks `done` in a loop."""
        if self.gate is None:  # a wake-up before this line is lost: return once to check again
            gate = allocate_lock()
            gate.acquire()
            self.gate = gate
        else:
            self.gate.acquire(timeout=_WAKE_SECONDS)

    def wake(self) -> None:
        """Wake the waiting thread. Safe to call more than once."""
        gate = self.gate
        if gate is not None and gate.locked():
            try:
                gate.release()
            except RuntimeError:  # another thread released it first
                return

    def finish(self) -> None:
        """Report the outcome to the future or to the waiting thread. Safe to repeat."""
        self.done = True
        if self.future is None:
            self.wake()
        else:
            self.future.resolve(self.answer, self.error)


class RetryBatch(Exception):
    """One job of a batch broke and may have changed the state: decide the others again."""


class SharedStore:
    """One plan on disk, for any number of threads and processes."""

    io_errors: ClassVar[tuple[type[Exception], ...]]  # what the replica may raise
    disk: Disk
    _replica: Replica
    _is_closed = False

    def _reset_process_state(self) -> None:
        """Set up what belongs to this process: its lock, its queue and its subscriptions."""
        self._lock = ThreadLock()
        self._has_leader = self._is_pool_leading = False
        self._queue: deque[CommitJob] = deque()
        self._is_scheduled = False  # in the pool
        self._batch: list[CommitJob] = []  # the jobs that were decided together last
        self._is_batch_open = False  # they are decided, but not known to be written
        self._finished: deque[CommitJob] = deque()  # to be reported
        self._subscriptions: list[Subscription] = []

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

    # Reading

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Refresh the replica and call `question` with its state."""
        lock = self._lock
        with lock.mutex:
            if lock.is_reading:
                return question(self._replica.state)
            self._refresh()
            try:
                lock.is_reading = True
                return question(self._replica.state)
            finally:
                lock.is_reading = False

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        commits = self._replica.commits_between
        return SharedStore.read(  # without what a subclass does first
            self, lambda state: self._wrap_errors(commits, revision + 1, state.revision)
        )

    def history(self, since: int = 0) -> StoredHistory:
        """Return the commits after a revision, which are read page by page."""
        from outlast.store.history import StoredHistory

        return StoredHistory(self, since)

    def read_page(self, since: int, position: int | None) -> Page:
        """Return some commits oldest first, and the position after them."""
        read_page = self._replica.read_page
        return SharedStore.read(self, lambda _: self._wrap_errors(read_page, since, position))

    def read_page_back(self, position: int | None) -> Page:
        """Return some commits newest first, and the position before them."""
        read_page_back = self._replica.read_page_back
        return SharedStore.read(self, lambda _: self._wrap_errors(read_page_back, position))

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision; "" if the plan has none."""
        mark_of = self._replica.mark_of
        return SharedStore.read(self, lambda _: self._wrap_errors(mark_of, revision))

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before the commit with this revision."""
        state_at = self._replica.state_at
        return SharedStore.read(self, lambda _: self._wrap_errors(state_at, revision - 1))

    def revision(self) -> int:
        """Return the newest revision."""
        return SharedStore.read(self, lambda state: state.revision)

    @property
    def restarts(self) -> int:
        """How often the next plan took the key, whose revisions begin at 1 again."""
        return self._replica.restarts

    def follow_plan(self, plan_id: str) -> None:
        """Go over to the plan with this id once it has the key; any other is refused."""
        with self._lock.mutex:
            self._replica.next_plan = plan_id

    def _refresh(self) -> None:
        if self._is_closed:
            raise self._closed_error()
        try:
            self._replica.refresh()
        except self.io_errors as error:
            self._replica.stale = True
            raise self._read_error(error) from error

    def _closed_error(self) -> PlanClosed:
        return PlanClosed("plan_closed", where=self._replica.where)

    def _wrap_errors(self, call: Callable[..., T], *arguments: int | None) -> T:
        """Call a method of the replica; turn its I/O errors into a `StoreError`."""
        try:
            return call(*arguments)
        except self.io_errors as error:
            self._replica.stale = True
            raise self._read_error(error) from error

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call `callback` for every later commit, from any process; return the unsubscriber."""
        from outlast.store.watcher import WATCHER

        subscription = WATCHER.subscribe(self, callback)
        self._subscriptions.append(subscription)
        return subscription.end

    # Committing

    def commit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> T:
        """Queue a job, then lead a batch or wait until a leader has committed it."""
        check_commit_labels(request.author, request.reason, request.key, request.person)
        if self._lock.is_reading:
            self._lock.refuse_inside_read()
        job = CommitJob(request, then)
        try:
            self._queue.append(job)
            while self._has_leader and not job.done:
                job.wait()
            if not job.done:
                self._lead(job)
        except BaseException:
            with suppress(ValueError):
                self._queue.remove(job)
            self._hand_over()
            raise
        if job.error is not None:
            raise job.error
        answer: T = job.answer
        return answer

    def submit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> Future[T]:
        """Queue a job for the pool, which commits everything queued in one batch."""
        from outlast.store.commit_pool import JobFuture

        future: Future[T] = JobFuture()
        try:
            check_commit_labels(request.author, request.reason, request.key, request.person)
            self._lock.refuse_inside_read()
        except OutlastError as error:
            future.set_exception(error)
        else:
            self._queue.append(CommitJob(request, then, future))
            self._schedule()
        return future

    def _schedule(self) -> None:
        """Let the pool lead a batch, once for all jobs that are queued until then."""
        if not self._is_scheduled:
            from outlast.store.commit_pool import POOL

            try:
                self._is_scheduled = True
                POOL.schedule(self)
            except BaseException:
                self._is_scheduled = False
                raise

    def commit_queued(self) -> None:
        """Lead a batch in a thread of the pool, unless a leader is there: it hands over."""
        self._is_scheduled = False
        if not self._queue or self._has_leader:
            return
        try:
            self._lead(None, in_pool=True)
        except BaseException as error:  # noqa: BLE001 - raised to the callers
            with self._lock.mutex:
                self._fail(list(self._queue), error)
            self._hand_over()

    def _lead(self, own: CommitJob | None, *, in_pool: bool = False) -> None:
        """Commit queued jobs until this thread's own is done; then wake the next leader.

        While another process holds the lock, this waits without the mutex, so that threads can
        read, and at last fails every job that writes.
        """
        wait: LockWait | None = None
        try:
            while (held := self._commit_batches(own, in_pool=in_pool)) is not None:
                wait = wait or LockWait(self.disk, self.notices)
                try:
                    wait.pause(held)
                except LockTimeout as error:
                    wait = None
                    with self._lock.mutex:
                        self._fail(list(filter(_is_writer, self._queue)), error)
                        self._dequeue_done(own)
        except BaseException:
            self._has_leader = False
            raise
        finally:
            if self._finished or self._queue:
                self._hand_over()

    def _commit_batches(self, own: CommitJob | None, *, in_pool: bool) -> LockHeld | None:
        """Commit queued jobs; return early if another process holds the lock."""
        with self._lock.mutex:
            self._has_leader = True
            self._is_pool_leading = in_pool
            try:
                while self._queue and not (own and own.done):
                    self._commit_batch(own)
            except LockHeld as held:
                return held
            self._has_leader = False
        return None

    def _hand_over(self) -> None:
        """Report finished jobs, then wake the next leader. Callbacks may do anything."""
        self._dequeue_done(None)  # again, if an interrupt came
        while self._finished:
            try:
                job = self._finished[0]
                job.finish()  # before the removal: `finish` may run twice, but must run
                self._finished.remove(job)
            except (IndexError, ValueError):  # another thread was faster
                continue
        if self._queue:
            with suppress(IndexError):
                first = self._queue[0]
                if first.future is None:
                    first.wake()
                else:
                    self._schedule()

    def _commit_batch(self, own: CommitJob | None) -> None:
        """Commit all queued jobs with one write and one sync. The caller leads."""
        jobs = list(self._queue)
        try:
            if self._is_closed:
                self._refresh()  # which refuses
            if self._is_batch_open or any(map(_is_writer, jobs)):
                self._replica.write(self._decide_batch, self._settle_batch)
            else:
                self._refresh()
                self._decide_queued()
                self._settle_batch()
        except RetryBatch:
            self._is_batch_open = False  # nothing was written; the other jobs stay in the queue
        except LockHeld:
            raise
        except self.io_errors as error:
            self._fail(filter(_is_writer, jobs), self._write_error(error))
        except Exception as error:  # noqa: BLE001 - raised to the callers
            self._fail(list(filter(_is_writer, jobs)) or jobs, error)
        finally:
            self._dequeue_done(own)

    def _decide_batch(self) -> None:
        """Decide what is about to be written; settle the batch of an interrupted leader first."""
        if self._is_batch_open and self._replica.has_appended_before():
            self._settle_batch()
        self._is_batch_open = True
        self._decide_queued()

    def _decide_queued(self) -> None:
        """Decide every queued job, also those that came while we waited for the lock."""
        self._batch = decided = []
        keys: set[str] = set()
        for job in list(self._queue):
            key = job.request.key
            if key not in keys and job.try_start():
                if key:
                    keys.add(key)  # its first answer is read from the history: next batch
                self._decide(job)
                decided.append(job)

    def _settle_batch(self) -> None:
        for job in self._batch:
            job.done = True
        self._is_batch_open = False

    def _decide(self, job: CommitJob) -> None:
        """Decide one job on the state, and append its commit; or find that of its repeated key."""
        replica, request = self._replica, job.request
        state, now, key = replica.state, request.now, request.key
        job.error = None
        try:
            compose, request_digest = request.compose, ""
            if key:
                request_digest = "" if compose else digest(request.commands)
                if key in replica.positions_by_key:
                    self._answer_repeated(job, request_digest)
                    return
            if compose is None:
                changes = execute(state, request.commands, now)
            else:
                changes = execute_composed(state, self._lock.guard(compose), now)
                key = key if changes else ""
            commit = Commit(
                state.revision,
                now,
                request.author,
                changes,
                request.reason,
                key,
                request_digest,
                request.person,
            )
            if changes or key:
                replica.append(commit)
        except RetryBatch:
            raise
        except self.io_errors:
            raise
        except OutlastError as error:
            job.error = error
        except Exception as error:  # raised to this caller, not to others
            job.error, job.done = error, True
            raise RetryBatch from error  # it may be half applied
        else:
            self._run_then(job, state, commit)

    def _answer_repeated(self, job: CommitJob, request_digest: str) -> None:
        """Answer a repeated key as the first time."""
        replica, key = self._replica, job.request.key
        commit = replica.commit_at(replica.positions_by_key[key])
        if not request_digest or commit.request_digest != request_digest:
            raise InvalidArgument("key_reused", argument="key", key=key)
        replica.require_sync()
        self._run_then(job, replica.state_at(commit.revision), commit)

    def _run_then(self, job: CommitJob, state: PlanState, commit: Commit) -> None:
        lock = self._lock
        try:
            lock.is_reading = True
            job.answer = job.then(state, commit)
        except Exception as error:  # noqa: BLE001 - raised to this caller, not to others
            job.error = error
        except BaseException as error:
            if not self._is_pool_leading:
                raise  # an interrupt of the leader
            job.error, job.done = error, True
            raise RetryBatch from error
        finally:
            lock.is_reading = False

    def _fail(self, jobs: Iterable[CommitJob], error: BaseException) -> None:
        """Fail every job that is neither done nor cancelled, and those decided with them."""
        self._is_batch_open = False
        for job in (*jobs, *self._batch):
            if job.try_start():
                job.error, job.done = error, True

    def _dequeue_done(self, own: CommitJob | None) -> None:
        queue = self._queue
        for job in list(queue):
            if job.done:
                if job is not own:
                    self._finished.append(job)
                try:
                    queue.remove(job)
                except ValueError:  # its caller gave up
                    continue

    # Closing

    def close(self) -> None:
        """Commit what was submitted, close the replica, and report the last commits."""
        self._lock.refuse_inside_read()
        self._lead(None)
        commits: list[Commit] = []
        with self._lock.mutex:
            subscriptions, self._subscriptions = self._subscriptions, []
            if subscriptions:
                from outlast.store.watcher import undelivered_commits

                commits = undelivered_commits(self, subscriptions)
            if not self._is_closed:
                self._is_closed = True
                self._replica.close()
        for subscription in subscriptions:
            subscription.end_with(commits)

    # What the kinds of storage differ in

    def _read_error(self, error: Exception) -> StoreError:
        raise NotImplementedError

    def _write_error(self, error: Exception) -> StoreError:
        raise NotImplementedError


def _is_writer(job: CommitJob) -> bool:
    request = job.request
    return bool(request.commands or request.key or request.compose)


_OPEN: Final[WeakSet[SharedStore]] = WeakSet()


def _after_fork_in_child() -> None:
    for store in list(_OPEN):
        store.reset_after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
