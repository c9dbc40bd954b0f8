"""Lines on a terminal or in a pipe: wrapped, coloured, with a status line that changes."""

from __future__ import annotations

import os
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final, Literal

from outlast.language import visible
from outlast.language.columns import character_width
from outlast.language.wrap import wrap_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

Style = Literal["plain", "progress", "answer", "question", "error", "reminder"]
_COLOURS: Final[dict[Style, str]] = {
    "progress": "\x1b[2m",
    "answer": "\x1b[1m",
    "question": "\x1b[1;33m",
    "error": "\x1b[31m",
    "reminder": "\x1b[36m",
}
_NO_COLOUR: Final = "\x1b[0m"
_TAB: Final = 4  # columns
_ERASE: Final = "\r\x1b[K"


class ScreenGone(Exception):
    """Raised when the terminal is closed, or the reader of the output has gone."""


class Screen:
    """Prints lines in which control characters are spelled out.

    On a terminal they are wrapped to its width, and a status line below them can be drawn over.
    """

    def __init__(self, stream: TextIO, *, colours: bool = False) -> None:
        """Use a stream; `colours` only if it is a terminal that may have them."""
        self._stream, self._colours = stream, colours
        self.is_terminal = stream.isatty()
        self._redraws = self.is_terminal and os.environ.get("TERM") != "dumb"
        self._status = ""
        self.has_printed = False

    @property
    def width(self) -> int:
        """The columns of the terminal now; 0 if there is no terminal."""
        return get_terminal_size().columns if self.is_terminal else 0

    def print(self, text: str, style: Style = "plain") -> None:
        """Print a text; the status line stays below it."""
        lines = (visible(line.expandtabs(_TAB)) for line in text.splitlines() or [""])
        pieces = [self._paint(piece, style) for line in lines for piece in self._wrap(line)]
        self.has_printed = True
        status, self._status = self._status, ""
        erase = _ERASE if status and self._redraws else ""
        self._write(erase + "".join(f"{piece}\n" for piece in pieces))
        if erase:
            self.show_status(status)

    def show_status(self, status: str) -> None:
        """Draw the status line; empty removes it. A terminal that cannot redraw shows it once."""
        if status == self._status or not self.is_terminal:
            return
        before, self._status = self._status, status
        if self._redraws:
            shown = _cut(visible(status), self.width - 1)
            self._write(f"{_ERASE}{self._paint(shown, 'progress')}")
        elif not before:
            self._write(f"{visible(status)}\n")

    def _wrap(self, line: str) -> Iterator[str]:
        """Yield a line in pieces that fit, all with the indent of the first."""
        text = line.strip()
        indent = line[: len(line) - len(line.lstrip())] if text else ""
        return wrap_line(f"{indent}{text}", self.width, indent)

    def _paint(self, text: str, style: Style) -> str:
        if not (text and self._colours and style in _COLOURS):
            return text
        return f"{_COLOURS[style]}{text}{_NO_COLOUR}"

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError) as error:  # closed
            raise ScreenGone from error


def _cut(text: str, width: int) -> str:
    """Return as much of a text as fits into a number of columns."""
    used = 0
    for at, character in enumerate(text):
        used += character_width(character)
        if used > width:
            return text[:at]
    return text
