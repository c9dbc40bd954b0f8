"""What the files that some patterns name look like, in one short text.

`*` and `?` stand for parts of a name, `**` for any directories, and a directory for all that is
below it. Names count, what is in the files and whether they can be run; of a link, where it points
to, and what is there if that is in the workspace. What is too large to be read counts by its size
and time, and the digest says that it is `partial`. Plans are left out, and unless a pattern names
them, the history of git and what Python compiles: they change with every step, or when a check is
run.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from hashlib import file_digest, sha256
from stat import S_ISDIR, S_ISREG, S_IXUSR
from time import time_ns
from typing import TYPE_CHECKING, Final

from outlast.adapters.checks.inside import DIRECTORY, open_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.adapters.checks.inside import Inside

_PLANS: Final = frozenset({".outlast", ".sessions", ".code-agent"})
_NOT_UNNAMED: Final = frozenset({".git", "__pycache__"})
_MAGIC: Final = frozenset("*?[")
_ANY: Final = "**"
_FILE_BYTES: Final = 64 * 1024 * 1024
_ALL_BYTES: Final = 512 * 1024 * 1024
_FILES: Final = 50_000
_ENTRIES: Final = 500_000
_DEEPEST: Final = 64
_SETTLED: Final = 1_000_000_000  # nanoseconds: a file changed twice within less may look the same

Line = tuple[bytes, ...]
States = frozenset[tuple[int, int]]  # which pattern, and how many of its parts are behind us


class Digests:
    """Digests of the files below one directory."""

    def __init__(self, inside: Inside) -> None:
        """Look below a directory."""
        self._inside = inside
        self._known: dict[tuple[int, ...], bytes] = {}

    def of(self, patterns: Sequence[str]) -> str:
        """Return the digest of all files that the patterns name; nothing without patterns."""
        if not patterns:
            return ""
        try:
            return _Survey(self._inside, patterns, self._known).digest()
        except OSError:  # there is no workspace
            return "unreadable"


class _Survey:
    """One walk through the directory."""

    def __init__(
        self, inside: Inside, patterns: Sequence[str], known: dict[tuple[int, ...], bytes]
    ) -> None:
        self._inside, self._known = inside, known
        self._told = sorted(set(patterns))
        self._patterns = [parts for pattern in self._told for parts in _spelled(pattern)]
        self._partial = False
        self._bytes = self._files = self._entries = 0
        self._followed: set[tuple[int, int]] = set()

    def digest(self) -> str:
        seen = sha256()
        begun = frozenset((pattern, 0) for pattern in range(len(self._patterns)))
        for pattern in self._told:
            seen.update(b"pattern\0" + os.fsencode(pattern) + b"\0\0")
        root = os.open(self._inside.root, DIRECTORY)
        try:
            for line in self._below(root, b"", self._ahead(begun), 0):
                seen.update(b"\0".join(line) + b"\0\0")
        finally:
            os.close(root)
        return f"{'partial' if self._partial else 'sha256'}:{seen.hexdigest()}"

    def _below(self, fd: int, where: bytes, states: States, depth: int) -> Iterator[Line]:
        """Yield a line for each match in an open directory and below it, in order."""
        with os.scandir(fd) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
        self._entries += len(entries)
        if depth > _DEEPEST or self._entries > _ENTRIES:
            self._partial = True
            return
        for entry in entries:
            ahead = self._ahead(self._past(states, entry.name))
            if ahead and entry.name not in _PLANS:
                path = where + os.fsencode(entry.name)
                try:
                    yield from self._entry(fd, entry, path, ahead, depth)
                except OSError:  # gone again, or not ours to read
                    yield b"unreadable", path

    def _entry(
        self, fd: int, entry: os.DirEntry[str], path: bytes, ahead: States, depth: int
    ) -> Iterator[Line]:
        matches = any(place == len(self._patterns[which]) for which, place in ahead)
        if entry.is_symlink():
            yield b"link", path, os.fsencode(os.readlink(entry.name, dir_fd=fd))
            yield from self._behind(path, ahead, depth, matches=matches)
        elif entry.is_dir(follow_symlinks=False):
            if matches:
                yield b"directory", path
            inner = open_in(fd, entry.name, DIRECTORY)
            try:
                yield from self._below(inner, path + b"/", ahead, depth + 1)
            finally:
                os.close(inner)
        elif matches and entry.is_file(follow_symlinks=False):
            inner = open_in(fd, entry.name)
            try:
                yield self._file(inner, os.fstat(inner), path)
            finally:
                os.close(inner)
        elif matches:
            yield b"other", path

    def _behind(self, path: bytes, ahead: States, depth: int, *, matches: bool) -> Iterator[Line]:
        """Yield lines for what a link leads to in the workspace; each directory but once."""
        found = self._inside.find(os.fsdecode(path))
        if found is None or not _PLANS.isdisjoint(found.split(os.sep)):
            return
        fd = self._inside.open(found)
        try:
            status = os.fstat(fd)
            place = status.st_dev, status.st_ino
            if S_ISREG(status.st_mode) and matches:
                yield self._file(fd, status, path)
            elif S_ISDIR(status.st_mode) and place not in self._followed:
                self._followed.add(place)
                yield from self._below(fd, path + b"/", ahead, depth + 1)
        finally:
            os.close(fd)

    def _file(self, fd: int, found: os.stat_result, path: bytes) -> Line:
        kind = b"program" if found.st_mode & S_IXUSR else b"file"
        self._bytes += found.st_size
        self._files += 1
        if found.st_size > _FILE_BYTES or self._bytes > _ALL_BYTES or self._files > _FILES:
            self._partial = True
            return kind, path, f"{found.st_size} {found.st_mtime_ns}".encode()
        return kind, path, self._content(fd, found)

    def _content(self, fd: int, found: os.stat_result) -> bytes:
        """Return the digest of a file, which is read once as long as it stays as it is."""
        times = found.st_mtime_ns, found.st_ctime_ns
        key = (found.st_dev, found.st_ino, found.st_size, *times)
        known = self._known.get(key)
        if known is None:
            with open(fd, "rb", closefd=False) as file:
                known = file_digest(file, "sha256").digest()
            if max(times) < time_ns() - _SETTLED:
                self._known[key] = known
        return known.hex().encode()

    def _past(self, states: States, name: str) -> States:
        """Return where the patterns are once a name is behind us."""
        return frozenset(
            (which, place if part == _ANY else place + 1)
            for which, place in states
            if place < len(self._patterns[which])
            and _fits(name, part := self._patterns[which][place])
        )

    def _ahead(self, states: States) -> States:
        """Return these places and those behind a `**`, which may stand for nothing."""
        found = set(states)
        for which, place in states:
            parts, further = self._patterns[which], place
            while further < len(parts) and parts[further] == _ANY:
                further += 1
                found.add((which, further))
        return frozenset(found)


def _fits(name: str, part: str) -> bool:
    if name in _NOT_UNNAMED:
        return name == part
    return part == _ANY or fnmatchcase(name, part)


def literal(path: str) -> str:
    """Return the pattern that names just this path."""
    return "".join(f"[{c}]" if c in _MAGIC else c for c in path)


def _spelled(pattern: str) -> list[tuple[str, ...]]:
    """Return a pattern as names; one that ends in a plain name may mean a directory as well.

    What leads out of the workspace names nothing.
    """
    names = [part for part in pattern.split("/") if part not in ("", ".")]
    parts = tuple(
        name
        for place, name in enumerate(names)
        if name != _ANY or names[place - 1 : place] != [_ANY]  # once is as good as twice
    )
    if pattern.startswith("/") or ".." in parts or not parts:
        return []
    if _MAGIC & set(parts[-1]) and not pattern.endswith("/"):
        return [parts]
    return [parts, (*parts, _ANY)]
