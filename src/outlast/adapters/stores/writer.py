"""The thread that commits what was submitted."""

from __future__ import annotations

from concurrent.futures import Future, InvalidStateError
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import TYPE_CHECKING, Any
from weakref import finalize

if TYPE_CHECKING:
    from collections.abc import Callable


class Promise(Future[Any]):
    """What somebody is going to be told who does not wait for it."""

    def begin(self) -> bool:
        """Say that it can no longer be called off, or that it was; once too often does no harm."""
        try:
            return self.running() or self.set_running_or_notify_cancel()
        except RuntimeError:  # it has been called off or told already: an interrupt came between
            return False

    def tell(self, answer: object, error: BaseException | None) -> None:
        """Say what came of it; once too often does no harm."""
        try:
            if error is None:
                self.set_result(answer)
            else:
                self.set_exception(error)
        except InvalidStateError:  # it was called off, or has been told already
            return


class Writer:
    """Waits until there is something to commit, and has it committed."""

    def __init__(self, store: object) -> None:
        """Begin to wait; it ends when nobody holds the store any more and nothing is left to do."""
        self._turns: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        finalize(store, self._turns.put, None).atexit = False
        self._thread = Thread(target=_work, args=(self._turns,), name="outlast-writer", daemon=True)
        self._thread.start()

    def promise(self) -> Promise:
        """Make what the answer to something that is to be done is told to."""
        return Promise()

    def wake(self, take_turn: Callable[[], None]) -> None:
        """Have something done; the queue holds the store until it is."""
        self._turns.put(take_turn)

    def stop(self) -> None:
        """Commit what is there, and end."""
        self._turns.put(None)
        if self._thread is not current_thread():  # it may be a callback of its own that ends it
            self._thread.join()


def _work(turns: SimpleQueue[Callable[[], None] | None]) -> None:
    while (take_turn := turns.get()) is not None:
        take_turn()
        del take_turn
