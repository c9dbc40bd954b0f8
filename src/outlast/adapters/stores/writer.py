"""The thread that commits what was submitted."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread, current_thread
from typing import TYPE_CHECKING
from weakref import finalize

if TYPE_CHECKING:
    from collections.abc import Callable


class Writer:
    """Waits until there is something to commit, and has it committed."""

    def __init__(self, store: object) -> None:
        """Begin to wait; it ends when nobody holds the store any more and nothing is left to do."""
        self._turns: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        finalize(store, self._turns.put, None).atexit = False
        self._thread = Thread(target=_work, args=(self._turns,), name="outlast-writer", daemon=True)
        self._thread.start()

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
