"""Lines from a pipe or a file: no prompt and no reminders, because no person reads them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from outlast.assistant.chat.chat import Key
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO


class PipedLines:
    """Reads one line after the other, each in a thread: the event loop must hear Ctrl-C."""

    is_live = False

    def __init__(self, stream: BinaryIO) -> None:
        """Read from a stream of bytes; what is not UTF-8 in it is replaced."""
        self._stream = stream
        self._is_interrupted = asyncio.Event()

    async def read(self, *, answering: bool) -> str | Key:  # noqa: ARG002 - there is no prompt
        """Return the next line. After Ctrl-C the thread is left to itself: nothing can wake it."""
        reading = asyncio.ensure_future(call_in_thread(self._read_line))
        interrupted = asyncio.ensure_future(self._is_interrupted.wait())
        await asyncio.wait((reading, interrupted), return_when=asyncio.FIRST_COMPLETED)
        if self._is_interrupted.is_set():
            reading.cancel()
            return Key.INTERRUPT
        interrupted.cancel()
        return reading.result().decode("utf-8-sig", errors="replace") or Key.END

    async def interleave(self, show: Callable[[], None]) -> None:
        """Show it: there is no prompt in the way."""
        show()

    def interrupt(self) -> None:
        """End the chat with the read at work, or with the next one."""
        self._is_interrupted.set()

    def open(self) -> None:
        """Do nothing: a pipe echoes nothing."""

    def close(self) -> None:
        """Do nothing: nothing was changed."""

    def discard_typed(self) -> None:
        """Do nothing: who writes a script knows what will be asked."""

    def _read_line(self) -> bytes:
        try:
            return self._stream.readline()
        except OSError:  # such as a terminal that was closed
            return b""
