"""Run programs without blocking the event loop."""

from __future__ import annotations

from asyncio import CancelledError, create_task, get_running_loop, shield, sleep, wait
from functools import partial
from threading import Semaphore
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.system.processes import ProcessResult, RunningProcess
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


MOST_WAITING: Final = 64  # pieces of output
_PATIENCE: Final = 5.0  # seconds
_SHARED_END_SECONDS: Final = 0.3  # in which a signal that ended a program may reach us, too


class OutputListener:
    """Passes what a program says from its thread to a function in the event loop.

    A program that says more than is heard has to wait; while the loop hears nothing for seconds,
    what it says is dropped.
    """

    def __init__(self, listen: Callable[[str], object], patience: float = _PATIENCE) -> None:
        """Take a function, and how long words wait for a loop that hears nothing."""
        self._listen, self._patience, self._loop = listen, patience, get_running_loop()
        self._places = Semaphore(MOST_WAITING)

    def say(self, words: str) -> None:
        """Pass words on, from any other thread."""
        if self._places.acquire(timeout=self._patience):
            self._loop.call_soon_threadsafe(self._hear, words)

    def _hear(self, words: str) -> None:
        self._places.release()
        self._listen(words)


async def run_program(  # noqa: PLR0913 - one keyword for each choice
    arguments: Sequence[str],
    cwd: str,
    seconds: float,
    *,
    keep: Sequence[int] = (),
    environment: Mapping[str, str],
    on_output: Callable[[bytes], object] | None = None,
) -> ProcessResult:
    """Run a program in a thread; on cancellation stop it and wait for its end.

    If it ends with success all the same, that is returned, and the cancellation is left to who
    called: the effect of the program must not be forgotten. Otherwise `CancelledError` is raised.
    `on_output` gets each piece of output as it comes, in that thread.
    """
    child = _Child(arguments, cwd, keep, environment, on_output)
    running = create_task(call_in_thread(partial(child.run, seconds)))
    try:
        ended = await shield(running)
        if ended.how == "exit" and ended.code < 0:  # a service manager ends all of us at once
            await sleep(_SHARED_END_SECONDS)
    except CancelledError:
        child.stop()
        await wait((running,))
        if running.exception() is None and running.result().code == 0:
            return replace(running.result(), how="exit")
        raise
    return ended


class _Child:
    """A program that can be stopped even before it has started."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: str,
        keep: Sequence[int],
        environment: Mapping[str, str],
        on_output: Callable[[bytes], object] | None,
    ) -> None:
        self._arguments, self._cwd = arguments, cwd
        self._keep, self._environment = keep, environment
        self._on_output = on_output
        self._running: RunningProcess | None = None
        self._stopped = False

    def run(self, seconds: float) -> ProcessResult:
        running = RunningProcess(
            self._arguments,
            self._cwd,
            pass_fds=self._keep,
            environment=self._environment,
            on_output=self._on_output,
        )
        self._running = running
        if self._stopped:
            running.stop()
        return running.wait(seconds)

    def stop(self) -> None:
        self._stopped = True
        if self._running is not None:
            self._running.stop()
