"""Whether a goal is reached, in words, and how many are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.measure import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = list[str]
"""What is asked, its limit, and a cell for each thing that is judged."""


def at_most(value: float, limit: float, shown: Callable[[float], str]) -> str:
    return f"{shown(value)} {verdict(kept=value <= limit)}"


def at_least(value: float, limit: float, shown: Callable[[float], str]) -> str:
    return f"{shown(value)} {verdict(kept=value >= limit)}"


def verdict(*, kept: bool) -> str:
    return "reached" if kept else "**missed**"


def one_line(row: Row, columns: Sequence[str] = ()) -> Row:
    """Return a row with one cell for all that was measured, and its verdict in the last."""
    cells = [cell.rpartition(" ") for cell in row[2:]]
    names = columns if len(columns) == len(cells) > 1 else [""] * len(cells)
    figures = [value for value, _, _ in cells]
    shown = (f"{name} {value}".strip() for name, value in zip(names, figures, strict=True))
    kept = all(word == verdict(kept=True) for _, _, word in cells)
    return [*row[:2], ", ".join(shown), verdict(kept=kept)]


def judged(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the goals table and, below it, how many of its verdicts are good."""
    cells = [cell for row in rows for cell in row[2:]]
    missed = sum(cell.endswith(verdict(kept=False)) for cell in cells)
    reached = sum(cell.endswith(verdict(kept=True)) for cell in cells)
    filled = [row + [""] * (2 + len(columns) - len(row)) for row in rows]
    shown = words(["goal", "limit", *columns], filled)
    return f"{shown}\n\n{reached} of {reached + missed} reached, {missed} missed."
