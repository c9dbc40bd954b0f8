"""Tables for a terminal: aligned columns, and what becomes of them where there is little room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language.columns import text_width
from outlast.language.wrap import wrap_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_GAP: Final = "  "
_LEAST: Final = 20  # columns for the last cell of a row, as `wrap_line` wants them


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
