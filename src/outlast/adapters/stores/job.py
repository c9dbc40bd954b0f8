"""A commit that somebody waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.domain.changes import Commit
from outlast.domain.commands import Command
from outlast.domain.limits import check_labels
from outlast.domain.state import PlanState

if TYPE_CHECKING:
    from concurrent.futures import Future


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

    def check(self) -> None:
        """Refuse what could not be written down, before anything is decided."""
        check_labels(self.author, self.reason, self.key)

    def begin(self) -> bool:
        """Say that it is under way, and can no longer be called off; or that it has been."""
        future: Future[Any] | None = self.future
        if future is None or future.running():
            return True
        self.done = not future.set_running_or_notify_cancel()
        return not self.done

    def wait(self) -> None:
        """Wait until it is over, or until it seems that nobody carries it out."""
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
        future: Future[Any] | None = self.future
        if future is None:
            self.wake()
            return
        from concurrent.futures import InvalidStateError

        with suppress(InvalidStateError):  # it was called off, or has been told already
            if self.error is None:
                future.set_result(self.answer)
            else:
                future.set_exception(self.error)
