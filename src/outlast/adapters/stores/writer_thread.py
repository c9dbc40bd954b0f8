"""The background thread that commits what was submitted."""

from __future__ import annotations

from concurrent.futures import Future, InvalidStateError
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import TYPE_CHECKING, Any
from weakref import finalize

if TYPE_CHECKING:
    from collections.abc import Callable


class JobFuture(Future[Any]):
    """The future of a submitted job; every method may be called again after an interrupt."""

    def try_start(self) -> bool:
        """Mark the future as running; return False if it was cancelled or is done."""
        try:
            return self.running() or self.set_running_or_notify_cancel()
        except RuntimeError:  # cancelled or resolved already: an interrupt came in between
            return False

    def resolve(self, answer: object, error: BaseException | None) -> None:
        """Set the result or the error, unless there is an outcome already."""
        try:
            if error is None:
                self.set_result(answer)
            else:
                self.set_exception(error)
        except InvalidStateError:  # cancelled, or resolved already
            return


class WriterThread:
    """Runs a store's commits in one daemon thread.

    It ends once the store is garbage collected and no call is left.
    """

    def __init__(self, store: object) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        finalize(store, self._calls.put, None).atexit = False
        self._thread = Thread(target=_run, args=(self._calls,), name="outlast-writer", daemon=True)
        self._thread.start()

    def new_future(self) -> JobFuture:
        """Return the future for a job."""
        return JobFuture()

    def call_soon(self, call: Callable[[], None]) -> None:
        """Queue a call. The queue keeps the store alive until the call has run."""
        self._calls.put(call)

    def stop(self) -> None:
        """Run the queued calls, then end the thread."""
        self._calls.put(None)
        if self._thread is not current_thread():  # one of its own callbacks may stop it
            self._thread.join()


def _run(calls: SimpleQueue[Callable[[], None] | None]) -> None:
    while (call := calls.get()) is not None:
        call()
        del call
