"""Patterns of paths: `*`, `?` and `[…]` stand for parts of a name, `**` for any names."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_ANY: Final = "**"


def names_of(path: str) -> tuple[str, ...]:
    """Return the names that a path or a pattern consists of."""
    return tuple(name for name in path.split("/") if name not in ("", "."))


def fits(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether the names of a path, all of them, are what a pattern stands for.

    All places that the pattern can be at are followed at once, so that time does not explode.
    """
    places = _ahead({0}, pattern)
    for name in names:
        places = _ahead(
            {_past(place, pattern) for place in places if _is(name, place, pattern)}, pattern
        )
    return len(pattern) in places


def _is(name: str, place: int, pattern: Sequence[str]) -> bool:
    if place == len(pattern):
        return False
    return pattern[place] == _ANY or fnmatchcase(name, pattern[place])


def _past(place: int, pattern: Sequence[str]) -> int:
    return place if pattern[place] == _ANY else place + 1


def _ahead(places: set[int], pattern: Sequence[str]) -> set[int]:
    """Return these places and those behind a `**`, which may stand for nothing."""
    found = set(places)
    for place in places:
        further = place
        while further < len(pattern) and pattern[further] == _ANY:
            further += 1
            found.add(further)
    return found
