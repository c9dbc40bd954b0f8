"""The files of a workspace: opened without following a path or link out of it, and digested.

Patterns choose what is digested: `*` and `?` match parts of a name, `**` matches any directories,
and a directory matches everything below it. The digest covers names, contents and the executable
bit. A link counts by its target path, and by the target's content if that is inside the workspace.
A file that is too large counts by size, inode and change time, and the digest is then marked
`partial`. Plan files never count. `.git` and `__pycache__` count only if a pattern names them,
because checks change them.

A file that is exchanged and put back has its old content and a new inode or change time (ctime),
which only root can set: `Observation.is_untouched_since` compares these.
"""

from __future__ import annotations

import os
from hashlib import file_digest, sha256
from stat import S_ISDIR, S_ISREG, S_IXUSR
from time import sleep, time_ns
from typing import TYPE_CHECKING, Final, NamedTuple

from outlast.system.disk import descend
from outlast.system.patterns import first_positions, next_positions, path_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_DIRECTORY_FLAGS: Final = _FILE_FLAGS | os.O_DIRECTORY
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
_TICK: Final = 20_000_000  # nanoseconds: file systems keep times no finer than about 4 ms
_WAITS: Final = 10

Line = tuple[bytes, ...]
Positions = tuple[frozenset[int], ...]  # in each pattern: where the next part may stand


