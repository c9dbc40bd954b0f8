"""A disk on which every call can fail, be torn, or be the last one of the process."""

import errno
import os
from collections.abc import Callable
from threading import RLock
from typing import TypeVar

from outlast.system.disk import Disk, FileStat, Stamp

T = TypeVar("T")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Killed(BaseException):
    """The process is dead. No `except Exception` catches it."""


class QuickDisk(Disk):
    """The real file system without syncs, which tests of killed processes do not need."""

    def sync(self, fd: int) -> None:
        """Do nothing: the kernel survives."""

    def sync_directory(self, path: str) -> None:
        """Do nothing: the kernel survives."""


class LockTracking(Disk):
    """A mixin that tracks which open files are locked."""

    locked: set[int]

    def lock(self, fd: int) -> None:
        super().lock(fd)
        self.locked.add(fd)

    def unlock(self, fd: int) -> None:
        super().unlock(fd)
        self.locked.discard(fd)

    def close(self, fd: int) -> None:
        super().close(fd)
        self.locked.discard(fd)


def _write_nothing() -> int:
    return 0


class FaultyDisk(Disk):
    """A disk that counts its calls by kind, and fails at call number `at`.

    Without an `error` the process dies there: its files are closed and nothing else happens. With
    one, the call raises it, and with `lasting` so does every later call that needs room, until
    `heal`. `deadly` names a kind of call instead of a number; `spared` is how many of that kind
    pass first. `torn` is how many bytes of a failing write reach the file. As in a real process,
    no thread is in the middle of a call when the process dies: it would write to a descriptor that
    the next process has by then. Only `lock` waits outside the turn.
    """

    def __init__(
        self,
        inner: Disk,
        at: int = 0,
        *,
        error: BaseException | None = None,
        torn: int = 0,
        lasting: bool = False,
    ) -> None:
        self.inner = inner
        self.at = at
        self.error = error
        self.torn = torn
        self.lasting = lasting
        self.deadly = ""
        self.spared = 0
        self.struck = False
        self.dead = False
        self.calls: list[str] = []
        self.written: list[int] = []
        self.held: set[int] = set()
        self._turn = RLock()
        self._tear: Callable[[], int] = _write_nothing

    def heal(self) -> None:
        """Let every call succeed from now on."""
        self.at, self.lasting, self.deadly = 0, False, ""

    def _call(self, kind: str, call: Callable[[], T], *, writes: bool = False) -> T:
        with self._turn:
            self._count(kind, writes=writes)
            return call()

    def _count(self, kind: str, *, writes: bool = False) -> None:
        if self.dead:
            raise Killed
        self.calls.append(kind)
        self.written.append(0)
        if kind == self.deadly:
            if self.spared:
                self.spared -= 1
            else:
                self.at, self.deadly = len(self.calls), ""
        if len(self.calls) == self.at:
            self._tear()
            self._strike()
        elif self.struck and self.lasting and writes:
            self._strike()

    def _strike(self) -> None:
        self.struck = True
        if self.error is not None:
            raise self.error
        self.die()

    def die(self) -> None:
        """Kill the process: close its files, which releases its locks."""
        with self._turn:
            self.dead = True
            for fd in self.held:
                self.inner.close(fd)
            self.held.clear()
        raise Killed

    def open(self, path: str, flags: int, mode: int) -> int:
        writes = bool(flags & _WRITE_FLAGS)
        with self._turn:
            fd = self._call("open", lambda: self.inner.open(path, flags, mode), writes=writes)
            self.held.add(fd)
        return fd

    def close(self, fd: int) -> None:
        with self._turn:
            self._call("close", lambda: self.inner.close(fd))
            self.held.discard(fd)

    def stat(self, fd: int) -> FileStat:
        return self._call("stat", lambda: self.inner.stat(fd))

    def identity(self, fd: int) -> tuple[int, int]:
        return self._call("identity", lambda: self.inner.identity(fd))

    def stat_path(self, path: str) -> tuple[tuple[int, int], int]:
        return self._call("stat_path", lambda: self.inner.stat_path(path))

    def stamp(self, path: str) -> Stamp:
        return self._call("stamp", lambda: self.inner.stamp(path))

    def mode(self, file: int | str) -> int:
        return self._call("mode", lambda: self.inner.mode(file))

    def read(self, fd: int, offset: int, count: int) -> bytes:
        return self._call("read", lambda: self.inner.read(fd, offset, count))

    def write(self, fd: int, data: bytes) -> int:
        with self._turn:
            if self.torn:
                self._tear = lambda: self.inner.write(fd, data[: self.torn])
            try:
                done = self._call("write", lambda: self.inner.write(fd, data), writes=True)
            finally:
                self._tear = _write_nothing
            self.written[-1] = len(data)
        return done

    def sync(self, fd: int) -> None:
        self._call("sync", lambda: self.inner.sync(fd), writes=True)

    def truncate(self, fd: int, size: int) -> None:
        self._call("truncate", lambda: self.inner.truncate(fd, size))

    def lock(self, fd: int) -> None:
        with self._turn:
            self._count("lock")
        self.inner.lock(fd)

    def unlock(self, fd: int) -> None:
        self._call("unlock", lambda: self.inner.unlock(fd))

    def make_directory(self, path: str, mode: int) -> None:
        self._call("make_directory", lambda: self.inner.make_directory(path, mode), writes=True)

    def sync_directory(self, path: str) -> None:
        self._call("sync_directory", lambda: self.inner.sync_directory(path), writes=True)

    def rename(self, old: str, new: str) -> None:
        self._call("rename", lambda: self.inner.rename(old, new), writes=True)

    def link(self, old: str, new: str) -> None:
        self._call("link", lambda: self.inner.link(old, new), writes=True)

    def remove(self, path: str) -> None:
        self._call("remove", lambda: self.inner.remove(path))

    def list_directory(self, path: str) -> list[str]:
        return self._call("list_directory", lambda: self.inner.list_directory(path))

    # Queries that never fail

    def _ask(self, answer: T) -> T:
        if self.dead:
            raise Killed
        return answer

    def exists(self, path: str) -> bool:
        return self._ask(self.inner.exists(path))

    def is_directory(self, path: str) -> bool:
        return self._ask(self.inner.is_directory(path))

    def real_path(self, path: str) -> str:
        return self._ask(self.inner.real_path(path))

    def file_system(self, path: str) -> str:
        return self._ask(self.inner.file_system(path))

    def now_ns(self) -> int:
        return self._ask(self.inner.now_ns())

    def sleep(self, seconds: float) -> None:
        self._call("sleep", lambda: self.inner.sleep(seconds))


ERRNOS = ("ENOSPC", "EIO", "EROFS", "EDQUOT", "EACCES", "EINTR")
NEVER = ("close", "unlock")  # what they let go of is gone, whatever they say


def refusal(name: str) -> OSError:
    """Return the `OSError` with an errno's name."""
    number = getattr(errno, name)
    return OSError(number, os.strerror(number))


def sites(disk: FaultyDisk, first: int = 0) -> list[tuple[int, str]]:
    """Return the calls after the first ones that can fail, numbered from 1."""
    calls = enumerate(disk.calls[first:], 1)
    return [(number, kind) for number, kind in calls if kind not in NEVER]
