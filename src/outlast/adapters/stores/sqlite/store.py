"""The SQLite store: a plan in a database, for any number of threads and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from outlast.adapters.stores.commit_job import CommitJob, RetryBatch, fail_jobs
from outlast.adapters.stores.shared_store import SharedStore
from outlast.adapters.stores.sqlite.errors import IO_ERRORS, read_error, write_error
from outlast.adapters.stores.sqlite.replica import RowReplica
from outlast.domain.changes import Commit
from outlast.domain.execute import execute
from outlast.errors import InvalidArgument, OutlastError
from outlast.formats import journal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from outlast.adapters.stores.sqlite.connection import DatabaseFile
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.errors import StoreError

T = TypeVar("T")


class SqliteStore(SharedStore):
    """One plan of a database. Submitted commits share one transaction with one sync."""

    io_errors = IO_ERRORS
    _replica: RowReplica

    def __init__(self, file: DatabaseFile, key: str, now: datetime) -> None:
        """Open a plan; damage is reported in `notices`."""
        self.path = file.path
        self._reset_process_state()
        try:
            self._replica = RowReplica(file, key, now)
        except BaseException as error:
            file.close()
            if isinstance(error, IO_ERRORS):
                raise read_error(self.path, error) from error
            raise
        self._register_for_fork()

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
        """Decide the commands on the current state and commit their changes, all or none."""
        job = CommitJob(commands, then, author, now, reason, key)
        self._validate(job)
        with self._lock.mutex:
            self._commit_jobs([job])
        if job.error is not None:
            raise job.error
        return cast("T", job.answer)

    def _read_error(self, error: Exception) -> StoreError:
        return read_error(self.path, error)

    # Committing

    def commit_queued(self) -> None:
        """Commit all submitted jobs in one batch, and resolve their futures."""
        jobs = []
        with self._lock.mutex:
            while self._queue:
                jobs.append(self._queue.popleft())
            try:
                self._commit_jobs(jobs)
            except BaseException as error:  # noqa: BLE001 - raised to the callers
                fail_jobs(jobs, error)
        for job in jobs:
            job.finish()

    def _commit_jobs(self, jobs: list[CommitJob]) -> None:
        """Commit jobs in one transaction; if one breaks, decide the others again without it."""
        while left := [job for job in jobs if not job.done and job.try_start()]:
            try:
                self._replica.write(lambda left=left: self._decide_all(left))  # type: ignore[misc]
            except RetryBatch:
                continue
            except IO_ERRORS as error:
                failure = write_error(self.path, error)
                failure.__cause__ = error
                fail_jobs(left, failure)
            except Exception as error:  # noqa: BLE001 - raised to the callers
                fail_jobs(left, error)
            else:
                for job in left:
                    job.done = True

    def _decide_all(self, jobs: list[CommitJob]) -> None:
        for job in jobs:
            job.error = None
            try:
                commit = self._decide(job)
            except IO_ERRORS:
                raise
            except OutlastError as error:
                job.error = error
            except Exception as error:  # raised to this caller, not to others
                job.error, job.done = error, True
                raise RetryBatch from error  # it may be half applied
            else:
                self._run_then(job, *commit)

    def _decide(self, job: CommitJob) -> tuple[PlanState, Commit]:
        """Return the commit of a job, new or that of its repeated key, and the state it led to."""
        replica, state = self._replica, self._replica.state
        digest = journal.digest(job.commands) if job.key else ""
        if job.key in replica.positions_by_key:
            first = replica.commit_at(replica.positions_by_key[job.key])
            if first.request_digest != digest:
                raise InvalidArgument("key_reused", argument="key", key=job.key)
            return replica.state_at(first.revision), first
        changes = execute(state, job.commands, job.now)
        commit = Commit(state.revision, job.now, job.author, changes, job.reason, job.key, digest)
        if changes or job.key:
            replica.append(commit)
        return state, commit

    def _run_then(self, job: CommitJob, state: PlanState, commit: Commit) -> None:
        try:
            job.answer = self._lock.run_read(job.then, state, commit)
        except Exception as error:  # noqa: BLE001 - raised to this caller, not to others
            job.error = error
        except BaseException as error:
            if job.future is None:
                raise
            job.error, job.done = error, True
            raise RetryBatch from error
