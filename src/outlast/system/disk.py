"""The one I/O seam of the stores: one method per system call, so that tests can fail each."""

from __future__ import annotations

import fcntl
import os
from typing import Final

from outlast.system.filesystems import file_system_of

FileStat = tuple[int, int]  # number of names, and size in bytes
Stamp = tuple[int, int, int, int]  # inode, size; last write and last change, in nanoseconds


def describe_error(error: Exception) -> str:
    """Return what the system says about a failed call, for the `problem` of an error."""
    return os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)


class Disk:
    """The real file system. Tests use another one in its place."""

    def open(self, path: str, flags: int, mode: int) -> int:
        """Open a file that is no symbolic link, without blocking on a pipe."""
        return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode)

    def close(self, fd: int) -> None:
        """Close a file."""
        os.close(fd)

    def stat(self, fd: int) -> FileStat:
        """Return how many names an open file has, and how many bytes."""
        status = os.fstat(fd)
        return status.st_nlink, status.st_size

    def mode(self, file: int | str) -> int:
        """Return the mode of a file; a link's own."""
        status = os.fstat(file) if isinstance(file, int) else os.lstat(file)
        return status.st_mode

    def identity(self, fd: int) -> tuple[int, int]:
        """Return the device and inode of an open file."""
        status = os.fstat(fd)
        return status.st_dev, status.st_ino

    def stat_path(self, path: str) -> tuple[tuple[int, int], int]:
        """Return the device and inode of the file with a name, and its size; a link's own."""
        status = os.stat(path, follow_symlinks=False)
        return (status.st_dev, status.st_ino), status.st_size

    def stamp(self, path: str) -> Stamp:
        """Return what changes when a file is replaced or written to; a link's own.

        Programs can set the time of the last write, but not that of the last change.
        """
        status = os.lstat(path)
        return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def read(self, fd: int, offset: int, count: int) -> bytes:
        """Read up to `count` bytes from an offset."""
        return os.pread(fd, count, offset)

    def write(self, fd: int, data: bytes) -> int:
        """Write at the file's position, or at its end if it was opened to append."""
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        """Wait until what was written survives a power loss."""
        os.fdatasync(fd)

    def truncate(self, fd: int, size: int) -> None:
        """Truncate a file to a size."""
        os.ftruncate(fd, size)

    def lock(self, fd: int) -> None:
        """Take the exclusive lock on a file; it excludes other processes and other openings."""
        fcntl.flock(fd, fcntl.LOCK_EX)

    def unlock(self, fd: int) -> None:
        """Release the lock."""
        fcntl.flock(fd, fcntl.LOCK_UN)

    def make_directory(self, path: str, mode: int) -> None:
        """Make a directory in an existing one."""
        os.mkdir(path, mode)

    def sync_directory(self, path: str) -> None:
        """Wait until the names in a directory survive a power loss."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def rename(self, old: str, new: str) -> None:
        """Rename a file over any other that has the new name."""
        os.rename(old, new)

    def link(self, old: str, new: str) -> None:
        """Give a file another name that is not taken yet."""
        os.link(old, new, follow_symlinks=False)

    def remove(self, path: str) -> None:
        """Remove a file."""
        os.unlink(path)

    def list_directory(self, path: str) -> list[str]:
        """Return the names in a directory, sorted."""
        return sorted(os.listdir(path))

    def exists(self, path: str) -> bool:
        """Return whether anything has this path, even a broken link."""
        return os.path.lexists(path)

    def is_directory(self, path: str) -> bool:
        """Return whether a path leads to a directory."""
        return os.path.isdir(path)

    def real_path(self, path: str) -> str:
        """Return a path without symbolic links."""
        return os.path.realpath(path)

    def file_system(self, path: str) -> str:
        """Return the type of the file system that a path is on."""
        return file_system_of(path)

    def process_id(self) -> int:
        """Return the process id, for names that no other process uses."""
        return os.getpid()


DISK: Final = Disk()  # one object, by which the stores of one database find each other
