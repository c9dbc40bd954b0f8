"""Patterns of paths and of permissions.

In a path pattern `*`, `?` and `[…]` match parts of a name, `**` any number of names.

A permission pattern allows something without asking: `path:/data/**`, `bash:git push`, `bash`. A
path is allowed by a pattern that matches it or a directory above it. Anything else is allowed by
the words it begins with. A name alone allows all that a tool asks for, `path` all paths.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from shlex import split
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_ANY: Final = "**"


def path_names(path: str) -> tuple[str, ...]:
    """Split a path or a pattern into names."""
    return tuple(name for name in path.split("/") if name not in ("", "."))


def is_match(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a pattern matches all names of a path.

    It follows all possible places in the pattern at once, so the time is never exponential.
    """
    places = _expand({0}, pattern)
    for name in names:
        places = _expand(
            {_next_place(place, pattern) for place in places if _is_step(name, place, pattern)},
            pattern,
        )
    return len(pattern) in places


def _is_step(name: str, place: int, pattern: Sequence[str]) -> bool:
    if place == len(pattern):
        return False
    return pattern[place] == _ANY or fnmatchcase(name, pattern[place])


def _next_place(place: int, pattern: Sequence[str]) -> int:
    return place if pattern[place] == _ANY else place + 1


def _expand(places: set[int], pattern: Sequence[str]) -> set[int]:
    """Add the places after a `**`, which may match no name."""
    reached = set(places)
    for place in places:
        further = place
        while further < len(pattern) and pattern[further] == _ANY:
            further += 1
            reached.add(further)
    return reached


_PATH: Final = "path"


def is_permitted(pattern: str, wanted: str) -> bool:
    """Return whether a pattern allows a request such as `path:/data/a.csv`."""
    name, colon, rest = pattern.partition(":")
    kind, _, what = wanted.partition(":")
    if name != kind:
        return False
    if not colon:
        return True
    return _is_path_permitted(rest, what) if kind == _PATH else _is_prefix(rest, what)


def _is_path_permitted(pattern: str, path: str) -> bool:
    names, parts = path_names(path), path_names(pattern)
    return pattern.startswith("/") and (is_match(names, parts) or is_match(names, (*parts, "**")))


def _is_prefix(beginning: str, what: str) -> bool:
    """Compare word by word, so that `rm -r a` does not allow `rm -r abc`."""
    try:
        words, wanted = split(beginning), split(what)
    except ValueError:  # an open quote: the words are unknown
        return beginning == what
    return bool(words) and wanted[: len(words)] == words
