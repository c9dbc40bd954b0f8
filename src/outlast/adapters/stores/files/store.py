"""The files store: a plan in a directory, for any number of threads and processes."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from outlast.adapters.stores.commit_job import CommitJob, RetryBatch, fail_jobs
from outlast.adapters.stores.files.journal_file import create_journal
from outlast.adapters.stores.files.replica import JournalReplica
from outlast.adapters.stores.shared_store import SharedStore
from outlast.domain.changes import Commit
from outlast.domain.execute import execute
from outlast.domain.state import PlanState
from outlast.errors import InvalidArgument, OutlastError, StoreError, WriteFailed
from outlast.formats import journal
from outlast.system.disk import describe_error
from outlast.system.files import PRIVATE, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Self

    from outlast.domain.commands import Command, CreatePlan
    from outlast.system.disk import Disk

T = TypeVar("T")


class FilesStore(SharedStore):
    """One plan in a directory.

    Threads that commit at the same time share one write and one sync: the first becomes the leader
    and commits the jobs of the others in its batch.
    """

    io_errors = (OSError,)
    _replica: JournalReplica

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan; what was repaired is in `notices`."""
        self.directory = directory
        self._disk = disk
        self._reset_process_state()
        try:
            self._replica = JournalReplica(directory, disk, now)
            self._register_for_fork()
        except OSError as error:
            raise self._read_error(error) from error

    def _reset_process_state(self) -> None:
        super()._reset_process_state()
        self._finished: deque[CommitJob] = deque()
        self._batch: list[
            CommitJob
        ] = []  # the jobs being written, and where the journal ends with them
        self._batch_end = -1

    @classmethod
    def create(  # noqa: PLR0913 - what a plan begins with
        cls,
        directory: str,
        disk: Disk,
        command: CreatePlan,
        *,
        author: str,
        now: datetime,
        shared: bool = False,
    ) -> Self:
        """Create a plan in an existing directory that has none; complete or not at all."""
        state = PlanState(now)
        changes = execute(state, (command,), now)
        lines = journal.write_header(command.key, shared=shared)
        lines += journal.write_commit(Commit(state.revision, now, author, changes))
        try:
            create_journal(directory, disk, lines, SHARED if shared else PRIVATE)
        except OSError as error:
            problem = describe_error(error)
            raise StoreError("store_failed", where=directory, problem=problem) from error
        return cls(directory, disk, now)

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
        """Queue a job, then lead a batch or wait until a leader has committed it."""
        job, lock = CommitJob(commands, then, author, now, reason, key), self._lock
        try:
            self._validate(job)
            self._queue.append(job)
            while lock.has_leader and not job.done:
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

    # Committing

    def commit_queued(self) -> None:
        """Lead a batch, if any job is queued."""
        if self._queue or self._finished:
            self._lead(None)

    def _lead(self, own: CommitJob | None) -> None:
        """Commit queued jobs until this thread's own is done; then wake the next leader.

        A thread that queues a job while another leads goes to sleep. The leader wakes it.
        """
        lock = self._lock
        try:
            with lock.mutex:
                lock.has_leader = True
                try:
                    while self._queue and not (own and own.done):
                        self.commit_batch(own)
                finally:
                    lock.has_leader = False
        finally:
            if self._finished or self._queue:
                self._hand_over()

    def _hand_over(self) -> None:
        """Report finished jobs, then wake the next leader."""
        self._notify_finished()
        self._wake_next()

    def _notify_finished(self) -> None:
        """Report finished jobs to their callers. Callbacks may do anything, so no lock is held."""
        while self._finished:
            try:
                job = self._finished[0]
                job.finish()  # before the removal: `finish` may run twice, but must run
                self._finished.remove(job)
            except (IndexError, ValueError):  # another thread was faster
                continue

    def _wake_next(self) -> None:
        if self._queue:
            with suppress(IndexError):
                first = self._queue[0]
                if first.future is None:
                    first.wake()
                elif self._writer is not None:
                    self._writer.call_soon(self.commit_queued)

    def commit_batch(self, own: CommitJob | None = None) -> None:
        """Commit all queued jobs with one write and one sync. The caller is the leader."""
        jobs = list(self._queue)
        self._batch_end = -1
        try:
            self._replica.with_lock(self._write_batch, jobs)
        except RetryBatch:
            pass  # nothing was written; the other jobs stay in the queue
        except OSError as error:
            text = "write_unknown" if self._replica.journal.is_write_unknown else "write_failed"
            failure = WriteFailed(text, where=self.directory, problem=describe_error(error))
            failure.__cause__ = error
            fail_jobs(jobs, failure)
        except Exception as error:  # noqa: BLE001 - raised to the callers
            fail_jobs(jobs, error)
        except BaseException:
            self._requeue_others([job for job in jobs if job is not own])
            raise
        finally:
            self._dequeue_done(jobs, own)

    def _dequeue_done(self, jobs: list[CommitJob], own: CommitJob | None) -> None:
        for job in jobs:
            if job.done:
                if job is not own:
                    self._finished.append(job)
                try:
                    self._queue.remove(job)
                except ValueError:  # its caller gave up
                    continue

    def _requeue_others(self, jobs: list[CommitJob]) -> None:
        """Re-queue other callers' jobs after our own interrupt rolled the batch back."""
        journal = self._replica.journal
        written = self._batch if journal.offset >= self._batch_end > 0 else ()
        for job in jobs:
            if job in written:
                job.done = True
            elif journal.is_write_unknown and job.try_start():
                job.error = WriteFailed("write_unknown", where=self.directory, problem="")
                job.done = True
            elif not job.done:
                job.error = None

    def _write_batch(self, jobs: list[CommitJob]) -> None:
        replica = self._replica
        replica.prepare_append()
        jobs[:] = self._queue  # with the jobs that came while we waited for the file lock
        lines: list[bytes] = []
        keys: set[str] = set()
        decided: list[CommitJob] = []
        self._batch, end = decided, replica.journal.offset
        for job in jobs:
            if job.key not in keys and job.try_start():
                line = self._decide(job, end)
                decided.append(job)
                if line:
                    lines.append(line)
                    end += len(line)
                    if job.key:
                        keys.add(job.key)
        if lines:
            self._batch_end = end
            replica.append(lines)
        elif replica.unsynced_bytes() and any(job.key for job in decided):
            replica.sync()
        for job in decided:
            job.done = True
        replica.save_snapshot_if_due()

    def _decide(self, job: CommitJob, place: int) -> bytes:
        """Decide one job on the state; return its journal line, if it has one."""
        replica, line = self._replica, b""
        state = replica.state
        job.error = None
        try:
            digest = journal.digest(job.commands) if job.key else ""
            if job.key in replica.positions_by_key:
                self._answer_repeated(job, digest)
                return line
            changes = execute(state, job.commands, job.now)
            commit = Commit(
                state.revision, job.now, job.author, changes, job.reason, job.key, digest
            )
            if changes or job.key:
                line = journal.write_commit(commit, place - replica.synced_offset)
                if job.key:
                    replica.remember(job.key, place)
        except OSError:
            raise
        except OutlastError as error:
            job.error = error
        except Exception as error:  # raised to this caller, not to others
            job.error, job.done = error, True
            raise RetryBatch from error  # it may be half applied
        else:
            self._run_then(job, state, commit)
        return line

    def _answer_repeated(self, job: CommitJob, digest: str) -> None:
        """Answer a repeated key as the first time."""
        commit = self._replica.journal.commit_at(self._replica.positions_by_key[job.key])
        if commit.request_digest != digest:
            raise InvalidArgument("key_reused", argument="key", key=job.key)
        self._run_then(job, self._replica.state_at(commit.revision), commit)

    def _run_then(self, job: CommitJob, state: PlanState, commit: Commit) -> None:
        try:
            job.answer = self._lock.run_read(job.then, state, commit)
        except Exception as error:  # noqa: BLE001 - raised to this caller, not to others
            job.error = error

    def _read_error(self, error: Exception) -> StoreError:
        return StoreError("store_failed", where=self.directory, problem=describe_error(error))
