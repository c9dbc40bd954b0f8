"""Wrap lines to the width of a terminal, in which Chinese characters take two columns."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

from outlast.language.columns import character_width, is_wide, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator


_CLOSING: Final = tuple("，。、；：！？）》」』”’…")  # no line begins with these
_LEAST: Final = 20  # columns of text beside an indent


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
    fitting = sum(used <= room for used in accumulate(map(character_width, line)))
    if line[fitting] == " ":
        return fitting
    text_begins = len(line) - len(line.lstrip())
    places = range(fitting, text_begins, -1)
    return next((at for at in places if _can_break(line, at)), max(fitting, text_begins + 1))


def _can_break(line: str, at: int) -> bool:
    """Return whether a line may end before a character."""
    before, character = line[at - 1], line[at]
    is_break = before == " " or is_wide(before) or is_wide(character)
    return is_break and character not in _CLOSING
