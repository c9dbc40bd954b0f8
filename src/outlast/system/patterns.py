"""Patterns of paths, of permissions and of a `.gitignore`.

In a path pattern `*`, `?` and `[…]` match parts of a name, `**` any number of names.

A permission pattern allows something without asking: `path:/data/**`, `bash:git push`, `bash`. A
path is allowed by a pattern that matches it or a directory above it. Anything else is allowed by
the words it begins with. A name alone allows all that a tool asks for, `path` all paths.

In a `.gitignore`, a pattern without a slash matches a name at any depth, others match a path from
the top. `!` takes a match back. Only the file at the top is read.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase, translate
from shlex import split
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_ANY: Final = "**"
_UP: Final = ".."
_WILD: Final = "*?[]"
_WILDCARD: Final = re.compile(r"[*?\[]")
_LINES: Final = 300  # more are not read
_CHARACTERS: Final = 200  # of a line


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


def is_below(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a pattern matches a path or a directory above it."""
    names = path_names(path)
    return any(is_match(names, (*path_names(pattern), _ANY)) for pattern in patterns)


def may_overlap(first: Collection[str], second: Collection[str]) -> bool:
    """Return whether two lists of patterns may name the same file.

    An empty one names them all; so may a pattern that leaves the workspace.
    """
    if not first or not second or any(each.startswith("/") for each in (*first, *second)):
        return True
    parts = [path_names(pattern) for pattern in first]
    other_parts = [path_names(pattern) for pattern in second]
    return any(_may_meet(one, other) for one in parts for other in other_parts)


def _may_meet(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether two patterns may name the same path; a directory stands for what is in it."""
    for one, other in zip(first, second, strict=False):
        if {one, other} & {_ANY, _UP}:
            return True
        if not _may_equal(one, other):
            return False
    return True


def _may_equal(first: str, second: str) -> bool:
    """Return whether two names with wildcards may match the same name."""
    if not any(sign in first + second for sign in _WILD):
        return first == second
    return _agree(_literal_head(first), _literal_head(second)) and _agree(
        _literal_head(first[::-1]), _literal_head(second[::-1])
    )


def _agree(first: str, second: str) -> bool:
    """Return whether one text is the beginning of the other."""
    return first.startswith(second) or second.startswith(first)


def _literal_head(name: str) -> str:
    """Return the beginning of a name up to its first wildcard."""
    ends = [index for sign in _WILD if (index := name.find(sign)) >= 0]
    return name[: min(ends, default=len(name))]


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


class IgnoredFiles:
    """Files and directories that the patterns of a `.gitignore` name."""

    def __init__(self, text: str = "", names: Iterable[str] = ()) -> None:
        """Take the text of a `.gitignore`, and names that are ignored everywhere."""
        ignored, kept = list(names), list[str]()
        for line in text.splitlines()[:_LINES]:
            pattern = line.strip()
            if not pattern or pattern.startswith("#") or len(pattern) > _CHARACTERS:
                continue
            (kept if pattern.startswith("!") else ignored).append(pattern.lstrip("!"))
        self._ignored, self._kept = _Patterns(ignored), _Patterns(kept)

    def has(self, path: str) -> bool:
        """Return whether a path is ignored; ask for the directories above it first."""
        return self._ignored.match(path) and not self._kept.match(path)


class _Patterns:
    """Patterns of names in one expression, and patterns of paths by what they begin with.

    A workspace has many files, and few of them begin with the first name of a pattern.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        names, self._paths = list[str](), dict[str, list[str]]()
        for pattern in dict.fromkeys(each.rstrip("/") for each in patterns):
            if "/" in pattern:
                first = pattern.lstrip("/").partition("/")[0]
                self._paths.setdefault("" if _WILDCARD.search(first) else first, []).append(pattern)
            else:
                names.append(pattern)
        expression = "|".join(f"(?:{translate(name)})" for name in names)
        self._names = re.compile(expression) if names else None

    def match(self, path: str) -> bool:
        """Return whether a pattern names a path, or a directory above it from the top."""
        if self._names is not None and self._names.match(path.rpartition("/")[2]):
            return True
        if not self._paths:
            return False
        patterns = (*self._paths.get(path.partition("/")[0], ()), *self._paths.get("", ()))
        return bool(patterns) and is_below(path, patterns)
