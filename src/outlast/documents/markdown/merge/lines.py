"""Three-way merge of a text by its lines."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    Hunk = tuple[int, int, tuple[str, ...]]

_MOST_LINES: Final = 500  # of a text that is compared line by line


def merge_text(base: str, current: str, wanted: str) -> str | None:
    """Return a text with the changes of both sides; None if these touch or overlap."""
    if current == base:
        return wanted
    lines, *sides = (text.split("\n") for text in (base, current, wanted))
    if max(map(len, (lines, *sides))) > _MOST_LINES:
        return None
    hunks = sorted({hunk for side in sides for hunk in _hunks(lines, side)})
    merged: list[str] = []
    position = -1
    for start, end, new in hunks:
        if start <= position:
            return None
        merged += [*lines[max(position, 0) : start], *new]
        position = end
    return "\n".join([*merged, *lines[max(position, 0) :]])


def _hunks(old: Sequence[str], new: list[str]) -> list[Hunk]:
    """Return the ranges of old lines that were replaced, and by what."""
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i, j, tuple(new[k:n])) for code, i, j, k, n in codes if code != "equal"]
