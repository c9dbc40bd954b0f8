"""A commit that waits in a store's queue."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.domain.changes import Commit
from outlast.domain.commands import Command
from outlast.domain.state import PlanState

if TYPE_CHECKING:
    from outlast.adapters.stores.writer_thread import JobFuture


_WAKE_SECONDS: Final = (
    0.1  # after which a waiting thread checks by itself, in case a wake-up was lost
)


class CommitJob(Struct, eq=False):
    """A requested commit and, once `done`, its answer or its error.

    A job with a `future` was submitted; any other has a thread that waits for it.
    """

    commands: Sequence[Command]
    then: Callable[[PlanState, Commit], Any]
    author: str
    now: datetime
    reason: str
    key: str
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


def fail_jobs(jobs: list[CommitJob], error: BaseException) -> None:
    """Fail every job that is neither done nor cancelled."""
    for job in jobs:
        if job.try_start():
            job.error, job.done = error, True
