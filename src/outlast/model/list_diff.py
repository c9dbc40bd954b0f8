"""List diff: which items of a list have to move, or are in another list too."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T", int, str)
Item = TypeVar("Item")


def drop_known(
    items: Iterable[Item], known: Iterable[str], name_of: Callable[[Item], str]
) -> list[Item]:
    """Return items without those whose names are known: each known name drops one item."""
    left, kept = Counter(known), list[Item]()
    for item in items:
        name = name_of(item)
        if left[name]:
            left[name] -= 1
        else:
            kept.append(item)
    return kept


def moved_items(before: Iterable[T], after: Iterable[T]) -> set[T]:
    """Return the items of both lists that have to move to get the order of `after`."""
    places = {item: place for place, item in enumerate(before)}
    common = [item for item in after if item in places]
    return set(common) - _longest_rising(common, [places[item] for item in common])


def _longest_rising(items: list[T], places: list[int]) -> set[T]:
    """Return the items of a longest increasing subsequence of places."""
    ends: list[int] = []  # by length, the lowest last place of a subsequence
    last: list[int] = []  # and its index
    before: list[int] = []
    for index, place in enumerate(places):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
    items_kept: set[T] = set()
    index = last[-1] if last else -1
    while index >= 0:
        items_kept.add(items[index])
        index = before[index]
    return items_kept
