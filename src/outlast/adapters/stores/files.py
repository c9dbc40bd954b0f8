"""A plan in a directory, for any number of threads and processes."""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar, cast
from weakref import WeakSet

from outlast.adapters.stores.job import Job
from outlast.adapters.stores.journal_file import place
from outlast.adapters.stores.kept_plan import KeptPlan
from outlast.adapters.stores.turn import Turn
from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.state import PlanState
from outlast.errors import InvalidArgument, OutlastError, StoreError, WriteFailed
from outlast.formats import journal
from outlast.system.files import PRIVATE, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime
    from typing import Self

    from outlast.adapters.stores.writer import Writer
    from outlast.domain.commands import Command, CreatePlan
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

T = TypeVar("T")


class Redo(Exception):
    """A job broke, and with it perhaps the state."""


class FilesStore:
    """One plan in a directory.

    Threads that commit at the same time share one write and one sync: the first takes the others'
    commits along.
    """

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan; what had to be mended is said in `notices`."""
        self.directory = directory
        self._disk = disk
        self._begin()
        try:
            self._kept = KeptPlan(directory, disk, now)
            _OPEN.add(self)
        except OSError as error:
            raise self._unreadable(error) from error

    @property
    def notices(self) -> list[Notice]:
        """What had to be mended or could not be done, as text keys with details."""
        return self._kept.notices

    def _begin(self) -> None:
        """Begin what belongs to a process: its threads' turns, its commits under way."""
        self._turn = Turn()
        self._waiting: deque[Job] = deque()
        self._ended: deque[Job] = deque()
        self._decided: list[Job] = []  # the batch under way, and where the journal ends with it
        self._end = -1
        self._writer: Writer | None = None
        self._writer_lock = allocate_lock()
        self._watches: list[Callable[..., None]] = []

    def begin_as_child(self) -> None:
        """Go on in a forked process: without threads, and without the parent's open file.

        The child, which may know nothing of plans, would else keep its parent's lock.
        """
        self._begin()
        self._kept.forget()

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
        """Make a plan in a directory that is there and has none; complete or not at all."""
        state = PlanState(now)
        changes = enact(state, (command,), now)
        lines = journal.write_header(command.key, shared=shared)
        lines += journal.write_commit(Commit(state.revision, now, author, changes))
        try:
            place(directory, disk, lines, SHARED if shared else PRIVATE)
        except OSError as error:
            raise _problem(StoreError, "store_failed", directory, error) from error
        return cls(directory, disk, now)

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan as it is on disk."""
        turn, kept = self._turn, self._kept
        with turn.lock:
            if not turn.asking:
                self._from_disk(kept.refresh)
            return turn.answer(question, kept.state)

    def since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        past = self._kept.past
        return self.read(lambda state: self._from_disk(past, revision + 1, state.revision))

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit, in a copy of its own."""
        return self.read(lambda _: self._from_disk(self._kept.as_of, revision - 1))

    def _from_disk(self, look: Callable[..., T], *what: int) -> T:
        """Look into the files; what the disk refuses is an error of ours."""
        try:
            return look(*what)
        except OSError as error:
            self._kept.stale = True
            raise self._unreadable(error) from error

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
        gate = allocate_lock()
        gate.acquire()
        job = Job(commands, then, author, now, reason, key, gate=gate)
        try:
            self._join(job)
            while self._turn.leading and not job.done:
                job.wait()
            if not job.done:
                self._lead(job)
        except BaseException:
            with suppress(ValueError):
                self._waiting.remove(job)
            self._announce()
            self._pass_on()
            raise
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
        with self._writer_lock:
            if self._writer is None:
                self._writer = Writer(self)
            try:
                self._join(Job(commands, then, author, now, reason, key, future))
            except OutlastError as error:
                future.set_exception(error)
            else:
                self._writer.wake(self.take_turn)
        return future

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Tell a function every commit from now on, whoever makes it; return what ends that."""
        from outlast.adapters.stores.watcher import WATCHER

        end = WATCHER.watch(self, callback)
        self._watches.append(end)
        return end

    def close(self) -> None:
        """Commit what was submitted, end what watches, and let go of the files."""
        self._turn.refuse_in_question()
        self.stop_writing()
        while self._watches:
            self._watches.pop()(closed=True)
        with self._turn.lock:
            self._kept.close()

    def stop_writing(self) -> None:
        """Commit what was submitted, and end the thread that does it."""
        with self._writer_lock:
            writer, self._writer = self._writer, None
        if writer is not None:
            writer.stop()

    # Committing

    def _join(self, job: Job) -> None:
        job.check()
        self._turn.refuse_in_question()
        self._waiting.append(job)

    def take_turn(self) -> None:
        """Commit all that waits, when it is this thread's turn."""
        self._lead(None)

    def _lead(self, own: Job | None) -> None:
        """Commit what waits, until this thread's own job is done; then let the next one lead.

        Whoever joins while somebody leads sleeps, and is looked for here when nobody does any more.
        """
        turn = self._turn
        try:
            with turn.lock:
                turn.leading = True
                try:
                    while self._waiting and not (own and own.done):
                        self.carry_out(own)
                finally:
                    turn.leading = False
        finally:
            self._announce()
            self._pass_on()

    def _announce(self) -> None:
        """Tell those whose jobs are over; they may do as they like, so nothing is held here."""
        while self._ended:
            with suppress(IndexError, ValueError):
                job = self._ended[0]
                job.finish()  # once too often does no harm, never would
                self._ended.remove(job)

    def _pass_on(self) -> None:
        if self._waiting:
            with suppress(IndexError):
                first = self._waiting[0]
                if first.future is None:
                    first.wake()
                elif self._writer is not None:
                    self._writer.wake(self.take_turn)

    def carry_out(self, own: Job | None = None) -> None:
        """Commit what waits now; the turn is this thread's. What is done leaves the queue."""
        jobs = list(self._waiting)
        self._end = -1
        try:
            under_way = [job for job in jobs if not job.done and job.begin()]
            self._kept.with_lock(self._write, under_way)
        except Redo:
            pass  # nothing was written; the others are decided anew
        except OSError as error:
            text = "write_unknown" if self._kept.journal.doubt else "write_failed"
            failed = _problem(WriteFailed, text, self.directory, error)
            failed.__cause__ = error
            _give_up(jobs, failed)
        except Exception as error:  # noqa: BLE001 - raised to those who asked
            _give_up(jobs, error)
        except BaseException:
            self._give_back([job for job in jobs if job is not own])
            raise
        finally:
            self._clear(jobs, own)

    def _clear(self, jobs: list[Job], own: Job | None) -> None:
        for job in jobs:
            if job.done:
                if job is not own:
                    self._ended.append(job)
                try:
                    self._waiting.remove(job)
                except ValueError:  # it was called off
                    continue

    def _give_back(self, jobs: list[Job]) -> None:
        """Let others' commits, which an interrupt of ours has undone, be tried again by them."""
        journal = self._kept.journal
        safe = self._decided if journal.offset >= self._end > 0 else ()
        for job in jobs:
            if job in safe:
                job.done = True
            elif not job.done and journal.doubt:
                job.error = WriteFailed("write_unknown", where=self.directory, problem="")
                job.done = True
            elif not job.done:
                job.error = None

    def _write(self, jobs: list[Job]) -> None:
        kept = self._kept
        kept.prepare()
        lines: list[bytes] = []
        keys: set[str] = set()
        self._decided = decided = list[Job]()
        for job in jobs:
            if job.key not in keys:
                self._decide(job, lines, keys)
                decided.append(job)
        if lines:
            self._end = kept.journal.offset + sum(map(len, lines))
            kept.append(lines)
        elif kept.unsafe() and any(job.key for job in decided):
            kept.make_safe()
        for job in decided:
            job.done = True
        kept.snapshot_if_due()

    def _decide(self, job: Job, lines: list[bytes], keys: set[str]) -> None:
        state, kept = self._kept.state, self._kept
        job.error = None
        try:
            asked = journal.digest(job.commands) if job.key else ""
            if job.key in kept.answered:
                self._repeat(job, asked)
                return
            changes = enact(state, job.commands, job.now)
            commit = Commit(
                state.revision, job.now, job.author, changes, job.reason, job.key, asked
            )
            if changes or job.key:
                before = sum(map(len, lines)) if lines else 0
                lines.append(journal.write_commit(commit, before + kept.unsafe()))
                if job.key:
                    keys.add(job.key)
                    kept.remember(job.key, kept.journal.offset + before)
        except OSError:
            raise
        except OutlastError as error:
            job.error = error
        except Exception as error:  # raised to the one who asked, not to others
            job.error, job.done = error, True
            raise Redo from error  # perhaps it was half carried out
        else:
            self._answer(job, state, commit)

    def _repeat(self, job: Job, asked: str) -> None:
        """Answer what was asked before as it was answered then."""
        commit = self._kept.journal.at(self._kept.answered[job.key])
        if commit.asked != asked:
            raise InvalidArgument("key_reused", argument="key", key=job.key)
        self._answer(job, self._kept.as_of(commit.revision), commit)

    def _answer(self, job: Job, state: PlanState, commit: Commit) -> None:
        try:
            job.answer = self._turn.answer(job.then, state, commit)
        except Exception as error:  # noqa: BLE001 - raised to the one who asked, not to others
            job.error = error

    def _unreadable(self, error: OSError) -> StoreError:
        return _problem(StoreError, "store_failed", self.directory, error)


_OPEN: Final[WeakSet[FilesStore]] = WeakSet()


def _begin_as_child() -> None:
    for store in list(_OPEN):
        store.begin_as_child()


os.register_at_fork(after_in_child=_begin_as_child)


def _give_up(jobs: list[Job], error: Exception) -> None:
    for job in jobs:
        if not job.done:
            job.error = error
            job.done = True


def _problem(kind: type[StoreError], text: str, where: str, error: OSError) -> StoreError:
    return kind(text, where=where, problem=os.strerror(error.errno or 0))
