"""Blocks of lines in files of other programs and of people, between two lines that mark them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEGIN: Final = "outlast init: begin"
_END: Final = "outlast init: end"


class BlockStyle(Struct, frozen=True):
    """How a comment line is written."""

    opening: str
    closing: str = ""

    @property
    def begin(self) -> str:
        """The line before a block."""
        return f"{self.opening}{_BEGIN}{self.closing}"

    @property
    def end(self) -> str:
        """The line after a block."""
        return f"{self.opening}{_END}{self.closing}"


HASH: Final = BlockStyle("# ")
HTML: Final = BlockStyle("<!-- ", " -->")


def block_lines(text: str, style: BlockStyle) -> list[str] | None:
    """Return the lines of the block in a text; None without one."""
    place = _find(text, style)
    return None if place is None else text[slice(*place)].splitlines()[1:-1]


def set_block(text: str, style: BlockStyle, lines: Sequence[str]) -> str:
    """Return a text with these lines as its block: in the place of the one before, or at the end.

    A new block is separated by a blank line from what stands before it.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = "".join(f"{line}{newline}" for line in (style.begin, *lines, style.end))
    place = _find(text, style)
    if place is not None:
        start, end = place
        return f"{text[:start]}{block}{text[end:]}"
    if not text:
        return block
    separator = newline if text.endswith("\n") else newline * 2
    return f"{text}{separator}{block}"


def remove_block(text: str, style: BlockStyle) -> str:
    """Return a text without its block, and without the blank line before it."""
    place = _find(text, style)
    if place is None:
        return text
    start, end = place
    before = text[:start]
    for blank in ("\n\r\n", "\n\n"):
        if before.endswith(blank):
            before = before.removesuffix(blank[1:])
            break
    return before + text[end:]


def _find(text: str, style: BlockStyle) -> tuple[int, int] | None:
    """Return where a block begins and ends, with its marks.

    A begin without an end is no block: the user's lines may stand below it.
    """
    start = at = 0
    is_open = False
    for line in text.splitlines(keepends=True):
        if line.rstrip() == style.begin:
            start, is_open = at, True
        at += len(line)
        if is_open and line.rstrip() == style.end:
            return start, at
    return None
