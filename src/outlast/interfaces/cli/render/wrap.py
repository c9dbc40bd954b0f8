"""Wrap lines to the width of a terminal, in which Chinese characters take two columns."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterator

# ruff: noqa: RUF001 - as Chinese is typed
_CLOSING: Final = tuple("，。、；：！？）》」』”’…")  # no line begins with these
_LEAST: Final = 20  # columns of text beside an indent


def terminal_width() -> int:
    """Return the columns of the terminal that the answer goes to; 0 if it goes elsewhere."""
    return get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else 0


def text_width(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(map(_character_width, text))


def wrap_line(line: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield a line in pieces of at most `width` columns, the later ones indented; 0 is no limit.

    It breaks at spaces and beside wide characters, inside a longer word where it must.
    """
    if not width:
        yield line
        return
    rest, room = line, width
    while text_width(rest) > room:
        at = _find_break(rest, room)
        yield rest[:at].rstrip()
        rest, room = rest[at:].lstrip(), max(_LEAST, width - len(indent))
        rest, room = f"{indent}{rest}", room + len(indent)
    yield rest


def _find_break(line: str, room: int) -> int:
    """Return where the first piece of a line ends that is too long."""
    used, best, text_begins = 0, 0, len(line) - len(line.lstrip())
    for at, character in enumerate(line):
        used += _character_width(character)
        if used > room:
            return at if character == " " else best or max(at, text_begins + 1)
        following = line[at + 1 : at + 2]
        is_break = character == " " or _is_wide(character) or _is_wide(following)
        if is_break and at >= text_begins and following not in _CLOSING:
            best = at + 1
    return len(line)


def _character_width(character: str) -> int:
    return 2 if _is_wide(character) else not combining(character)


def _is_wide(character: str) -> bool:
    return bool(character) and east_asian_width(character) in "WF"
