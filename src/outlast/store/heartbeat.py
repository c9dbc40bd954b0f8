"""Leases: renew and release them, and `Heartbeat`, which renews one from a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar

from outlast.errors import ClaimLost, OutlastError, TaskNotFound
from outlast.model.changes import Commit
from outlast.model.commands import Command, Release, Renew
from outlast.model.model import Lease, Task

if TYPE_CHECKING:
    from outlast.model.state import PlanState

T = TypeVar("T")
_BEATS: Final = 3  # in the time of a lease: two may fail before it runs out


class Committer(Protocol):
    """Commits commands to the plan of a lease."""

    def commit(self, commands: Sequence[Command], then: Callable[[PlanState, Commit], T], /) -> T:
        """Save commands, all or none."""


def renew_lease(plan: Committer, lease: Lease, seconds: int) -> Lease:
    """Extend a lease to so many seconds from now."""
    command = Renew(lease.task, lease.token, seconds)
    return plan.commit((command,), lambda state, _: state.ledger.leases[lease.task])


def release_lease(plan: Committer, lease: Lease) -> Task | None:
    """End a lease and return its task to pending."""
    command = Release(lease.task, lease.token)
    return plan.commit((command,), lambda state, _: state.tasks.get(lease.task))


class Heartbeat:
    """Renews a lease from a thread of its own until `stop()` or the end of a `with` block.

    At the end of the block the lease on a plan is released, that on a task only if an error passes.
    `lost` means that another holder has the lease, so that the work should stop; `error` is why the
    last renewal failed.
    """

    def __init__(self, plan: Committer, lease: Lease, seconds: int) -> None:
        """Start the thread."""
        from threading import Event, Thread

        self.lease = lease
        self.lost = False
        self.error: OutlastError | None = None
        self._plan = plan
        self._seconds = seconds
        self._stopped = Event()
        self._thread = Thread(target=self._beat, name="outlast-heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop renewing; the lease expires unless the task ends or the lease is released."""
        self._stopped.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Stop, and release the plan, or a task whose work an error ended."""
        self.stop()
        if (error is not None or not self.lease.task) and not self.lost:
            with suppress(OutlastError):  # the error that passes says more
                release_lease(self._plan, self.lease)

    def _beat(self) -> None:
        while not (self.lost or self._stopped.wait(self._seconds / _BEATS)):
            try:
                self.lease = renew_lease(self._plan, self.lease, self._seconds)
                self.error = None
            except (ClaimLost, TaskNotFound):
                self.lost = True
            except OutlastError as error:
                self.error = error
