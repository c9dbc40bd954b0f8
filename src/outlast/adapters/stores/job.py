"""A commit that somebody waits for."""

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
    from outlast.adapters.stores.writer import Promise


_PATIENCE: Final = 0.1  # seconds until a sleeper looks for itself, should nobody have woken it


class Job(Struct, eq=False):
    """What is to be committed, and, once `done`, what came of it."""

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

    def begin(self) -> bool:
        """Say that it is under way, and can no longer be called off; or that it has been."""
        future: Promise | None = self.future
        if not self.done and future is not None:
            self.done = not future.begin()
        return not self.done

    def wait(self) -> None:
        """Wait until it is over, or until it seems that nobody carries it out."""
        if self.gate is None:  # who should have woken us may have found none: look once more
            gate = allocate_lock()
            gate.acquire()
            self.gate = gate
        else:
            self.gate.acquire(timeout=_PATIENCE)

    def wake(self) -> None:
        """Have the waiting thread look; once too often does no harm."""
        gate = self.gate
        if gate is not None and gate.locked():
            try:
                gate.release()
            except RuntimeError:  # somebody else was quicker
                return

    def finish(self) -> None:
        """Say that it is over, to whoever waits."""
        self.done = True
        if self.future is None:
            self.wake()
        else:
            self.future.tell(self.answer, self.error)
