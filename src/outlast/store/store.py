"""`Store`: one plan over a log, for any number of threads; commits in batches.

How a commit is made, by threads and processes at the same time:

1. `commit` queues a job. If no thread leads, the caller leads; if one does, the caller sleeps until
   its job is done or it has to lead. `submit` queues a job and leaves the leading to `CommitPool`.
2. The leader holds the mutex, so that one thread at a time uses the state and the log, and takes
   the whole queue as one batch.
3. It locks the log and applies what others have appended. Each job is then decided on the state
   that the job before it left; all of them share one write and one sync.
4. Finished jobs are reported with no lock held, and the next leader is woken.

A batch of reads needs neither lock nor write. If the leader is interrupted, the other jobs stay in
the queue, and the next leader looks whether their batch was written before it decides them again.
Over a log that is private, all of that is left out.
"""

from __future__ import annotations

from _thread import RLock, allocate_lock  # those of `threading`, without importing that
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct

from outlast.errors import (
    InvalidArgument,
    InvalidStatus,
    LockTimeout,
    OutlastError,
    PlanClosed,
    StoreError,
)
from outlast.model.changes import Commit
from outlast.model.execute import execute, execute_composed
from outlast.model.limits import check_commit_labels
from outlast.model.state import PlanState
from outlast.store.forks import reset_after_fork
from outlast.store.log import Behind, Log, MemoryLog
from outlast.store.port import Notice, Request, Views
from outlast.store.replica import Replica

if TYPE_CHECKING:
    from concurrent.futures import Future

    from outlast.store.commit_pool import JobFuture
    from outlast.store.history import StoredHistory
    from outlast.store.watcher import Subscription
    from outlast.system.disk import LockWait

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")
_WAKE_SECONDS: Final = 0.1  # after which a sleeping thread looks by itself, if a wake-up was lost


class ThreadLock:
    """A store's mutex, and whether its holder runs a read. Stores may share a mutex."""

    __slots__ = ("is_reading", "mutex")

    def __init__(self, mutex: RLock | None = None) -> None:
        self.mutex = RLock() if mutex is None else mutex
        self.is_reading = False

    def run_read(self, question: Callable[..., T], *facts: object) -> T:
        """Call a function that may read again but not commit. The caller holds the mutex."""
        before, self.is_reading = self.is_reading, True
        try:
            return question(*facts)
        finally:
            self.is_reading = before

    def guard(self, compose: Callable[[S, U], None]) -> Callable[[S, U], None]:
        """Return the maker of a commit's commands as one that may read, but not commit."""
        return lambda state, attempt: self.run_read(compose, state, attempt)

    def is_inside_read(self) -> bool:
        """Return whether the calling thread is inside a read."""
        return self.is_reading and self.mutex._is_owned()  # type: ignore[attr-defined]  # noqa: SLF001 - the only way to learn the owner

    def refuse_inside_read(self) -> None:
        """Raise `InvalidStatus` if the calling thread is inside a read."""
        if self.is_reading and self.is_inside_read():
            raise InvalidStatus("commit_in_question")


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


