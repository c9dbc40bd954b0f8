"""A disk in memory with a durable and a volatile image, for power losses."""

import os
import time
from pathlib import PurePosixPath
from random import Random
from stat import S_IFREG
from typing import Any

from outlast.system.disk import Disk, FileStat, Stamp

SECTOR = 512


class Inode:
    """A file: its durable content, its visible content, and the steps since the last sync."""

    def __init__(self) -> None:
        self.durable = bytearray()
        self.content = bytearray()
        self.changes = 0
        self.pending: list[tuple[int, bytes] | int] = []
        self.written_at = self.changed_at = 0

    def do(self, step: tuple[int, bytes] | int) -> None:
        """Write at an offset, or truncate; visible at once, durable later."""
        _apply(self.content, step)
        self.changes += 1
        self.pending.append(step)

    def settle(self) -> None:
        """Make everything durable."""
        for step in self.pending:
            _apply(self.durable, step)
        self.pending.clear()


def _apply(image: bytearray, step: tuple[int, bytes] | int) -> None:
    if isinstance(step, int):
        del image[step:]
        return
    offset, data = step
    image.extend(bytes(max(0, offset - len(image))))
    image[offset : offset + len(data)] = data


class SimulatedDisk(Disk):
    """Files in memory, for one process after the other; waiting for a lock is a mistake.

    A directory that was never made has always been there. One that was made can be lost with its
    content. Without a time of its own every file is from before the machine was booted.
    """

    def __init__(self) -> None:
        self.files: dict[str, Inode] = {}  # and the directories that were made
        self._made: set[str] = set()
        self._durable: dict[str, Inode] = {}
        self._pending: list[tuple[str, Inode | None]] = []
        self._handles: dict[int, tuple[Inode, bool]] = {}
        self._locks: dict[int, int] = {}
        self._last = 2
        self.syncs = 0
        self.time_ns = 0

    # What tests do to it

    def put(self, path: str, content: bytes) -> None:
        """Add a durable file."""
        inode = Inode()
        inode.content[:] = inode.durable[:] = content
        inode.written_at = inode.changed_at = self.time_ns
        self.files[path] = self._durable[path] = inode
        self._pending = [named for named in self._pending if named[0] != path]

    def get(self, path: str) -> bytes:
        """Return the visible content of a file."""
        return bytes(self.files[path].content)

    def is_locked(self) -> bool:
        """Return whether a process holds a lock."""
        return bool(self._locks)

    def drop_dirty(self) -> None:
        """Forget the unsynced steps but keep showing them, as a kernel does after a failed sync."""
        for inode in self.files.values():
            inode.pending.clear()

    def power_cut(self, random: Random) -> None:
        """Lose what was not synced, or part of it, in any order."""
        for path, renamed in self._pending:
            if random.random() < 0.5:
                self._name(self._durable, path, renamed)
        self._pending.clear()
        for inode in dict.fromkeys((*self.files.values(), *self._durable.values())):
            image = bytearray(inode.durable)
            for kept in _survivors(inode.pending, random):
                _apply(image, kept)
            inode.durable, inode.content = image, bytearray(image)
            inode.pending.clear()
        self._durable = {path: found for path, found in self._durable.items() if self._led_to(path)}
        self.files = dict(self._durable)
        self._handles.clear()
        self._locks.clear()

    def _led_to(self, path: str) -> bool:
        """Tell whether all directories above a path are durable."""
        above = {str(parent) for parent in PurePosixPath(path).parents}
        return above & self._made <= self._durable.keys()

    @staticmethod
    def _name(names: dict[str, Inode], path: str, inode: Inode | None) -> None:
        if inode is None:
            names.pop(path, None)
        else:
            names[path] = inode

    # What a store does with it

    def open(self, path: str, flags: int, mode: int) -> int:  # noqa: ARG002 - one user here
        inode = self.files.get(path)
        if inode is None and flags & os.O_DIRECTORY and path not in self._made:
            inode = Inode()
        if inode is None:
            if not flags & os.O_CREAT:
                raise FileNotFoundError(2, "not there", path)
            inode = self._new(path)
        if flags & os.O_TRUNC:
            self._do(inode, 0)
        self._last += 1
        self._handles[self._last] = (inode, bool(flags & os.O_APPEND))
        return self._last

    def close(self, fd: int) -> None:
        inode, _ = self._handles.pop(fd)
        if self._locks.get(id(inode)) == fd:
            del self._locks[id(inode)]

    def identity(self, fd: int) -> tuple[int, int]:
        return 0, id(self._handles[fd][0])

    def stat_path(self, path: str) -> tuple[tuple[int, int], int]:
        inode = self._find(path)
        return (0, id(inode)), len(inode.content)

    def _find(self, path: str) -> Inode:
        if path not in self.files:
            raise FileNotFoundError(2, "not there", path)
        return self.files[path]

    def stamp(self, path: str) -> Stamp:
        """Return a stamp with the number of changes in place of the size."""
        inode = self._find(path)
        return id(inode), inode.changes, inode.written_at, inode.changed_at

    def stat(self, fd: int) -> FileStat:
        inode, _ = self._handles[fd]
        return int(inode in self.files.values()), len(inode.content)

    def read(self, fd: int, offset: int, count: int) -> bytes:
        if count < 0:
            raise OSError(22, "Invalid argument")
        return bytes(self._handles[fd][0].content[offset : offset + count])

    def write(self, fd: int, data: bytes) -> int:
        """Append: journals are appended to, other files are written from the start."""
        inode, _ = self._handles[fd]
        self._do(inode, (len(inode.content), data))
        return len(data)

    def _do(self, inode: Inode, step: tuple[int, bytes] | int) -> None:
        inode.do(step)
        inode.written_at = inode.changed_at = self.time_ns

    def sync(self, fd: int) -> None:
        self.syncs += 1
        self._handles[fd][0].settle()

    def truncate(self, fd: int, size: int) -> None:
        self._do(self._handles[fd][0], size)

    def lock(self, fd: int) -> None:
        inode = id(self._handles[fd][0])
        assert inode not in self._locks, "nobody would ever give this lock up"
        self._locks[inode] = fd

    def unlock(self, fd: int) -> None:
        inode = id(self._handles[fd][0])
        if self._locks.get(inode) == fd:
            del self._locks[inode]

    def _new(self, path: str) -> Inode:
        """Add a name that is not durable yet, in an existing directory."""
        parent = str(PurePosixPath(path).parent)
        if parent in self._made and parent not in self.files:
            raise FileNotFoundError(2, "not there", path)
        self.files[path] = inode = Inode()
        inode.written_at = inode.changed_at = self.time_ns
        self._pending.append((path, inode))
        return inode

    def make_directory(self, path: str, mode: int) -> None:  # noqa: ARG002 - one user here
        if path in self.files:
            raise FileExistsError(17, "there", path)
        self._new(path)
        self._made.add(path)

    def sync_directory(self, path: str) -> None:
        waiting = []
        for name, inode in self._pending:
            if str(PurePosixPath(name).parent) == path:
                self._name(self._durable, name, inode)
            else:
                waiting.append((name, inode))
        self._pending = waiting

    def rename(self, old: str, new: str) -> None:
        inode = self._find(old)
        del self.files[old]
        inode.changed_at = self.time_ns
        self.files[new] = inode
        self._pending += [(new, inode), (old, None)]

    def link(self, old: str, new: str) -> None:
        if new in self.files:
            raise FileExistsError(17, "there", new)
        self.files[new] = inode = self._find(old)
        inode.changed_at = self.time_ns
        self._pending.append((new, inode))

    def remove(self, path: str) -> None:
        self._find(path)
        del self.files[path]
        self._pending.append((path, None))

    def list_directory(self, path: str) -> list[str]:
        if path in self._made and path not in self.files:
            raise FileNotFoundError(2, "not there", path)
        found = map(PurePosixPath, self.files)
        return sorted(name.name for name in found if str(name.parent) == path)

    def mode(self, file: int | str) -> int:
        if isinstance(file, str):
            self._find(file)
        return S_IFREG | 0o600

    def exists(self, path: str) -> bool:
        return path in self.files

    def is_directory(self, path: str) -> bool:
        return path in self._made and path in self.files

    def real_path(self, path: str) -> str:
        return path

    def file_system(self, path: str) -> str:  # noqa: ARG002 - the same everywhere
        return "simulated"

    def now_ns(self) -> int:
        return self.time_ns or time.time_ns()

    def sleep(self, seconds: float) -> None:
        if self.time_ns:
            self.time_ns += round(seconds * 1e9)


