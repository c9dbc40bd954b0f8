"""Signals that stop a command which works for long: the first asks it to stop, the next ends it."""

from __future__ import annotations

import os
import signal
from asyncio import get_running_loop
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BASE: Final = 128  # of the exit code of a process that a signal has ended


def stop_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that end a command; a closed terminal does not where it is ignored."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return signal.SIGINT, signal.SIGTERM
    return signal.SIGINT, signal.SIGTERM, signal.SIGHUP


@contextmanager
def stop_on_signals(
    stop: Callable[[], object], before_end: Callable[[], object] = bool
) -> Iterator[None]:
    """Call `stop` once when Ctrl-C, SIGTERM or SIGHUP comes; the next one ends us as a crash does.

    A terminal that is closed may send SIGHUP several times, so that a second signal of this kind
    does nothing; where it is ignored (`nohup`), it stays ignored. `before_end` is called before the
    process ends at once.
    """
    loop, is_stopping = get_running_loop(), False

    def handle(number: signal.Signals) -> None:
        nonlocal is_stopping
        if not is_stopping:
            is_stopping = True
            stop()
        elif number is not signal.SIGHUP:
            before_end()
            os._exit(_BASE + number)

    numbers = stop_signals()
    for number in numbers:
        loop.add_signal_handler(number, handle, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
