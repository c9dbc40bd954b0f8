"""Keeping a claim alive while its task, or its plan, is worked on."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from outlast.errors import ClaimLost, OutlastError, TaskNotFound

if TYPE_CHECKING:
    from typing import Self

    from outlast.domain.model import Lease

_BEATS: Final = 3  # in the time of a lease: two may fail before it runs out


class Claims(Protocol):
    """What a heartbeat needs of a plan."""

    def renew(self, lease: Lease, seconds: int) -> Lease:
        """Hold what was claimed for so many seconds from now."""

    def release(self, lease: Lease) -> object:
        """Give it back."""


class Heartbeat:
    """A claim that is renewed from a thread of its own until it is stopped.

    As a `with` block it stops at the end. A plan is given back then, a task only if an error
    passes. `lost` tells that the claim is gone, so that the work should stop; `error` is why the
    last beat failed.
    """

    def __init__(self, plan: Claims, lease: Lease, seconds: int) -> None:
        """Begin to beat."""
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
        """Renew no more; the claim runs out by itself unless the task is ended or given back."""
        self._stopped.set()
        self._thread.join()

    def __enter__(self) -> Self:
        """Work on the task."""
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Stop; give the plan back, or a task whose work was broken off."""
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
