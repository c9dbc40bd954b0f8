"""What the stores of plans that outlive a process have in common: questions, threads, forks."""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import deque
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar
from weakref import WeakSet

from outlast.adapters.stores.job import Job
from outlast.adapters.stores.turn import Turn
from outlast.domain.limits import check_labels
from outlast.errors import OutlastError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.adapters.stores.writer import Writer
    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.errors import StoreError
    from outlast.ports.store import Notice

T = TypeVar("T")


class Redo(Exception):
    """A job broke, and with it perhaps the state."""


class Kept(Protocol):
    """A plan where it is kept; one thread at a time uses it."""

    state: PlanState
    stale: bool
    notices: list[Notice]

    def refresh(self) -> None:
        """Take in what others have done."""

    def past(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another."""

    def as_of(self, revision: int) -> PlanState:
        """Return the plan as it was at a revision, in a copy."""

    def forget(self) -> None:
        """Let go, in a forked process, of what belongs to its parent."""

    def close(self) -> None:
        """Let go of it."""


class SharedStore:
    """One plan that is kept, for any number of threads and processes."""

    problems: ClassVar[tuple[type[Exception], ...]]  # what keeping a plan may raise
    _kept: Kept

    def _begin(self) -> None:
        """Begin what belongs to a process: its threads' turns, its commits under way."""
        self._turn = Turn()
        self._waiting: deque[Job] = deque()
        self._writer: Writer | None = None
        self._writer_lock = allocate_lock()
        self._watches: list[Callable[..., None]] = []

    def _join_forks(self) -> None:
        """Be known to what follows a fork."""
        _OPEN.add(self)

    def begin_as_child(self) -> None:
        """Go on in a forked process, without threads and with nothing of the parent's.

        The child, which may know nothing of plans, would else keep its parent's lock.
        """
        self._begin()
        self._kept.forget()

    @property
    def notices(self) -> list[Notice]:
        """What had to be mended or could not be done, as text keys with details."""
        return self._kept.notices

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan as it is kept now."""
        turn, kept = self._turn, self._kept
        with turn.lock:
            if not turn.asking:
                self._see(kept.refresh)
            return turn.answer(question, kept.state)

    def since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        past = self._kept.past
        return self.read(lambda state: self._see(past, revision + 1, state.revision))

    def before(self, revision: int) -> PlanState:
        """Return the plan as it was before a commit, in a copy of its own."""
        return self.read(lambda _: self._see(self._kept.as_of, revision - 1))

    def _see(self, look: Callable[..., T], *what: int) -> T:
        """Look where the plan is kept; what that refuses is an error of ours."""
        try:
            return look(*what)
        except self.problems as error:
            self._kept.stale = True
            raise self._unreadable(error) from error

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
        with self._writer_lock:
            if self._writer is None:
                from outlast.adapters.stores.writer import Writer

                self._writer = Writer(self)
            future: Future[T] = self._writer.promise()
            job = Job(commands, then, author, now, reason, key, future)
            try:
                self._check(job)
            except OutlastError as error:
                future.set_exception(error)
            else:
                self._waiting.append(job)
                self._writer.wake(self.take_turn)
        return future

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Tell a function every commit from now on, whoever makes it; return what ends that."""
        from outlast.adapters.stores.watcher import WATCHER

        end = WATCHER.watch(self, callback)
        self._watches.append(end)
        return end

    def close(self) -> None:
        """Commit what was submitted, end what watches, and let go of the plan."""
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
        raise NotImplementedError

    def take_turn(self) -> None:
        """Commit all that was submitted."""
        raise NotImplementedError

    def _unreadable(self, error: Exception) -> StoreError:
        raise NotImplementedError

    def _check(self, job: Job) -> None:
        """Refuse what could not be written down, before anything is decided."""
        check_labels(job.author, job.reason, job.key)
        self._turn.refuse_in_question()


def give_up(jobs: list[Job], error: BaseException) -> None:
    """End the jobs that are neither done nor called off with an error."""
    for job in jobs:
        if job.begin():
            job.error, job.done = error, True


_OPEN: Final[WeakSet[SharedStore]] = WeakSet()


def _begin_as_child() -> None:
    for store in list(_OPEN):
        store.begin_as_child()


os.register_at_fork(after_in_child=_begin_as_child)
