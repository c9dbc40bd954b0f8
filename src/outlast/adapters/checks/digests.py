"""Digest the files that match some patterns.

`*` and `?` match parts of a name, `**` matches any directories, and a directory matches everything
below it. The digest covers names, contents and the executable bit. A link counts by its target
path, and by the target's content if that is inside the workspace. A file that is too large counts
by size and time, and the digest is then marked `partial`. Plan files never count. `.git` and
`__pycache__` count only if a pattern names them, because checks change them.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from hashlib import file_digest, sha256
from stat import S_ISDIR, S_ISREG, S_IXUSR
from time import time_ns
from typing import TYPE_CHECKING, Final

from outlast.adapters.checks.workspace_files import DIRECTORY_FLAGS, open_at
from outlast.formats.patterns import path_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.adapters.checks.workspace_files import WorkspaceFiles

_PLANS: Final = frozenset({".outlast", ".sessions", ".code-agent"})
_ONLY_IF_NAMED: Final = frozenset({".git", "__pycache__"})
_MAGIC: Final = frozenset("*?[")
_ANY: Final = "**"
_MAX_FILE_BYTES: Final = 64 * 1024 * 1024
_MAX_BYTES: Final = 512 * 1024 * 1024
_MAX_FILES: Final = 50_000
_MAX_ENTRIES: Final = 500_000
_MAX_DEPTH: Final = 64
# Nanoseconds. Two changes within less time may leave the same timestamps.
_STABLE_AFTER: Final = 1_000_000_000

Line = tuple[bytes, ...]
States = frozenset[tuple[int, int]]  # (pattern index, number of matched parts)


class FileDigests:
    """Computes digests below one directory and caches those of unchanged files."""

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._cache: dict[tuple[int, ...], bytes] = {}

    def compute(self, patterns: Sequence[str]) -> str:
        """Return the digest of all matching files, or an empty text without patterns."""
        if not patterns:
            return ""
        try:
            return _DigestWalk(self._files, patterns, self._cache).digest()
        except OSError:  # the workspace directory is missing
            return "unreadable"


class _DigestWalk:
    """One walk through the directory that matches all patterns at once."""

    def __init__(
        self, files: WorkspaceFiles, patterns: Sequence[str], cache: dict[tuple[int, ...], bytes]
    ) -> None:
        self._files, self._cache = files, cache
        self._pattern_texts = sorted(set(patterns))
        self._pattern_parts = [
            parts for pattern in self._pattern_texts for parts in _split_pattern(pattern)
        ]
        self._partial = False
        self._byte_count = self._file_count = self._entry_count = 0
        self._visited_links: set[tuple[int, int]] = set()

    def digest(self) -> str:
        hasher = sha256()
        start = frozenset((pattern, 0) for pattern in range(len(self._pattern_parts)))
        for pattern in self._pattern_texts:
            hasher.update(b"pattern\0" + os.fsencode(pattern) + b"\0\0")
        root = os.open(self._files.root, DIRECTORY_FLAGS)
        try:
            for line in self._walk(root, b"", self._expand(start), 0):
                hasher.update(b"\0".join(line) + b"\0\0")
        finally:
            os.close(root)
        return f"{'partial' if self._partial else 'sha256'}:{hasher.hexdigest()}"

    def _walk(self, fd: int, prefix: bytes, states: States, depth: int) -> Iterator[Line]:
        """Yield one line per match in and below an open directory, sorted by name."""
        with os.scandir(fd) as scan:
            entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        self._entry_count += len(entries)
        if depth > _MAX_DEPTH or self._entry_count > _MAX_ENTRIES:
            self._partial = True
            return
        for entry in entries:
            ahead = self._expand(self._advance(states, entry.name))
            if ahead and entry.name not in _PLANS:
                path = prefix + os.fsencode(entry.name)
                try:
                    yield from self._entry_lines(fd, entry, path, ahead, depth)
                except OSError:  # removed meanwhile, or not readable
                    yield b"unreadable", path

    def _entry_lines(
        self, fd: int, entry: os.DirEntry[str], path: bytes, ahead: States, depth: int
    ) -> Iterator[Line]:
        matches = any(position == len(self._pattern_parts[pattern]) for pattern, position in ahead)
        if entry.is_symlink():
            yield b"link", path, os.fsencode(os.readlink(entry.name, dir_fd=fd))
            yield from self._link_target_lines(path, ahead, depth, matches=matches)
        elif entry.is_dir(follow_symlinks=False):
            if matches:
                yield b"directory", path
            inner = open_at(fd, entry.name, DIRECTORY_FLAGS)
            try:
                yield from self._walk(inner, path + b"/", ahead, depth + 1)
            finally:
                os.close(inner)
        elif matches and entry.is_file(follow_symlinks=False):
            inner = open_at(fd, entry.name)
            try:
                yield self._file_line(inner, os.fstat(inner), path)
            finally:
                os.close(inner)
        elif matches:
            yield b"other", path

    def _link_target_lines(
        self, path: bytes, ahead: States, depth: int, *, matches: bool
    ) -> Iterator[Line]:
        """Yield lines for a link target inside the workspace; visit each directory once."""
        target = self._files.resolve(os.fsdecode(path))
        if target is None or not _PLANS.isdisjoint(target.split(os.sep)):
            return
        fd = self._files.open(target)
        try:
            status = os.fstat(fd)
            inode = status.st_dev, status.st_ino
            if S_ISREG(status.st_mode) and matches:
                yield self._file_line(fd, status, path)
            elif S_ISDIR(status.st_mode) and inode not in self._visited_links:
                self._visited_links.add(inode)
                yield from self._walk(fd, path + b"/", ahead, depth + 1)
        finally:
            os.close(fd)

    def _file_line(self, fd: int, status: os.stat_result, path: bytes) -> Line:
        kind = b"program" if status.st_mode & S_IXUSR else b"file"
        self._byte_count += status.st_size
        self._file_count += 1
        if (
            status.st_size > _MAX_FILE_BYTES
            or self._byte_count > _MAX_BYTES
            or self._file_count > _MAX_FILES
        ):
            self._partial = True
            return kind, path, f"{status.st_size} {status.st_mtime_ns}".encode()
        return kind, path, self._content_digest(fd, status)

    def _content_digest(self, fd: int, status: os.stat_result) -> bytes:
        """Return the digest of a file; read it only once while its status is unchanged."""
        times = status.st_mtime_ns, status.st_ctime_ns
        key = (status.st_dev, status.st_ino, status.st_size, *times)
        digest = self._cache.get(key)
        if digest is None:
            with open(fd, "rb", closefd=False) as file:
                digest = file_digest(file, "sha256").digest()
            if max(times) < time_ns() - _STABLE_AFTER:
                self._cache[key] = digest
        return digest.hex().encode()

    def _advance(self, states: States, name: str) -> States:
        """Return the pattern positions after matching one more name."""
        return frozenset(
            (pattern, position if part == _ANY else position + 1)
            for pattern, position in states
            if position < len(self._pattern_parts[pattern])
            and _is_match(name, part := self._pattern_parts[pattern][position])
        )

    def _expand(self, states: States) -> States:
        """Add the positions after a `**`, which may match nothing."""
        expanded = set(states)
        for pattern, position in states:
            parts, following = self._pattern_parts[pattern], position
            while following < len(parts) and parts[following] == _ANY:
                following += 1
                expanded.add((pattern, following))
        return frozenset(expanded)


def _is_match(name: str, part: str) -> bool:
    if name in _ONLY_IF_NAMED:
        return name == part
    return part == _ANY or fnmatchcase(name, part)


def escape_pattern(path: str) -> str:
    """Return the pattern that matches only this path."""
    return "".join(f"[{c}]" if c in _MAGIC else c for c in path)


def _split_pattern(pattern: str) -> list[tuple[str, ...]]:
    """Split a pattern into names.

    A pattern that ends in a plain name also matches everything below that directory. A pattern that
    leads out of the workspace matches nothing.
    """
    names = path_names(pattern)
    parts = tuple(
        name
        for position, name in enumerate(names)
        if name != _ANY or names[position - 1 : position] != (_ANY,)  # `**/**` equals `**`
    )
    if pattern.startswith("/") or ".." in parts or not parts:
        return []
    if _MAGIC & set(parts[-1]) and not pattern.endswith("/"):
        return [parts]
    return [parts, (*parts, _ANY)]