class WorkspaceFiles:
    """The files below one directory. A link is followed only if it stays inside."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)

    def resolve(self, path: str) -> str | None:
        """Return the real path relative to the root; None if it is outside."""
        joined = os.path.join(self.root, path)
        try:
            real = os.path.realpath(joined)
        except ValueError:  # a NUL character
            return None
        except OSError:  # a link was swapped meanwhile; `open` refuses it
            real = os.path.normpath(joined)
        relative = os.path.relpath(real, self.root)
        return (
            None if relative == os.pardir or relative.startswith(os.pardir + os.sep) else relative
        )

    def open(self, relative: str) -> int:
        """Open a path that `resolve` returned, without following a link."""
        parts = [part for part in relative.split(os.sep) if part != os.curdir]
        root = os.open(self.root, _DIRECTORY_FLAGS)
        parent = descend(root, parts[:-1], _open_directory_at, os.close)
        return descend(parent, parts[-1:], _open_at, os.close)


def _open_directory_at(directory: int, name: str) -> int:
    return _open_at(directory, name, _DIRECTORY_FLAGS)


def _open_at(directory: int, name: str, flags: int = _FILE_FLAGS) -> int:
    """Open a name in an open directory; refuse links and never block."""
    return os.open(name, flags, dir_fd=directory)


class Identity(NamedTuple):
    """What tells a file from another one that took its place."""

    device: int
    inode: int
    changed: int
    modified: int
    is_directory: bool

    def is_untouched_since(self, before: Identity) -> bool:
        """Return whether a file is the same and was not changed.

        A new entry in a directory is no change of the directory: it modifies it as well.
        """
        is_same = (self.device, self.inode) == (before.device, before.inode)
        if self.is_directory:
            return is_same and (self.changed == before.changed or self.modified != before.modified)
        return is_same and self.changed == before.changed


class Observation(NamedTuple):
    """The digest of some files, and which files they were."""

    digest: str
    identities: dict[bytes, Identity]

    def is_untouched_since(self, before: Observation) -> bool:
        """Return whether no file was changed or exchanged, not even for a moment."""
        return self.digest == before.digest and all(
            identity.is_untouched_since(before.identities[path])
            for path, identity in self.identities.items()
            if path in before.identities
        )

    def newest_change(self) -> int:
        """Return the newest change time in nanoseconds."""
        return max((identity.changed for identity in self.identities.values()), default=0)


class FileDigests:
    """Computes digests below one directory and caches those of unchanged files."""

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._cache: dict[tuple[int, ...], bytes] = {}

    def compute(self, patterns: Sequence[str]) -> str:
        """Return the digest of all matching files, or an empty text without patterns."""
        return self.observe(patterns).digest

    def observe(self, patterns: Sequence[str]) -> Observation:
        """Return the digest of all matching files with their identities."""
        if not patterns:
            return Observation("", {})
        try:
            return _DigestWalk(self._files, patterns, self._cache).observe()
        except OSError:  # the workspace directory is missing
            return Observation("unreadable", {})

    def observe_settled(self, patterns: Sequence[str]) -> Observation:
        """Observe files, and wait until a change from now on gives them another time."""
        for _ in range(_WAITS):
            observation = self.observe(patterns)
            if observation.newest_change() < time_ns() - _TICK:
                break
            sleep(_TICK / 1e9)
        return observation


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
        self._identities: dict[bytes, Identity] = {}

    def observe(self) -> Observation:
        hasher = sha256()
        start = tuple(map(first_positions, self._pattern_parts))
        for pattern in self._pattern_texts:
            hasher.update(b"pattern\0" + os.fsencode(pattern) + b"\0\0")
        root = os.open(self._files.root, _DIRECTORY_FLAGS)
        try:
            self._identify(b"", os.fstat(root))
            for line in self._walk(root, b"", start, 0):
                hasher.update(b"\0".join(line) + b"\0\0")
        finally:
            os.close(root)
        digest = f"{'partial' if self._partial else 'sha256'}:{hasher.hexdigest()}"
        return Observation(digest, self._identities)

    def _walk(self, fd: int, prefix: bytes, positions: Positions, depth: int) -> Iterator[Line]:
        """Yield one line per match in and below an open directory, sorted by name."""
        with os.scandir(fd) as scan:
            entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        self._entry_count += len(entries)
        if depth > _MAX_DEPTH or self._entry_count > _MAX_ENTRIES:
            self._partial = True
            return
        for entry in entries:
            ahead = self._advance(positions, entry.name)
            if any(ahead) and entry.name not in _PLANS:
                path = prefix + os.fsencode(entry.name)
                try:
                    yield from self._entry_lines(fd, entry, path, ahead, depth)
                except OSError:  # removed meanwhile, or not readable
                    yield b"unreadable", path

    def _entry_lines(
        self, fd: int, entry: os.DirEntry[str], path: bytes, ahead: Positions, depth: int
    ) -> Iterator[Line]:
        matches = any(
            len(parts) in reached for parts, reached in zip(self._pattern_parts, ahead, strict=True)
        )
        if entry.is_symlink():
            self._identify(path + b"\0link", entry.stat(follow_symlinks=False))
            yield b"link", path, os.fsencode(os.readlink(entry.name, dir_fd=fd))
            yield from self._link_target_lines(path, ahead, depth, matches=matches)
        elif entry.is_dir(follow_symlinks=False):
            if matches:
                yield b"directory", path
            inner = _open_at(fd, entry.name, _DIRECTORY_FLAGS)
            try:
                self._identify(path, os.fstat(inner))
                yield from self._walk(inner, path + b"/", ahead, depth + 1)
            finally:
                os.close(inner)
        elif matches and entry.is_file(follow_symlinks=False):
            inner = _open_at(fd, entry.name)
            try:
                yield self._file_line(inner, os.fstat(inner), path)
            finally:
                os.close(inner)
        elif matches:
            yield b"other", path

    def _link_target_lines(
        self, path: bytes, ahead: Positions, depth: int, *, matches: bool
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
                self._identify(path, status)
                yield from self._walk(fd, path + b"/", ahead, depth + 1)
        finally:
            os.close(fd)

    def _file_line(self, fd: int, status: os.stat_result, path: bytes) -> Line:
        self._identify(path, status)
        kind = b"program" if status.st_mode & S_IXUSR else b"file"
        self._byte_count += status.st_size
        self._file_count += 1
        if (
            status.st_size > _MAX_FILE_BYTES
            or self._byte_count > _MAX_BYTES
            or self._file_count > _MAX_FILES
        ):
            self._partial = True
            identity = f"{status.st_size} {status.st_ino} {status.st_ctime_ns}"
            return kind, path, identity.encode()
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

    def _identify(self, path: bytes, status: os.stat_result) -> None:
        times = status.st_ctime_ns, status.st_mtime_ns
        is_directory = S_ISDIR(status.st_mode)
        self._identities[path] = Identity(status.st_dev, status.st_ino, *times, is_directory)

    def _advance(self, positions: Positions, name: str) -> Positions:
        exactly = name in _ONLY_IF_NAMED
        return tuple(
            next_positions(reached, name, parts, exactly=exactly)
            for parts, reached in zip(self._pattern_parts, positions, strict=True)
        )


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
