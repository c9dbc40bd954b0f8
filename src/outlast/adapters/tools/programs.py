"""Programs that tools start, without keeping the loop from its other work."""

from __future__ import annotations

from asyncio import CancelledError, create_task, shield, wait
from functools import partial
from typing import TYPE_CHECKING

from outlast.system.processes import Running
from outlast.system.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outlast.system.processes import Ended


async def run_program(
    arguments: Sequence[str],
    cwd: str,
    seconds: float,
    *,
    keep: Sequence[int] = (),
    environment: Mapping[str, str],
) -> Ended:
    """Run a program in a thread; when this is cancelled, see to it that nothing of it is left."""
    child = _Child(arguments, cwd, keep, environment)
    running = create_task(in_thread(partial(child.run, seconds)))
    try:
        return await shield(running)
    except CancelledError:
        child.stop()
        await wait((running,))
        raise


class _Child:
    """A program that may be broken off before it has been started."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: str,
        keep: Sequence[int],
        environment: Mapping[str, str],
    ) -> None:
        self._arguments, self._cwd = arguments, cwd
        self._keep, self._environment = keep, environment
        self._running: Running | None = None
        self._stopped = False

    def run(self, seconds: float) -> Ended:
        running = Running(
            self._arguments, self._cwd, keep=self._keep, environment=self._environment
        )
        self._running = running
        if self._stopped:
            running.stop()
        return running.wait(seconds)

    def stop(self) -> None:
        self._stopped = True
        if self._running is not None:
            self._running.stop()
