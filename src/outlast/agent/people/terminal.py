"""Ask a person at the terminal, who types a line, or one that is drawn key by key."""

from __future__ import annotations

import asyncio
import codecs
import os
import sys
import termios
from contextlib import contextmanager, suppress
from termios import TCIFLUSH, tcflush
from termios import error as TerminalError  # noqa: N812 - it is one
from typing import TYPE_CHECKING, Any, Final
from unicodedata import combining

from outlast.language import Language, text, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.model.model import Question

_ENTER: Final = "\r\n"
_ERASE: Final = "\x08\x7f"
_END_OF_INPUT: Final = "\x04"  # Ctrl-D
_KILL: Final = "\x15"  # Ctrl-U
_ERASE_WORD: Final = "\x17"  # Ctrl-W
_ESCAPE: Final = "\x1b"
_CHARACTERS: Final = 4_000  # of an answer; more is dropped
TERMINAL: Final = "/dev/tty"
_LINE_BYTES: Final = 4_096  # a terminal delivers no longer line


class TypedLine:
    """What has been typed so far; the keys that move the cursor do nothing."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.text = ""
        self.is_ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._escape = ""

    def feed(self, keys: bytes) -> None:
        """Add what a terminal delivers; what comes after the end of the line is dropped."""
        for character in self._decoder.decode(keys):
            if not self.is_ended:
                self._type(character)

    def _type(self, character: str) -> None:
        if self._escape:
            self._skip_escape(character)
        elif character == _ESCAPE:
            self._escape = character
        elif character in _ENTER or (character == _END_OF_INPUT and not self.text):
            self.is_ended = True
        elif character in _ERASE:
            self._erase()
        elif character == _KILL:
            self.text = ""
        elif character == _ERASE_WORD:
            head, _, _ = self.text.rstrip().rpartition(" ")
            self.text = f"{head} " if head else ""
        elif character.isprintable() and len(self.text) < _CHARACTERS:
            self.text += character

    def _erase(self) -> None:
        """Take the last character back, with the marks that belong to it."""
        text = self.text
        while text and combining(text[-1]):
            text = text[:-1]
        self.text = text[:-1]

    def _skip_escape(self, character: str) -> None:
        """Leave an escape sequence at its last character, such as that of an arrow key."""
        self._escape += character
        is_long = self._escape[1] in "[O"
        if not is_long or (len(self._escape) > len("\x1b[") and "@" <= character <= "~"):
            self._escape = ""


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
