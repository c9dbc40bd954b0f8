"""Every call that a store makes to the file system, one method each, so that each can fail."""

from __future__ import annotations

import fcntl
import os

from outlast.system.filesystems import kind

Look = tuple[int, int]  # how many names a file has, and how many bytes
Stamp = tuple[int, int, int]  # which file, how many bytes, and when it was written last, in ns


class Disk:
    """The real file system. Tests put another one in its place."""

    def open(self, path: str, flags: int, mode: int) -> int:
        """Open a file that is no link, and do not wait for anybody to do so too."""
        return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode)

    def close(self, fd: int) -> None:
        """Close a file."""
        os.close(fd)

    def look(self, fd: int) -> Look:
        """Return how many names a file still has, and how many bytes."""
        found = os.fstat(fd)
        return found.st_nlink, found.st_size

    def mode(self, file: int | str) -> int:
        """Return what kind of file this is and who may use it how; a link is looked at itself."""
        found = os.fstat(file) if isinstance(file, int) else os.lstat(file)
        return found.st_mode

    def identity(self, fd: int) -> tuple[int, int]:
        """Return what tells an open file from all others."""
        found = os.fstat(fd)
        return found.st_dev, found.st_ino

    def find(self, path: str) -> tuple[tuple[int, int], int]:
        """Return the identity of the file that has a name now, and how many bytes it has."""
        found = os.stat(path, follow_symlinks=False)
        return (found.st_dev, found.st_ino), found.st_size

    def stamp(self, path: str) -> Stamp:
        """Return what changes when a file is replaced or written to; a link is looked at itself."""
        found = os.lstat(path)
        return found.st_ino, found.st_size, found.st_mtime_ns

    def read(self, fd: int, offset: int, count: int) -> bytes:
        """Read up to so many bytes from an offset on."""
        return os.pread(fd, count, offset)

    def write(self, fd: int, data: bytes) -> int:
        """Write at the file's position, at its end if it was opened to append."""
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        """Wait until what was written would survive a power cut."""
        os.fdatasync(fd)

    def truncate(self, fd: int, size: int) -> None:
        """Cut a file."""
        os.ftruncate(fd, size)

    def lock(self, fd: int) -> None:
        """Wait until nobody else, in this process or another, has locked the file."""
        fcntl.flock(fd, fcntl.LOCK_EX)

    def unlock(self, fd: int) -> None:
        """Let the next one have the file."""
        fcntl.flock(fd, fcntl.LOCK_UN)

    def make_directory(self, path: str, mode: int) -> None:
        """Make a directory; its parent must exist and it must not."""
        os.mkdir(path, mode)

    def sync_directory(self, path: str) -> None:
        """Wait until the names in a directory would survive a power cut."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, replacing what had it."""
        os.rename(old, new)

    def link(self, old: str, new: str) -> None:
        """Give a file a further name, which nothing may have yet."""
        os.link(old, new, follow_symlinks=False)

    def remove(self, path: str) -> None:
        """Remove a file."""
        os.unlink(path)

    def names(self, path: str) -> list[str]:
        """List a directory."""
        return sorted(os.listdir(path))

    def has(self, path: str) -> bool:
        """Tell whether something is there, be it a link that leads nowhere."""
        return os.path.lexists(path)

    def is_directory(self, path: str) -> bool:
        """Tell whether a path leads to a directory."""
        return os.path.isdir(path)

    def real(self, path: str) -> str:
        """Return a path without links in it."""
        return os.path.realpath(path)

    def file_system(self, path: str) -> str:
        """Return what kind of file system a path is on."""
        return kind(path)

    def process(self) -> int:
        """Return which process this is, for names that no other process gives."""
        return os.getpid()
