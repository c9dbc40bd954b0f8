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
    from collections.abc import Collection, Iterable, Sequence

_ANY: Final = "**"


def path_names(path: str) -> tuple[str, ...]:
    """Split a path or a pattern into names."""
    return tuple(name for name in path.split("/") if name not in ("", "."))


def is_match(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a pattern matches all names of a path."""
    positions = first_positions(pattern)
    for name in names:
        positions = next_positions(positions, name, pattern)
    return len(pattern) in positions


def first_positions(pattern: Sequence[str]) -> frozenset[int]:
    """Return the positions in a pattern before the first name: where the next part may stand.

    Who follows all of them at once never needs exponential time. A path is matched if the last of
    its positions contain the length of the pattern.
    """
    return _expand((0,), pattern)


def next_positions(
    positions: Iterable[int], name: str, pattern: Sequence[str], *, exactly: bool = False
) -> frozenset[int]:
    """Return the positions after one more name; `exactly` lets only an equal part match it."""
    following: list[int] = []
    for position in positions:
        part = pattern[position] if position < len(pattern) else None
        if part == _ANY:
            following += () if exactly else (position,)
        elif part is not None and (name == part if exactly else fnmatchcase(name, part)):
            following.append(position + 1)
    return _expand(following, pattern)


def _expand(positions: Iterable[int], pattern: Sequence[str]) -> frozenset[int]:
    """Add the positions after a `**`, which may match no name."""
    reached = set(positions)
    for position in positions:
        following = position
        while following < len(pattern) and pattern[following] == _ANY:
            following += 1
            reached.add(following)
    return frozenset(reached)


_PATH: Final = "path"


def can_permit(pattern: str, tools: Collection[str]) -> bool:
    """Return whether a pattern can allow something that one of these tools asks for."""
    name, colon, rest = pattern.partition(":")
    if name == _PATH:
        return not colon or rest.startswith("/")
    return name in tools and (not colon or bool(rest.strip()))


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
