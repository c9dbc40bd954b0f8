"""Columns of a terminal, in which Chinese characters and emoji take two: wrapped lines, tables."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final
from unicodedata import category, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_WITHOUT_WIDTH: Final = ("Mn", "Me", "Cf")  # accents, variation selectors, joiners
_CLOSING: Final = tuple("，。、；：！？）》」』”’…")  # no line begins with these
_LEAST: Final = 20  # columns of text beside an indent
_GAP: Final = "  "


def text_width(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(map(character_width, text))


def character_width(character: str) -> int:
    """Return how many columns a character takes."""
    if character.isascii():
        return 1
    if category(character) in _WITHOUT_WIDTH:
        return 0
    return 2 if is_wide(character) else 1


def is_wide(character: str) -> bool:
    """Return whether a character takes two columns."""
    return bool(character) and east_asian_width(character) in "WF"


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


def draw_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: frozenset[int] = frozenset(),
    width: int = 0,
) -> list[str]:
    """Return a table as lines of at most `width` columns; 0 is no limit.

    Columns in `right` are set to the right; empty ones are left out between the first and the last.
    Where there is little room the last column is wrapped, where there is none each row becomes
    several lines.
    """
    table = [*rows]
    ends = (0, len(headings) - 1)
    shown = [n for n in range(len(headings)) if n in ends or any(row[n] for row in table)]
    cells = [[row[number] for number in shown] for row in (headings, *table)]
    widths = [max(text_width(row[at]) for row in cells) for at in range(len(shown))]
    room = width - sum(widths[:-1]) - len(_GAP) * (len(shown) - 1) if width else 0
    if width and room < min(_LEAST, widths[-1]):
        names, *others = cells
        return [line for row in others for line in _stack(names, row, width)]
    to_the_right = [number in right for number in shown]
    return [
        line
        for row in cells
        if any(row)
        for line in _draw_row(row, [*zip(widths, to_the_right, strict=True)], room)
    ]


def _draw_row(row: Sequence[str], columns: list[tuple[int, bool]], room: int) -> Iterator[str]:
    """Yield a row as one line, or as several if its last cell takes them."""
    *cells, last = row
    padded = (_pad(cell, *column) for cell, column in zip(cells, columns, strict=False))
    before = "".join(f"{cell}{_GAP}" for cell in padded)
    for piece in wrap_line(last, room):
        yield f"{before}{piece}".rstrip()
        before = " " * text_width(before)


def _stack(names: Sequence[str], row: Sequence[str], width: int) -> Iterator[str]:
    """Yield a row as lines: the first and the last cell, then the others with their headings."""
    (first, *between), last = row[:-1], row[-1]
    yield from wrap_line(f"{first} {last}", width, _GAP)
    for name, cell in zip(names[1:-1], between, strict=True):
        if cell:
            yield from wrap_line(f"{_GAP}{name} {cell}", width, _GAP)


def _pad(text: str, width: int, is_right: bool) -> str:  # noqa: FBT001 - of a column
    spaces = " " * (width - text_width(text))
    return spaces + text if is_right else text + spaces
