"""Shorten texts to one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST: Final = 72
_COLONS: Final = (":", "\uff1a")  # after which more follows


def shorten(line: str, longest: int = _LONGEST) -> str:
    """Truncate a line."""
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def first_line(text: str) -> str:
    """Return the first line with text in it, made visible and truncated."""
    return shorten(visible(next(_full_lines(text), "")), 2 * _LONGEST)


def problem_line(text: str) -> str:
    """Return an error in one line; if its first line ends in a colon, with its last line."""
    first, *rest = tuple(_full_lines(text)) or ("",)
    line = f"{first} {rest[-1]}" if rest and first.endswith(_COLONS) else first
    return shorten(visible(line), 2 * _LONGEST)


def _full_lines(text: str) -> Iterator[str]:
    return filter(None, (line.strip() for line in text.splitlines()))
