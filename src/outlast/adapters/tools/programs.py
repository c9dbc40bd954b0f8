"""Run programs for tools without blocking the event loop."""

from __future__ import annotations

from asyncio import CancelledError, create_task, shield, wait
from functools import partial
from typing import TYPE_CHECKING

from outlast.system.processes import RunningProcess
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outlast.system.processes import ProcessResult


async def run_program(
    arguments: Sequence[str],
    cwd: str,
    seconds: float,
    *,
    keep: Sequence[int] = (),
    environment: Mapping[str, str],
) -> ProcessResult:
    """Run a program in a thread; on cancellation kill it and wait for its end."""
    child = _Child(arguments, cwd, keep, environment)
    running = create_task(call_in_thread(partial(child.run, seconds)))
    try:
        return await shield(running)
    except CancelledError:
        child.stop()
        await wait((running,))
        raise


class _Child:
    """A program that can be stopped even before it has started."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: str,
        keep: Sequence[int],
        environment: Mapping[str, str],
    ) -> None:
        self._arguments, self._cwd = arguments, cwd
        self._keep, self._environment = keep, environment
        self._running: RunningProcess | None = None
        self._stopped = False

    def run(self, seconds: float) -> ProcessResult:
        running = RunningProcess(
            self._arguments, self._cwd, pass_fds=self._keep, environment=self._environment
        )
        self._running = running
        if self._stopped:
            running.stop()
        return running.wait(seconds)

    def stop(self) -> None:
        self._stopped = True
        if self._running is not None:
            self._running.stop()