def _survivors(
    steps: list[tuple[int, bytes] | int], random: Random
) -> list[tuple[int, bytes] | int]:
    """Return the steps that reach the disk: none, all, the first ones, or any sectors."""
    fate = random.choice(("none", "all", "beginning", "sectors"))
    if fate == "none":
        return []
    if fate == "all":
        return steps
    pieces = [piece for step in steps for piece in _sectors(step)]
    if fate == "beginning":
        kept = pieces[: random.randrange(len(pieces) + 1)]
        if kept and not isinstance(kept[-1], int):
            offset, data = kept[-1]
            kept[-1] = (offset, data[: random.randrange(len(data) + 1)])
        return kept
    return [piece for piece in pieces if random.random() < 0.5]


def _sectors(step: tuple[int, bytes] | int) -> list[tuple[int, bytes] | int]:
    if isinstance(step, int):
        return [step]
    offset, data = step
    bounds = [offset, *range(offset - offset % SECTOR + SECTOR, offset + len(data), SECTOR)]
    ends = [*bounds[1:], offset + len(data)]
    return [
        (begin, data[begin - offset : end - offset])
        for begin, end in zip(bounds, ends, strict=True)
    ]


class LoseAll(Random):
    """A power loss that takes everything it may."""

    def random(self) -> float:
        return 0.9

    def choice(self, seq: Any) -> Any:
        return seq[0]
