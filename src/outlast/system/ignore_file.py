"""What `.gitignore` says: which files nobody keeps.

A pattern without a slash matches a name at any depth, others match a path from the top. `!` takes
a match back. Only the file at the top is read.
"""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING, Final

from outlast.system.patterns import is_below

if TYPE_CHECKING:
    from collections.abc import Iterable

_WILD: Final = re.compile(r"[*?\[]")
_LINES: Final = 300  # more are not read
_CHARACTERS: Final = 200  # of a line


class IgnoredFiles:
    """Files and directories that patterns name."""

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
                self._paths.setdefault("" if _WILD.search(first) else first, []).append(pattern)
            else:
                names.append(pattern)
        expression = "|".join(f"(?:{translate(name)})" for name in names)
        self._names = re.compile(expression) if names else None

    def match(self, path: str) -> bool:
        """Return whether a pattern names a path, or a directory above it from the top."""
        if self._names is not None and self._names.match(path.rpartition("/")[2]):
            return True
        first = path.partition("/")[0]
        return any(is_below(path, self._paths.get(start, ())) for start in (first, ""))
