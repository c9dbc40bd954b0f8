"""A walk through a directory: in order, no link followed, the files of plans left out.

Only the standard library is imported, since the search for a pattern runs in a process of its own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PLANS: Final = (".outlast", ".code-agent", ".sessions")  # changed by commands, not as files
_SKIPPED: Final = (*PLANS, ".git")
_ENTRIES: Final = 100_000
_DEEPEST: Final = 64
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

Kind = Literal["file", "directory", "link", "other"]


class Found(NamedTuple):
    """Something in an open directory; `path` leads there from where the walk began."""

    path: tuple[str, ...]
    kind: Kind
    directory: int

    def open(self) -> int:
        """Open it, if it is no link, and wait for nobody."""
        return os.open(self.path[-1], _OPEN, dir_fd=self.directory)


class Walk:
    """All that is below an open directory; `cut` says that there was too much."""

    def __init__(self, fd: int, entries: int = _ENTRIES) -> None:
        """Begin at a directory."""
        self._fd, self._left = fd, entries
        self.cut = False

    def __iter__(self) -> Iterator[Found]:
        """Yield a directory before what is in it."""
        return self._below(self._fd, ())

    def _below(self, fd: int, where: tuple[str, ...]) -> Iterator[Found]:
        for name, kind in listed(fd):
            self._left -= 1
            if self._left < 0 or len(where) >= _DEEPEST:
                self.cut = True
                return
            if name.casefold() in _SKIPPED:
                continue
            found = Found((*where, name), kind, fd)
            yield found
            if kind == "directory":
                yield from self._inside(found)

    def _inside(self, found: Found) -> Iterator[Found]:
        try:
            fd = found.open()
        except OSError:  # gone again, or not ours to read
            return
        try:
            yield from self._below(fd, found.path)
        finally:
            os.close(fd)


def listed(fd: int) -> list[tuple[str, Kind]]:
    """Return what is in an open directory, in order of the names."""
    try:
        with os.scandir(fd) as found:
            return sorted((entry.name, _kind(entry)) for entry in found)
    except OSError:
        return []


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "directory"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
