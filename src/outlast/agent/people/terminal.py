"""Ask a person at the terminal."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from contextlib import contextmanager, suppress
from termios import TCIFLUSH, tcflush
from termios import error as TerminalError  # noqa: N812 - it is one
from typing import TYPE_CHECKING, Any, Final

from outlast.agent.people.typed_line import TypedLine
from outlast.language import text, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.language import Language
    from outlast.model.model import Question

TERMINAL: Final = "/dev/tty"
_LINE_BYTES: Final = 4_096  # a terminal delivers no longer line


class TerminalPerson:
    """Asks on the controlling terminal, else on standard input, without blocking the event loop.

    The answer is None if there is no terminal or the person ends the input. With `draw`, the caller
    shows the question, and `draw` is called with all that has been typed after each
    key; with None when nobody types any more.
    """

    def __init__(
        self,
        language: Language = "en",
        terminal: str = TERMINAL,
        draw: Callable[[Question, str | None], object] | None = None,
    ) -> None:
        """Take the language and the terminal device, which is opened for each question."""
        self._language: Language = language
        self._terminal, self._draw = terminal, draw

    async def answer(self, question: Question) -> str | None:
        """Ask, wait and return the answer."""
        fd = self._open()
        if fd is None:
            return None
        try:
            if not _is_usable(fd):
                return None
            tcflush(fd, TCIFLUSH)  # discard what was typed before the question
            if self._draw is not None:
                return await _type_answer(fd, question, self._draw)
            os.write(fd, self._prompt(question).encode(errors="replace"))
            return _decode_answer(await _read_input(fd))
        except asyncio.CancelledError:  # nobody need answer any more
            if self._draw is None:
                with suppress(OSError):
                    os.write(fd, b"\n")
            raise
        except (OSError, TerminalError):  # the terminal went away
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

    def _prompt(self, question: Question) -> str:
        """Return the question with control characters escaped."""
        lines = [visible(line) for line in question.text.splitlines()]
        return text("question_at_terminal", self._language, id=question.id, text="\n".join(lines))


def _is_usable(fd: int) -> bool:
    """Return whether we may use the terminal: it stops background processes that try."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:  # it is not our controlling terminal
        return True


async def _type_answer(
    fd: int, question: Question, draw: Callable[[Question, str | None], object]
) -> str | None:
    """Read an answer key by key, and let it be drawn."""
    line = TypedLine()
    try:
        with _without_echo(fd):
            while not line.is_ended:
                draw(question, line.text)
                keys = await _read_input(fd)
                if not keys:
                    return None
                line.feed(keys)
    finally:
        draw(question, None)
    return line.text.strip() or None


@contextmanager
def _without_echo(fd: int) -> Iterator[None]:
    """Let a terminal deliver each key at once and show none; Ctrl-C still interrupts."""
    before = termios.tcgetattr(fd)
    keys = [*before]
    keys[3] &= ~(termios.ICANON | termios.ECHO)
    _UNCHANGED[fd] = before
    try:
        termios.tcsetattr(fd, termios.TCSADRAIN, keys)
        yield
    finally:
        restore_terminals()


_UNCHANGED: Final[dict[int, list[Any]]] = {}


def restore_terminals() -> None:
    """Give terminals the settings that they had before somebody was asked."""
    while _UNCHANGED:
        fd, before = _UNCHANGED.popitem()
        with suppress(OSError, TerminalError):
            termios.tcsetattr(fd, termios.TCSADRAIN, before)


async def _read_input(fd: int) -> bytes:
    """Wait for input without blocking the event loop: a line, or keys if it delivers those."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[bytes] = loop.create_future()

    def read() -> None:
        if ready.done():
            return
        try:
            ready.set_result(os.read(fd, _LINE_BYTES))
        except BlockingIOError:
            return
        except OSError as error:
            ready.set_exception(error)

    loop.add_reader(fd, read)
    try:
        return await ready
    finally:
        loop.remove_reader(fd)


def _decode_answer(line: bytes) -> str | None:
    """Return what was typed; None at the end of input or for an empty line."""
    return line.decode(errors="replace").strip() or None
