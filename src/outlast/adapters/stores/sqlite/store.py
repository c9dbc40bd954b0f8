"""A plan in a database, for any number of threads and processes."""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar, cast
from weakref import WeakSet

from outlast.adapters.stores.job import Job
from outlast.adapters.stores.sqlite.problems import PROBLEMS, unreadable, unwritten
from outlast.adapters.stores.sqlite.rows import PlanRows
from outlast.adapters.stores.turn import Turn
from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.errors import InvalidArgument, OutlastError
from outlast.formats import journal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.adapters.stores.sqlite.connection import DatabaseFile
    from outlast.adapters.stores.writer import Writer
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.ports.store import Notice

T = TypeVar("T")


class Redo(Exception):
    """A job broke, and with it perhaps the state."""


class SqliteStore:
    """One plan of a database. What is submitted together is one transaction with one sync."""

    def __init__(self, file: DatabaseFile, key: str, now: datetime) -> None:
        """Open a plan; what is wrong with it is said in `notices`."""
        self.path = file.path
        self._begin()
        try:
            self._rows = PlanRows(file, key, now)
        except BaseException as error:
            file.close()
            if isinstance(error, PROBLEMS):
                raise unreadable(self.path, error) from error
            raise
        _OPEN.add(self)

    def _begin(self) -> None:
        """Begin what belongs to a process: its threads' turns, its commits under way."""
        self._turn = Turn()
        self._waiting: deque[Job] = deque()
        self._writer: Writer | None = None
        self._writer_lock = allocate_lock()
        self._watches: list[Callable[..., None]] = []

    def begin_as_child(self) -> None:
        """Go on in a forked process, without threads and with what the database says."""
        self._begin()
        self._rows.stale = True

    @property
    def notices(self) -> list[Notice]:
        """What is damaged, or could not be done, as text keys with details."""
        return self._rows.notices

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan as it is in the database."""
        turn, rows = self._turn, self._rows
        with turn.lock:
            if not turn.asking:
                self._from_database(rows.refresh)
            return turn.answer(question, rows.state)

    def since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        past = self._rows.past
        return self.read(lambda state: self._from_database(past, revision + 1, state.revision))

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit, in a copy of its own."""
        return self.read(lambda _: self._from_database(self._rows.as_of, revision - 1))

    def _from_database(self, look: Callable[..., T], *what: int) -> T:
        try:
            return look(*what)
        except PROBLEMS as error:
            self._rows.stale = True
            raise unreadable(self.path, error) from error

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
        """Commit in another thread, together with whatever else waits there."""
        from concurrent.futures import Future

        from outlast.adapters.stores.writer import Writer

        future: Future[T] = Future()
        job = Job(commands, then, author, now, reason, key, future)
        try:
            self._check(job)
        except OutlastError as error:
            future.set_exception(error)
            return future
        with self._writer_lock:
            if self._writer is None:
                self._writer = Writer(self)
            self._waiting.append(job)
            self._writer.wake(self._take_turn)
        return future

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Tell a function every commit from now on, whoever makes it; return what ends that."""
        from outlast.adapters.stores.watcher import WATCHER

        end = WATCHER.watch(self, callback)
        self._watches.append(end)
        return end

    def close(self) -> None:
        """Commit what was submitted, end what watches, and let go of the file."""
        self._turn.refuse_in_question()
        with self._writer_lock:
            writer, self._writer = self._writer, None
        if writer is not None:
            writer.stop()
        while self._watches:
            self._watches.pop()(closed=True)
        with self._turn.lock:
            self._rows.close()

    # Committing

    def _check(self, job: Job) -> None:
        job.check()
        self._turn.refuse_in_question()

    def _take_turn(self) -> None:
        """Commit all that was submitted, and tell those who wait for it."""
        jobs = []
        with self._turn.lock:
            while self._waiting:
                jobs.append(self._waiting.popleft())
            try:
                self._carry_out(jobs)
            except BaseException as error:  # noqa: BLE001 - raised to those who asked
                _give_up(jobs, error)
        for job in jobs:
            job.finish()

    def _carry_out(self, jobs: list[Job]) -> None:
        """Commit jobs together; when one breaks, the others are decided anew without it."""
        while left := [job for job in jobs if not job.done and job.begin()]:
            try:
                self._rows.write(lambda left=left: self._decide_all(left))  # type: ignore[misc]
            except Redo:
                continue
            except PROBLEMS as error:
                failed = unwritten(self.path, error)
                failed.__cause__ = error
                _give_up(left, failed)
            except Exception as error:  # noqa: BLE001 - raised to those who asked
                _give_up(left, error)
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
        rows, state = self._rows, self._rows.state
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


def _give_up(jobs: list[Job], error: BaseException) -> None:
    for job in jobs:
        if not job.done:
            job.error, job.done = error, True


_OPEN: Final[WeakSet[SqliteStore]] = WeakSet()


def _begin_as_child() -> None:
    for store in list(_OPEN):
        store.begin_as_child()


os.register_at_fork(after_in_child=_begin_as_child)
