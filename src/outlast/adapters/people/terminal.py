"""A person at a terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from termios import TCIFLUSH, tcflush
from termios import error as TerminalError  # noqa: N812 - it is one
from typing import TYPE_CHECKING, Final

from outlast.texts import text, visible

if TYPE_CHECKING:
    from outlast.domain.model import Question
    from outlast.texts import Language

TERMINAL: Final = "/dev/tty"
_LINE: Final = 4_096  # bytes: a terminal hands over no longer line


class TerminalPerson:
    """Asks on the terminal that the process was started from, else on standard input.

    The loop goes on with its other work meanwhile. Who ends the input, or has no terminal, is not
    there.
    """

    def __init__(self, language: Language = "en", terminal: str = TERMINAL) -> None:
        """Know where to ask; it is opened for each question."""
        self._language: Language = language
        self._terminal = terminal

    async def answer(self, question: Question) -> str | None:
        """Ask, wait and return the answer."""
        fd = self._open()
        if fd is None:
            return None
        try:
            if not _is_ours(fd):
                return None
            tcflush(fd, TCIFLUSH)  # what was typed before is no answer to this
            os.write(fd, self._said(question).encode(errors="replace"))
            return _decoded(await _line(fd))
        except (OSError, TerminalError):  # the terminal is gone
            return None
        finally:
            os.close(fd)

    def _open(self) -> int | None:
        flags = os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK
        with suppress(OSError):
            return os.open(self._terminal, flags)
        with suppress(OSError, ValueError, AttributeError):
            if sys.stdin.isatty():
                return os.open(os.ttyname(sys.stdin.fileno()), flags)
        return None

    def _said(self, question: Question) -> str:
        """Return the question, with what could steer the terminal spelled out."""
        lines = [visible(line) for line in question.text.splitlines()]
        return text("question_at_terminal", self._language, id=question.id, text="\n".join(lines))


def _is_ours(fd: int) -> bool:
    """Tell whether we may use a terminal: who is in its background is stopped for trying."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:  # it is not the one that we are controlled from
        return True


async def _line(fd: int) -> bytes:
    """Wait for a line without holding up the loop."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[bytes] = loop.create_future()

    def read() -> None:
        if ready.done():
            return
        try:
            ready.set_result(os.read(fd, _LINE))
        except BlockingIOError:
            return
        except OSError as error:
            ready.set_exception(error)

    loop.add_reader(fd, read)
    try:
        return await ready
    finally:
        loop.remove_reader(fd)


def _decoded(line: bytes) -> str | None:
    """Return what was typed; None for the end of the input, and for an empty line."""
    return line.decode(errors="replace").strip() or None