class Store:
    """One plan over a log.

    `home` is where it is one of several plans, and its key there. The `views` that are attached to
    it are called at each use. They share its `lock` and `replica`, which one thread uses at a time.
    """

    def __init__(self, log: Log, now: datetime, home: tuple[object, str] | None = None) -> None:
        """Open a plan; what was repaired is in `notices`."""
        self.home = home
        self.views: Views | None = None
        self._log = log
        self._is_closed = self._is_torn = False
        self._reset_process_state()
        try:
            self.replica = Replica(log, now)
        except log.io_errors as error:
            raise log.read_error(error) from error
        reset_after_fork(self)

    def _reset_process_state(self) -> None:
        """Set up what belongs to this process: its lock, its queue and its subscriptions."""
        self.lock = ThreadLock(self._log.mutex())
        self._has_leader = self._is_pool_leading = False
        self._queue: deque[CommitJob] = deque()
        self._is_scheduled = False  # in the pool
        self._batch: list[CommitJob] = []  # the jobs that were decided together last
        self._added: list[Commit] = []  # their commits
        self._unsettled: list[Commit] = []  # the same, but not known to be appended or not
        self._needs_sync = False  # an answer relies on commits of other processes
        self._finished: deque[CommitJob] = deque()  # to be reported
        self._subscriptions: list[Subscription] = []

    def reset_after_fork(self) -> None:
        """Reset the store in a forked child, which shares its parent's files but has no threads.

        Without this, a child that never uses the plan would keep its parent's file lock alive. What
        another thread was changing in memory at that moment is unusable here.
        """
        if self._log.is_private and not self.lock.mutex.acquire(blocking=False):
            self._is_closed = self._is_torn = True
        self._reset_process_state()
        self.replica.invalidate()
        if self.views is not None:
            self.views.reset_after_fork()

    @property
    def notices(self) -> list[Notice]:
        """What was repaired or could not be done, as text keys with details."""
        return self._log.notices

    @property
    def where(self) -> str:
        """The directory or the database that the plan is in; empty for one in memory."""
        return self._log.where

    @property
    def is_shared(self) -> bool:
        """Whether other users may read and write the plan."""
        return self._log.is_shared

    # Reading

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Apply edits, refresh the state, and call `question` with it.

        Inside a read nothing changes: the state is what it was.
        """
        if self.lock.is_reading and self.lock.is_inside_read():
            return question(self.replica.state)
        views = self.views
        if views is None:
            return self._read(question)
        views.before_use()
        answer = self._read(question)
        views.after_use()
        return answer

    def _read(self, question: Callable[[PlanState], T]) -> T:
        """Refresh the state and call `question` with it."""
        lock = self.lock
        with lock.mutex:
            if lock.is_reading:
                return question(self.replica.state)
            self.refresh()
            try:
                lock.is_reading = True
                return question(self.replica.state)
            finally:
                lock.is_reading = False

    def refresh(self) -> None:
        """Make the state current; the caller has the mutex."""
        if self._is_closed:
            raise self._closed_error()
        if not self._log.is_private:
            try:
                self.replica.refresh()
            except self._log.io_errors as error:
                self.replica.stale = True
                raise self._log.read_error(error) from error

    def _ask_log(self, call: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401 - passed on
        """Refresh the state and call something that reads the log."""

        def ask(_state: PlanState) -> T:
            try:
                return call(*arguments)
            except self._log.io_errors as error:
                self.replica.stale = True
                raise self._log.read_error(error) from error

        return self._read(ask)

    def _closed_error(self) -> StoreError:
        if self._is_torn:
            return StoreError("memory_plan_inherited")
        where = self._log.where
        return PlanClosed("plan_closed", where=where) if where else PlanClosed("memory_plan_closed")

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        return self._ask_log(self.replica.commits_since, revision)

    def history(self, since: int = 0) -> StoredHistory:
        """Return the commits after a revision, which are read page by page."""
        from functools import partial

        from outlast.store.history import StoredHistory

        read_page = partial(self._ask_log, self._log.read_page, since)
        read_page_back = partial(self._ask_log, self._log.read_page_back)
        return StoredHistory(read_page, read_page_back, since, self.revision())

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision; "" if the plan has none."""
        return self._ask_log(self._log.mark_of, revision)

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before the commit with this revision."""
        return self._ask_log(self.replica.state_at, revision - 1)

    def revision(self) -> int:
        """Return the newest revision."""
        return self._read(lambda state: state.revision)

    def follow_plan(self, plan_id: str) -> None:
        """Go over to the plan with this id once it has the key; any other is refused."""
        with self.lock.mutex:
            self.replica.next_plan = plan_id

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call `callback` for every later commit, from any process; return the unsubscriber."""
        from outlast.store.watcher import WATCHER, Subscription

        with self.lock.mutex:
            if self._log.start_history():
                self.replica.start_history()
        directory = None if self._log.is_private else self._log.watched_directory()
        subscription = Subscription(self._latest, self.commits_since, callback, directory)
        WATCHER.add(subscription)
        with self.lock.mutex:
            kept = [each for each in self._subscriptions if not each.ended]
            self._subscriptions = [*kept, subscription]
        return subscription.end

    def _nudge_subscriptions(self) -> None:
        for subscription in self._subscriptions:
            subscription.nudge()

    def _latest(self) -> tuple[int, int]:
        """Return how often the revisions have begun at 1 again, and the newest one."""
        revision = self.revision()
        return self.replica.restarts, revision

    # Committing

    def commit(  # noqa: C901, PLR0912 - the short way, of a private log, is written out
        self, request: Request, then: Callable[[PlanState, Commit], T]
    ) -> T:
        """Decide and append; either at once, or together with what other threads have queued."""
        lock = self.lock
        if self.views is not None:
            self.views.before_use()
        check_commit_labels(request.author, request.reason, request.key, request.person)
        if lock.is_reading:
            lock.refuse_inside_read()
        if self._log.is_private:
            with lock.mutex:
                if self._is_closed:
                    raise self._closed_error()
                if request.key or request.compose is not None:
                    state, commit = self._commit_alone(request)
                else:
                    state, now = self.replica.state, request.now
                    changes = execute(state, request.commands, now)
                    revision, author, reason = state.revision, request.author, request.reason
                    commit = Commit(revision, now, author, changes, reason, "", "", request.person)
                    kept = self._log.kept
                    if changes and kept is not None:
                        kept.append(commit)
                if self._subscriptions:
                    self._nudge_subscriptions()
                try:
                    lock.is_reading = True
                    return then(state, commit)
                finally:
                    lock.is_reading = False
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

    def _commit_alone(self, request: Request) -> tuple[PlanState, Commit]:
        """Commit what needs more than to be decided; return what was committed to what."""
        job = CommitJob(request, lambda state, commit: (state, commit))
        self._added = []
        with suppress(RetryBatch):  # there is no batch: its error is all
            self._decide(job)
        if job.error is not None:
            raise job.error
        state, commit = job.answer
        return state, commit

    def submit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> Future[T]:
        """Queue a job for the pool, which commits everything queued in one batch.

        Where there is nothing to wait for, commit at once.
        """
        from outlast.store.commit_pool import JobFuture

        future: Future[T] = JobFuture()
        try:
            if self._log.is_private:
                future.set_result(self.commit(request, then))
                return future
            check_commit_labels(request.author, request.reason, request.key, request.person)
            self.lock.refuse_inside_read()
        except Exception as error:  # noqa: BLE001 - raised by the future
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
                POOL.schedule(self._commit_queued)
            except BaseException:
                self._is_scheduled = False
                raise

    def _commit_queued(self) -> None:
        """Lead a batch in a thread of the pool, unless a leader is there: it hands over."""
        self._is_scheduled = False
        if self._queue and not self._has_leader:
            try:
                self._lead(None, in_pool=True)
            except BaseException as error:  # noqa: BLE001 - raised to the callers
                with self.lock.mutex:
                    self._fail(list(self._queue), error)
                self._hand_over()
        if self.views is not None:  # only now: to apply edits may run checks for long
            self.views.before_use()
            self.views.after_use()

    def _lead(self, own: CommitJob | None, *, in_pool: bool = False) -> None:
        """Commit queued jobs until this thread's own is done; then wake the next leader.

        While another process holds the lock, this waits without the mutex, so that threads can
        read, and at last fails every job that writes.
        """
        wait: LockWait | None = None
        try:
            while True:
                try:
                    with self.lock.mutex:
                        self._has_leader = True
                        self._is_pool_leading = in_pool
                        while self._queue and not (own and own.done):
                            self._commit_batch(own)
                        self._has_leader = False
                        return
                except Exception as error:  # noqa: BLE001 - raised, unless the lock is held
                    wait = self._wait_for_lock(error, wait, own)
        except BaseException:
            self._has_leader = False
            raise
        finally:
            if self._finished or self._queue:
                self._hand_over()

    def _wait_for_lock(
        self, error: Exception, wait: LockWait | None, own: CommitJob | None
    ) -> LockWait | None:
        """Pause if an error says that the log is locked; after too long, fail all writers."""
        from outlast.system.disk import LockHeld, LockWait

        if not isinstance(error, LockHeld):
            raise error
        wait = wait or LockWait(self._log.disk, self.notices)
        try:
            wait.pause(error)
        except LockTimeout as timeout:
            with self.lock.mutex:
                self._fail(list(filter(_is_writer, self._queue)), timeout)
                self._dequeue_done(own)
            return None
        return wait

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
        is_writing = bool(self._unsettled) or any(map(_is_writer, jobs))
        replica = self.replica
        try:
            if is_writing and not self._is_closed:
                replica.lock()
                if self._unsettled:
                    self._settle_interrupted()
            else:
                self.refresh()
            self._batch, self._added, self._needs_sync = [], [], False
            # some came while we waited for the lock; nothing may be decided without it
            for job in _start(list(self._queue) if is_writing else jobs):
                self._decide(job)
                self._batch.append(job)
            if is_writing:
                self._unsettled = self._added
                replica.write(added=bool(self._added), read=self._needs_sync)
            for job in self._batch:
                job.done = True
            self._unsettled = []
            if self._added and self._subscriptions:
                self._nudge_subscriptions()
            replica.save_snapshot_if_due()
        except BaseException as error:  # noqa: BLE001 - raised again, or to the callers
            self._fail_batch(jobs, error, is_writing=is_writing)
        finally:
            self._dequeue_done(own)
        if self.views is not None:
            self.views.after_batch()

    def _settle_interrupted(self) -> None:
        """Settle the batch of a leader that was interrupted, if it was written after all."""
        if self.replica.has(self._unsettled[-1]):
            self.replica.sync()
            for job in self._batch:
                job.done = True
        self._unsettled = []

    def _decide(self, job: CommitJob) -> None:
        """Decide one job on the state and add its commit; or find that of its repeated key."""
        replica, request = self.replica, job.request
        state, now, key = replica.state, request.now, request.key
        job.error = None
        try:
            request_digest = _digest(request) if key else ""
            if key in replica.positions_by_key:
                state, commit = self._find_answered(key, request_digest)
            else:
                if request.compose is None:
                    changes = execute(state, request.commands, now)
                else:
                    changes = execute_composed(state, self.lock.guard(request.compose), now)
                    key = key if changes else ""
                author, reason, person = request.author, request.reason, request.person
                commit = Commit(
                    state.revision, now, author, changes, reason, key, request_digest, person
                )
                if changes or key:
                    position = self._log.add(commit)
                    self._added.append(commit)
                    if key:
                        replica.remember_key(key, position)
        except self._log.io_errors:
            raise
        except OutlastError as error:
            job.error = error
        except Exception as error:  # raised to this caller, not to others
            job.error, job.done = error, True
            raise RetryBatch from error  # it may be half applied
        else:
            self._run_then(job, state, commit)

    def _find_answered(self, key: str, request_digest: str) -> tuple[PlanState, Commit]:
        """Return what a key was answered with; without a history, its commit and the state now."""
        replica = self.replica
        commit = self._log.commit_at(replica.positions_by_key[key])
        if not request_digest or commit.request_digest != request_digest:
            raise InvalidArgument("key_reused", argument="key", key=key)
        self._needs_sync = True
        has_history = not self._log.is_private or self._log.kept is not None
        return replica.state_at(commit.revision) if has_history else replica.state, commit

    def _run_then(self, job: CommitJob, state: PlanState, commit: Commit) -> None:
        lock = self.lock
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

    def _fail_batch(self, jobs: list[CommitJob], error: BaseException, *, is_writing: bool) -> None:
        """Fail those that write, or all; one that broke alone has its error already."""
        from outlast.system.disk import LockHeld

        if isinstance(error, LockHeld):  # nothing has begun
            raise error
        if is_writing:
            self.replica.drop(error)
        writers = [job for job in jobs if _is_writer(job)]
        if isinstance(error, RetryBatch | Behind):
            self._unsettled = []  # nothing was written; the other jobs stay in the queue
        elif isinstance(error, self._log.io_errors):
            self._fail(writers, self._log.write_error(error))
        elif isinstance(error, Exception):
            self._fail(writers or jobs, error)
        else:
            raise error  # an interrupt

    def _fail(self, jobs: Iterable[CommitJob], error: BaseException) -> None:
        """Fail every job that is neither done nor cancelled, and those decided with them."""
        self._unsettled = []
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
        """Commit what was submitted, close the log, and report the last commits."""
        self.lock.refuse_inside_read()
        self._lead(None)
        commits: list[Commit] = []
        with self.lock.mutex:
            if self.views is not None and not self._is_closed:
                self.views.before_close()
            subscriptions, self._subscriptions = self._subscriptions, []
            if subscriptions:
                from outlast.store.watcher import undelivered_commits

                restarts = self.replica.restarts
                commits = undelivered_commits(self.commits_since, restarts, subscriptions)
            if not self._is_closed:
                self._is_closed = True
                self.replica.close()
        for subscription in subscriptions:
            subscription.end_with(commits)


class MemoryStore(Store):
    """One plan in memory. Without `keep_history` it has no past: no commits, no earlier states."""

    def __init__(self, now: datetime, *, keep_history: bool = True) -> None:
        super().__init__(MemoryLog(keeps_history=keep_history), now)


def _start(queued: Iterable[CommitJob]) -> list[CommitJob]:
    """Return the jobs to decide now.

    The first answer of a repeated key is read from the history: it is left to the next batch.
    """
    jobs: list[CommitJob] = []
    keys: set[str] = set()
    for job in queued:
        key = job.request.key
        if key not in keys and not job.done and (job.future is None or job.try_start()):
            jobs.append(job)
            if key:
                keys.add(key)
    return jobs


def _digest(request: Request) -> str:
    from outlast.store.journal import digest

    return "" if request.compose else digest(request.commands)


def _is_writer(job: CommitJob) -> bool:
    request = job.request
    return bool(request.commands or request.key or request.compose)
