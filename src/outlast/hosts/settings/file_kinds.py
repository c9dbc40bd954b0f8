"""What is ours in the files that `init` writes, and how it gets into a text and out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEGIN: Final = "outlast init: begin"
_END: Final = "outlast init: end"
_OURS: Final = "outlast"


# Blocks of lines between two lines that mark them


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


# Kinds of files


class MergedText(Struct, frozen=True):
    """A text with what is ours, and the keys of others' entries that stand in their place."""

    text: str
    left_alone: tuple[str, ...] = ()


class FileKind(Protocol):
    """What is ours in a file, and how it gets in and out. The methods take and return texts."""

    def entries(self, text: str) -> object:
        """Return what is ours in a text, to compare it with that of another one."""

    def merge(self, text: str) -> MergedText:
        """Add what is ours to a text without it."""

    def strip(self, text: str, before: str | None) -> str:
        """Remove what is ours from a text; `before` is what it was before it came in."""

    def is_same(self, text: str, before: str) -> bool:
        """Return whether a stripped text says the same as the one before we came."""

    def is_empty(self, text: str) -> bool:
        """Return whether a file that we created can go."""


class PlainText(Struct, frozen=True):
    """A text in which blanks mean nothing."""

    def is_same(self, text: str, before: str) -> bool:
        """Return whether two texts differ in blanks only."""
        return text.split() == before.split()

    def is_empty(self, text: str) -> bool:
        """Return whether nothing else is there."""
        return not text.strip()


class WholeFile(PlainText, frozen=True):
    """A file that is ours as a whole; `known` are its other forms that are ours too."""

    content: str
    known: tuple[str, ...] = ()

    def entries(self, text: str) -> object:
        """Return the text, if it is ours; a form in the other language is as good."""
        return self.content if text in (self.content, *self.known) else None

    def merge(self, text: str) -> MergedText:
        """Return our text; one that is not ours is left alone."""
        return MergedText(text, (_OURS,)) if text else MergedText(self.content)

    def strip(self, text: str, before: str | None) -> str:
        """Return nothing for a text of ours."""
        del before
        return "" if text in (self.content, *self.known) else text

    def is_empty(self, text: str) -> bool:
        """Return whether our text was all."""
        return not text


class BlockFile(PlainText, frozen=True):
    """A file of the user with a marked block of ours."""

    style: BlockStyle
    lines: tuple[str, ...]
    known: tuple[tuple[str, ...], ...] = ()

    def entries(self, text: str) -> object:
        """Return the lines of our block; those in the other language are as good."""
        lines = block_lines(text, self.style)
        return self.lines if lines is not None and tuple(lines) in self.known else lines

    def merge(self, text: str) -> MergedText:
        """Add our block."""
        return MergedText(set_block(text, self.style, self.lines))

    def strip(self, text: str, before: str | None) -> str:
        """Remove our block."""
        del before
        return remove_block(text, self.style)


class ExcludeFile(PlainText, frozen=True):
    """Git's own list of what it ignores on this machine, with some names in our block."""

    names: tuple[str, ...]

    def entries(self, text: str) -> object:
        """Return which of the names are there."""
        return frozenset(self.names).intersection(block_lines(text, HASH) or ())

    def merge(self, text: str) -> MergedText:
        """Add the names to those of other setups."""
        lines = dict.fromkeys([*(block_lines(text, HASH) or ()), *self.names])
        return MergedText(set_block(text, HASH, [*lines]) if self.names else text)

    def strip(self, text: str, before: str | None) -> str:
        """Remove the names; those of other setups stay."""
        del before
        rest = [line for line in block_lines(text, HASH) or () if line not in self.names]
        return set_block(text, HASH, rest) if rest else remove_block(text, HASH)
