"""A plan in a directory, for any number of threads and processes."""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from outlast.adapters.stores.files.journal_file import place
from outlast.adapters.stores.files.replica import KeptPlan
from outlast.adapters.stores.job import Job
from outlast.adapters.stores.shared import Redo, SharedStore, give_up
from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.state import PlanState
from outlast.errors import InvalidArgument, OutlastError, StoreError, WriteFailed
from outlast.formats import journal
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

    Threads that commit at the same time share one write and one sync: the first takes the others'
    commits along.
    """

    problems = (OSError,)
    _kept: KeptPlan

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan; what had to be mended is said in `notices`."""
        self.directory = directory
        self._disk = disk
        self._begin()
        try:
            self._kept = KeptPlan(directory, disk, now)
            self._join_forks()
        except OSError as error:
            raise self._unreadable(error) from error

    def _begin(self) -> None:
        super()._begin()
        self._ended: deque[Job] = deque()
        self._decided: list[Job] = []  # the batch under way, and where the journal ends with it
        self._end = -1

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
        job, turn = Job(commands, then, author, now, reason, key), self._turn
        try:
            self._check(job)
            self._waiting.append(job)
            while turn.leading and not job.done:
                job.wait()
            if not job.done:
                self._lead(job)
        except BaseException:
            with suppress(ValueError):
                self._waiting.remove(job)
            self._hand_over()
            raise
        if job.error is not None:
            raise job.error
        answer: T = job.answer
        return answer

    # Committing

    def take_turn(self) -> None:
        """Commit all that waits, when it is this thread's turn."""
        if self._waiting or self._ended:
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
            if self._ended or self._waiting:
                self._hand_over()

    def _hand_over(self) -> None:
        """Tell those whose jobs are over, then wake the one who leads next."""
        self._announce()
        self._pass_on()

    def _announce(self) -> None:
        """Tell those whose jobs are over; they may do as they like, so nothing is held here."""
        while self._ended:
            try:
                job = self._ended[0]
                job.finish()  # once too often does no harm, never would
                self._ended.remove(job)
            except (IndexError, ValueError):  # somebody else was quicker
                continue

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
            self._kept.with_lock(self._write, jobs)
        except Redo:
            pass  # nothing was written; the others are decided anew
        except OSError as error:
            text = "write_unknown" if self._kept.journal.doubt else "write_failed"
            failed = _problem(WriteFailed, text, self.directory, error)
            failed.__cause__ = error
            give_up(jobs, failed)
        except Exception as error:  # noqa: BLE001 - raised to those who asked
            give_up(jobs, error)
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
            elif journal.doubt and job.begin():
                job.error = WriteFailed("write_unknown", where=self.directory, problem="")
                job.done = True
            elif not job.done:
                job.error = None

    def _write(self, jobs: list[Job]) -> None:
        kept = self._kept
        kept.prepare()
        jobs[:] = self._waiting  # and with them who has come while we waited for the lock
        lines: list[bytes] = []
        keys: set[str] = set()
        decided: list[Job] = []
        self._decided, end = decided, kept.journal.offset
        for job in jobs:
            if job.key not in keys and job.begin():
                line = self._decide(job, end)
                decided.append(job)
                if line:
                    lines.append(line)
                    end += len(line)
                    if job.key:
                        keys.add(job.key)
        if lines:
            self._end = end
            kept.append(lines)
        elif kept.unsafe() and any(job.key for job in decided):
            kept.make_safe()
        for job in decided:
            job.done = True
        kept.snapshot_if_due()

    def _decide(self, job: Job, place: int) -> bytes:
        """Carry a job out on the plan; return the line that is to stand at a place, if any."""
        kept, line = self._kept, b""
        state = kept.state
        job.error = None
        try:
            asked = journal.digest(job.commands) if job.key else ""
            if job.key in kept.answered:
                self._repeat(job, asked)
                return line
            changes = enact(state, job.commands, job.now)
            commit = Commit(
                state.revision, job.now, job.author, changes, job.reason, job.key, asked
            )
            if changes or job.key:
                line = journal.write_commit(commit, place - kept.safe_to)
                if job.key:
                    kept.remember(job.key, place)
        except OSError:
            raise
        except OutlastError as error:
            job.error = error
        except Exception as error:  # raised to the one who asked, not to others
            job.error, job.done = error, True
            raise Redo from error  # perhaps it was half carried out
        else:
            self._answer(job, state, commit)
        return line

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

    def _unreadable(self, error: Exception) -> StoreError:
        return _problem(StoreError, "store_failed", self.directory, error)


def _problem(kind: type[StoreError], text: str, where: str, error: Exception) -> StoreError:
    number = error.errno if isinstance(error, OSError) else None
    return kind(text, where=where, problem=os.strerror(number or 0))
