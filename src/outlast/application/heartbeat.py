"""`Heartbeat`: renews the lease on a task or a plan from a thread."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from outlast.errors import ClaimLost, OutlastError, TaskNotFound

if TYPE_CHECKING:
    from typing import Self

    from outlast.domain.model import Lease

_BEATS: Final = 3  # in the time of a lease: two may fail before it runs out


class LeaseRenewer(Protocol):
    """What a heartbeat needs of a plan's handle."""

    def renew(self, lease: Lease, seconds: int) -> Lease:
        """Extend a lease to so many seconds from now."""

    def release(self, lease: Lease) -> object:
        """End the lease."""


class Heartbeat:
    """Renews a lease from a thread of its own until `stop()` or the end of a `with` block.

    At the end of the block the lease on a plan is released, that on a task only if an error passes.
    `lost` means that another holder has the lease, so that the work should stop; `error` is why the
    last renewal failed.
    """

    def __init__(self, plan: LeaseRenewer, lease: Lease, seconds: int) -> None:
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
                self._plan.release(self.lease)

    def _beat(self) -> None:
        while not (self.lost or self._stopped.wait(self._seconds / _BEATS)):
            try:
                self.lease = self._plan.renew(self.lease, self._seconds)
                self.error = None
            except (ClaimLost, TaskNotFound):
                self.lost = True
            except OutlastError as error:
                self.error = error
