"""A plan in a database, for any number of threads and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from outlast.adapters.stores.job import Job
from outlast.adapters.stores.shared import Redo, SharedStore, give_up
from outlast.adapters.stores.sqlite.errors import PROBLEMS, unreadable, unwritten
from outlast.adapters.stores.sqlite.replica import PlanRows
from outlast.domain.changes import Commit
from outlast.domain.enact import enact
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
    """One plan of a database. What is submitted together is one transaction with one sync."""

    problems = PROBLEMS
    _kept: PlanRows

    def __init__(self, file: DatabaseFile, key: str, now: datetime) -> None:
        """Open a plan; what is wrong with it is said in `notices`."""
        self.path = file.path
        self._begin()
        try:
            self._kept = PlanRows(file, key, now)
        except BaseException as error:
            file.close()
            if isinstance(error, PROBLEMS):
                raise unreadable(self.path, error) from error
            raise
        self._join_forks()

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
        """Decide the commands on the fresh state, keep their changes, all or none, and answer."""
        job = Job(commands, then, author, now, reason, key)
        self._check(job)
        with self._turn.lock:
            self._carry_out([job])
        if job.error is not None:
            raise job.error
        return cast("T", job.answer)

    def _unreadable(self, error: Exception) -> StoreError:
        return unreadable(self.path, error)

    # Committing

    def take_turn(self) -> None:
        """Commit all that was submitted, and tell those who wait for it."""
        jobs = []
        with self._turn.lock:
            while self._waiting:
                jobs.append(self._waiting.popleft())
            try:
                self._carry_out(jobs)
            except BaseException as error:  # noqa: BLE001 - raised to those who asked
                give_up(jobs, error)
        for job in jobs:
            job.finish()

    def _carry_out(self, jobs: list[Job]) -> None:
        """Commit jobs together; when one breaks, the others are decided anew without it."""
        while left := [job for job in jobs if not job.done and job.begin()]:
            try:
                self._kept.write(lambda left=left: self._decide_all(left))  # type: ignore[misc]
            except Redo:
                continue
            except PROBLEMS as error:
                failed = unwritten(self.path, error)
                failed.__cause__ = error
                give_up(left, failed)
            except Exception as error:  # noqa: BLE001 - raised to those who asked
                give_up(left, error)
            else:
                for job in left:
                    job.done = True

    def _decide_all(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.error = None
            try:
                commit = self._decide(job)
            except PROBLEMS:
                raise
            except OutlastError as error:
                job.error = error
            except Exception as error:  # raised to the one who asked, not to others
                job.error, job.done = error, True
                raise Redo from error  # perhaps it was half carried out
            else:
                self._answer(job, *commit)

    def _decide(self, job: Job) -> tuple[PlanState, Commit]:
        """Return the commit of a job, of now or of when its key was used, and the plan then."""
        rows, state = self._kept, self._kept.state
        asked = journal.digest(job.commands) if job.key else ""
        if job.key in rows.answered:
            known = rows.at(rows.answered[job.key])
            if known.asked != asked:
                raise InvalidArgument("key_reused", argument="key", key=job.key)
            return rows.as_of(known.revision), known
        changes = enact(state, job.commands, job.now)
        commit = Commit(state.revision, job.now, job.author, changes, job.reason, job.key, asked)
        if changes or job.key:
            rows.append(commit)
        return state, commit

    def _answer(self, job: Job, state: PlanState, commit: Commit) -> None:
        try:
            job.answer = self._turn.answer(job.then, state, commit)
        except Exception as error:  # noqa: BLE001 - raised to the one who asked, not to others
            job.error = error
        except BaseException as error:
            if job.future is None:
                raise
            job.error, job.done = error, True
            raise Redo from error
