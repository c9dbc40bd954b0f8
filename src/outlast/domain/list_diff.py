"""What has changed its place in a list: as few as can be, and all the others have stayed."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T", int, str)


def moved(before: Iterable[T], after: Iterable[T]) -> set[T]:
    """Return what has to be moved, of all that is in both lists, to get the order of `after`."""
    places = {one: place for place, one in enumerate(before)}
    common = [one for one in after if one in places]
    return set(common) - _longest(common, [places[one] for one in common])


def _longest(items: list[T], places: list[int]) -> set[T]:
    """Return the items of a longest row whose places rise."""
    ends: list[int] = []  # of the best row of each length, the place at its end
    last: list[int] = []  # and its index
    before: list[int] = []
    for index, place in enumerate(places):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
    found: set[T] = set()
    index = last[-1] if last else -1
    while index >= 0:
        found.add(items[index])
        index = before[index]
    return found
