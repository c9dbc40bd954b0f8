"""Walk a directory in sorted order, without following links.

The directories of plans are left out, unless the walk starts in one: then of its files only the
views are shown.

Only the standard library is imported, because `search` runs this in a separate process.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAN_DIRECTORIES: Final = (".outlast", ".code-agent", ".sessions")  # changed only by commands
VIEWS: Final = ("task_plan.md", "findings.md", "errors.md", "deliverable.md", "plan.json")
_SKIPPED: Final = (*PLAN_DIRECTORIES, ".git")
_MAX_ENTRIES: Final = 100_000
_MAX_DEPTH: Final = 64
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

Kind = Literal["file", "directory", "link", "other"]


class Entry(NamedTuple):
    """An entry of an open directory; `path` is relative to the start of the walk."""

    path: tuple[str, ...]
    kind: Kind
    directory: int

    def open(self) -> int:
        """Open the entry; refuse links and never block."""
        return os.open(self.path[-1], _FILE_FLAGS, dir_fd=self.directory)


class Walk:
    """All entries below an open directory; `is_truncated` says that there were too many."""

    def __init__(self, fd: int, entries: int = _MAX_ENTRIES, *, in_plans: bool = False) -> None:
        """Take an open directory, a limit of entries, and whether it is one of plans."""
        self._fd, self._entries_left, self._in_plans = fd, entries, in_plans
        self.is_truncated = False

    def __iter__(self) -> Iterator[Entry]:
        """Yield each directory before its entries."""
        return self._walk(self._fd, ())

    def _walk(self, fd: int, prefix: tuple[str, ...]) -> Iterator[Entry]:
        for name, kind in list_entries(fd):
            self._entries_left -= 1
            if self._entries_left < 0 or len(prefix) >= _MAX_DEPTH:
                self.is_truncated = True
                return
            if is_hidden(name, kind, in_plans=self._in_plans):
                continue
            entry = Entry((*prefix, name), kind, fd)
            yield entry
            if kind == "directory":
                yield from self._walk_directory(entry)

    def _walk_directory(self, entry: Entry) -> Iterator[Entry]:
        try:
            fd = entry.open()
        except OSError:  # removed meanwhile, or not readable
            return
        try:
            yield from self._walk(fd, entry.path)
        finally:
            os.close(fd)


def is_hidden(name: str, kind: Kind, *, in_plans: bool) -> bool:
    """Return whether tools do not show an entry of a directory."""
    if in_plans:
        return kind != "directory" and (kind != "file" or name not in VIEWS)
    return name.casefold() in _SKIPPED


def list_entries(fd: int) -> list[tuple[str, Kind]]:
    """Return names and kinds in an open directory, sorted by name."""
    try:
        with os.scandir(fd) as scan:
            return sorted((entry.name, _kind(entry)) for entry in scan)
    except OSError:
        return []


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "directory"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
