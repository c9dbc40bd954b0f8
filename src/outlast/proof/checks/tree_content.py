"""One id for what is in a directory: equal for equal content, whatever git is told about it.

The first half is the id that git gives a tree with these files, as they lie on the disk: no line
ends are converted, no filter runs. The second half, which is only there if it is needed, covers by
size, inode and times what git leaves out or what is too large to be read: what a `.gitignore`
names, large files, empty directories. Plans, our own state directory and the caches of Python tools
never count: checks change them.

Git is neither run nor asked, so nothing that a repository configures can hide an edit, or execute
something: its index (`assume-unchanged`, `skip-worktree`), `info/exclude`, `core.trustctime`,
attributes, nested repositories. A `.gitignore` only decides what is not worth reading.

The index is our own. It has the digest of each file whose size, inode and times are still the same;
only root can set a change time. It is kept in the user's state directory, and may be lost.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EINVAL
from hashlib import sha1, sha256
from stat import S_ISDIR, S_ISLNK, S_ISREG, S_IXUSR
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError
from msgspec.msgpack import Decoder, Encoder

from outlast.errors import StoreError
from outlast.system.disk import Disk, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.system.patterns import IgnoredFiles
    from outlast.system.state_home import StateHome

UNREADABLE: Final = "unreadable"
_KIND: Final = "trees"
_PLANS: Final = frozenset({".outlast", ".sessions", ".code-agent"})
_CACHES: Final = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
_LEFT_OUT: Final = _PLANS | _CACHES | {".git"}
_IGNORE_FILE: Final = ".gitignore"
_MAX_FILE_BYTES: Final = 16 << 20
_MAX_BYTES: Final = 512 << 20
_MAX_FILES: Final = 50_000
_MAX_ENTRIES: Final = 200_000
_MAX_IGNORED: Final = 20_000  # entries
_MAX_DEPTH: Final = 64
_MAX_RULES: Final = 64 << 10  # bytes of a `.gitignore`
_MAX_ALL_RULES: Final = 256 << 10  # bytes of all of them
_MAX_INDEX: Final = 64 << 20
_STABLE_AFTER: Final = 1_000_000_000  # two changes within less time may leave the same times
_UNUSED_AFTER: Final = 30 * 24 * 3_600 * 10**9
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_Stamp = tuple[int, int, int, int]  # size, inode, modified, changed
_Index = dict[bytes, tuple[_Stamp, bytes]]  # by path: the stamp and the digest of a file
_Entry = tuple[bytes, bytes, bytes]  # mode, name and digest
_DirectoryRules = tuple[int, "IgnoredFiles"]  # where the paths begin that they are about
_Rules = tuple[_DirectoryRules, ...]
_ENCODER: Final = Encoder()
_DECODER: Final = Decoder(_Index)


class TreeIndexes:
    """Where the indexes of this user are kept."""

    def __init__(
        self, home: StateHome, disk: Disk | None = None, *, most_entries: int = _MAX_ENTRIES
    ) -> None:
        """Keep them in a state directory; after so many entries, directories are not looked into.

        They count by their own times, which tell what is added, renamed or removed in them.
        """
        self._home, self._disk, self._most_entries = home, disk or Disk(), most_entries

    def content_id(self, root: str) -> str:
        """Return the id of what is in a directory."""
        root = os.path.realpath(root)
        name = sha256(os.fsencode(root)).hexdigest()
        known = self._read(name)
        own = os.path.relpath(os.path.realpath(self._home.path_of()), root)
        stable_before = self._disk.now_ns() - _STABLE_AFTER
        walk = _TreeWalk(root, known, own, stable_before, self._most_entries)
        content = walk.content_id()
        if walk.index != known and content != UNREADABLE:
            self._write(name, walk.index)
        return content

    def _read(self, name: str) -> _Index:
        """Return an index; an empty one if there is none that only the user could have written."""
        try:
            return _DECODER.decode(self._home.read_private(_KIND, name, _MAX_INDEX))
        except (StoreError, DecodeError):
            return {}

    def _write(self, name: str, index: _Index) -> None:
        with suppress(StoreError, OSError):  # the id is right without it
            self._home.make_directories(_KIND)
            write_atomically(self._disk, self._home.path_of(_KIND, name), _ENCODER.encode(index))
            self._remove_unused()

    def _remove_unused(self) -> None:
        """Remove the indexes of directories that nobody has looked at for a month."""
        directory = self._home.path_of(_KIND)
        oldest = self._disk.now_ns() - _UNUSED_AFTER
        for name in self._disk.list_directory(directory):
            with suppress(FileNotFoundError):
                if self._disk.stamp(f"{directory}/{name}")[2] < oldest:
                    self._disk.remove(f"{directory}/{name}")


class _TreeWalk:
    """One walk through a directory; `index` has the digests of the files that it has seen."""

    def __init__(
        self, root: str, known: _Index, left_out: str, stable_before: int, entries: int
    ) -> None:
        self.index: _Index = {}
        self._root, self._known, self._left_out = root, known, left_out
        self._stable_before = stable_before
        self._files = self._bytes = 0
        self._entries_left, self._rules_left = entries, _MAX_ALL_RULES
        self._others: list[bytes] = []  # lines
        self._ignored: list[str] = []

    def content_id(self) -> str:
        try:
            tree = self._tree("", (), 0)
        except OSError:  # there is no such directory
            return UNREADABLE
        self._others += self._ignored_lines()
        content = f"tree:{(tree or _digest(b'tree', b'')).hex()}"
        if not self._others:
            return content
        return f"{content}+{sha256(b''.join(sorted(self._others))).hexdigest()}"

    def _tree(self, prefix: str, rules: _Rules, depth: int) -> bytes | None:
        """Return the digest of a directory; None if git would see nothing in it."""
        with os.scandir(os.path.join(self._root, prefix)) as scan:
            found = [entry for entry in scan if entry.name not in _LEFT_OUT]
        found.sort(key=lambda entry: entry.name)
        self._entries_left -= len(found)
        if any(entry.name == _IGNORE_FILE for entry in found):
            rules = (*rules, self._read_rules(prefix))
        entries = []
        for entry in found:
            path = prefix + entry.name
            if path == self._left_out:
                continue
            if any(ignored.has(path[begin:]) for begin, ignored in rules):
                self._ignored.append(path)
                continue
            try:
                listed = self._entry(entry, path, rules, depth)
            except FileNotFoundError:  # removed meanwhile
                continue
            except OSError:
                self._others.append(_line("unreadable", path, ()))
                continue
            if listed is not None:
                entries.append(listed)
        if not entries:
            return None
        entries.sort(key=_git_order)
        lines = (b"%b %b\0%b" % each for each in entries)
        return _digest(b"tree", b"".join(lines))

    def _entry(
        self, entry: os.DirEntry[str], path: str, rules: _Rules, depth: int
    ) -> _Entry | None:
        name = os.fsencode(entry.name)
        if entry.is_dir(follow_symlinks=False):
            if depth >= _MAX_DEPTH or self._entries_left < 0:
                self._note("unread", path, entry.stat(follow_symlinks=False))
                return None
            tree = self._tree(f"{path}/", rules, depth + 1)
            if tree is None:
                self._others.append(_line("directory", path, ()))
            return None if tree is None else (b"40000", name, tree)
        status = entry.stat(follow_symlinks=False)
        if S_ISLNK(status.st_mode):
            target = os.readlink(os.path.join(self._root, path))
            return b"120000", name, _digest(b"blob", os.fsencode(target))
        self._files += 1
        self._bytes += status.st_size
        is_large = status.st_size > _MAX_FILE_BYTES or self._bytes > _MAX_BYTES
        if not S_ISREG(status.st_mode) or is_large or self._files > _MAX_FILES:
            self._note("file", path, status)
            return None
        mode = b"100755" if status.st_mode & S_IXUSR else b"100644"
        return mode, name, self._file_digest(path, status)

    def _file_digest(self, path: str, status: os.stat_result) -> bytes:
        """Return the digest of a file; read it only if it may have changed."""
        key, stamp = os.fsencode(path), _stamp(status)
        known = self._known.get(key)
        if known is not None and known[0] == stamp:
            self.index[key] = known
            return known[1]
        digest = _digest(b"blob", self._read(path, _MAX_FILE_BYTES))
        if max(status.st_mtime_ns, status.st_ctime_ns) < self._stable_before:
            self.index[key] = stamp, digest
        return digest

    def _read_rules(self, prefix: str) -> _DirectoryRules:
        from outlast.system.patterns import IgnoredFiles
        from outlast.system.workspace_root import read_small_file

        path = os.path.join(self._root, prefix, _IGNORE_FILE)
        rules = read_small_file(path, min(_MAX_RULES, self._rules_left))
        self._rules_left -= len(rules)
        return len(prefix), IgnoredFiles(rules)

    def _read(self, path: str, size: int) -> bytes:
        """Return the beginning of a file; raise `OSError` for what is none, or none any more."""
        fd = os.open(os.path.join(self._root, path), _FILE_FLAGS)
        try:
            if not S_ISREG(os.fstat(fd).st_mode):
                raise OSError(EINVAL, os.strerror(EINVAL), path)
            with open(fd, "rb", closefd=False) as file:
                return file.read(size)
        finally:
            os.close(fd)

    def _ignored_lines(self) -> Iterator[bytes]:
        """Yield a line for what is ignored; deeper directories last, and at last without a look."""
        waiting, left = self._ignored, _MAX_IGNORED
        while waiting:
            deeper = list[str]()
            for path in sorted(waiting):
                try:
                    status = os.lstat(os.path.join(self._root, path))
                    if S_ISDIR(status.st_mode) and left > 0:
                        inside = os.listdir(os.path.join(self._root, path))
                        left -= len(inside)
                        deeper += (f"{path}/{name}" for name in inside if name not in _LEFT_OUT)
                        yield _line("directory", path, ())
                    else:
                        yield _line("ignored", path, _stamp(status))
                except OSError:  # removed meanwhile, or not readable
                    yield _line("unreadable", path, ())
            waiting = deeper

    def _note(self, kind: str, path: str, status: os.stat_result) -> None:
        """Note what git does not see, or what is too large to be read."""
        self._others.append(_line(kind, path, _stamp(status)))


def _git_order(entry: _Entry) -> bytes:
    """Return what git sorts by: a directory as if its name ended with a slash."""
    mode, name, _ = entry
    return name + b"/" if mode == b"40000" else name


def _line(kind: str, path: str, stamp: Iterable[int]) -> bytes:
    numbers = " ".join(map(str, stamp))
    return b"%b\0%b\0%b\0\0" % (kind.encode(), os.fsencode(path), numbers.encode())


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _digest(kind: bytes, data: bytes) -> bytes:
    """Return the digest that git gives an object."""
    return sha1(b"%b %d\0" % (kind, len(data)) + data, usedforsecurity=False).digest()
