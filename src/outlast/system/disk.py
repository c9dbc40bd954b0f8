"""The one I/O seam of the stores: one method per system call, so that tests can fail each.

Below it: whole files, which are written atomically, and file systems on which a plan is not safe.

A lock may be held forever: by a process that was stopped, or by any process that can read the file.
So no call blocks in the kernel. A `LockWait` polls, reports the holder after two seconds, and ends
in `LockTimeout`.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from _thread import get_ident
from contextlib import suppress
from errno import EMLINK, ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.errors import InvalidDocument, LockTimeout, UnsuitableFileSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOUNTS: Final = "/proc/self/mountinfo"
_ESCAPE: Final = r"\\([0-7]{3})"
_MOUNT_POINT: Final = 4
# A plan needs locks that every writer sees, and a sync that is one. Network file systems, and what
# a virtual machine shares with its host, promise neither: two machines could get the same lock.
# virtiofs is allowed on purpose: it is the root of many containers, all processes of one guest see
# each other's locks there, and the guest asks the host to sync.
UNSUITABLE: Final = frozenset(
    {
        # between machines
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "ceph", "davfs"),
        *("glusterfs", "lustre", "beegfs", "orangefs", "pvfs2"),
        # between a virtual machine and its host
        *("9p", "vboxsf", "prl_fs", "vmhgfs", "fuse.vmhgfs-fuse"),
        # between machines, by a program
        *("fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.gcsfuse"),
        *("fuse.goofys", "fuse.blobfuse", "fuse.blobfuse2", "fuse.ceph", "fuse.ceph-fuse"),
        *("fuse.curlftpfs", "fuse.davfs", "fuse.davfs2", "fuse.gvfsd-fuse", "fuse.mfs"),
        *("fuse.smbnetfs", "fuse.afpfs", "fuse.fuse_dfs", "fuse.s3ql", "fuse.s3backer"),
        *("fuse.seaweedfs", "fuse.google-drive-ocamlfuse", "fuse.onedriver", "fuse.nfs"),
    }
)
FileStat = tuple[int, int]  # number of names, and size in bytes
Stamp = tuple[int, int, int, int]  # inode, size; last write and last change, in nanoseconds
_MAX_BYTES: Final = 64 << 20  # of a file that others may have written
LOCK_SECONDS: Final = 60.0  # other processes hold a lock for milliseconds
BRIEF: Final = 0.2  # seconds to wait for work that can be left undone: snapshots, views
_REPORT_SECONDS: Final = 2.0
_SHORTEST_PAUSE: Final = 0.0002  # a commit holds the lock for about as long
_LONGEST_PAUSE: Final = 0.002
_LATE_PAUSE: Final = 0.05  # after the holder was reported
_NO_LOCKS: Final = frozenset({ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP})
T = TypeVar("T")
TEMPORARY: Final = ".new"
PRIVATE: Final = 0o600
SHARED: Final = 0o666  # minus the umask
_NO_LINKS: Final = (EPERM, ENOSYS, ENOTSUP, EMLINK)


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

    def set_mode(self, path: str, mode: int) -> None:
        """Set the mode of a file."""
        os.chmod(path, mode)

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
        """Take the exclusive lock on a file, also against other openings in this process.

        Raises `BlockingIOError` if it is held; `take_lock` and `LockWait` wait for it.
        """
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

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

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""
        os.rmdir(path)

    def set_modified_ns(self, path: str, moment: int) -> None:
        """Set the time of the last write to a file."""
        os.utime(path, ns=(moment, moment))

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

    def now_ns(self) -> int:
        """Return the time in nanoseconds, as in the stamps of files."""
        return time.time_ns()

    def monotonic(self) -> float:
        """Return seconds since some moment, to measure a wait."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait, such as for a program that is still writing a file."""
        time.sleep(seconds)

    def lock_seconds(self) -> float:
        """Return how long to wait for a lock that another process holds."""
        return LOCK_SECONDS

    def report(self, notice: tuple[str, dict[str, object]]) -> None:
        """Report at once why a call takes so long; this disk has nobody to report to."""

    def process_id(self) -> int:
        """Return the process id, for names that no other process uses."""
        return os.getpid()


class LockHeld(Exception):
    """Another process holds the lock on one of these `files`; `where` names the plan."""

    def __init__(self, where: str, *files: str) -> None:
        super().__init__(where)
        self.where, self.files = where, files or (where,)


def take_lock(disk: Disk, fd: int, path: str) -> None:
    """Take the lock on an open file; wait for its holder, at last raise `LockTimeout`."""
    wait = LockWait(disk)
    while True:
        try:
            return disk.lock(fd)
        except BlockingIOError:
            wait.pause(LockHeld(path))
        except OSError as error:
            refuse_without_locks(error, path)
            raise


def refuse_without_locks(error: OSError, path: str) -> None:
    """Raise `UnsuitableFileSystem` if an error means that the file system has no locks."""
    if error.errno in _NO_LOCKS:
        raise UnsuitableFileSystem("no_locks", where=path) from error


class LockWait:
    """One wait for a lock: `pause` after each try that raised `LockHeld`.

    `notices` gets the report that the disk gets at once. Without `seconds`, the disk has the limit.
    """

    def __init__(
        self,
        disk: Disk,
        notices: list[tuple[str, dict[str, object]]] | None = None,
        seconds: float | None = None,
    ) -> None:
        self._disk, self._notices, self._seconds = disk, notices, seconds
        self._began = disk.monotonic()
        self._pause = _SHORTEST_PAUSE
        self._is_reported = False

    def pause(self, held: LockHeld) -> None:
        """Sleep until the next try; report the holder once, and raise `LockTimeout` at the end."""
        waited = self._disk.monotonic() - self._began
        if waited >= _LONGEST_PAUSE:  # the limit may have to be read from the settings
            if self._seconds is None:
                self._seconds = self._disk.lock_seconds()
            if waited >= self._seconds:
                raise self._timeout(held)
            if waited >= _REPORT_SECONDS and not self._is_reported:
                self._report(held)
        self._disk.sleep(self._pause)
        longest = _LATE_PAUSE if self._is_reported else _LONGEST_PAUSE
        self._pause = min(self._pause * 2, longest)

    def _timeout(self, held: LockHeld) -> LockTimeout:
        from outlast.system.process_identity import describe_timeout

        text, details = describe_timeout(held.where, held.files)
        seconds = self._seconds or 0
        whole = round(seconds)
        return LockTimeout(text, **details, seconds=whole if whole == seconds else seconds)

    def _report(self, held: LockHeld) -> None:
        from outlast.system.process_identity import describe_wait

        self._is_reported = True
        notice = describe_wait(held.where, held.files)
        self._disk.report(notice)
        if self._notices is not None and notice not in self._notices:
            self._notices.append(notice)


# Whole files


def descend(
    start: T, names: Iterable[str], open_inner: Callable[[T, str], T], close: Callable[[T], None]
) -> T:
    """Open directories one inside the other and return the last one; close the others.

    Each is opened relative to its open parent, so that no process can swap one for a link
    meanwhile.
    """
    current = start
    for name in names:
        try:
            inner = open_inner(current, name)
        finally:
            close(current)
        current = inner
    return current


def write_atomically(
    disk: Disk, path: str, data: bytes, *, sync: bool = False, mode: int = PRIVATE
) -> None:
    """Write a temporary file and rename it into place."""
    new = write_temporary(disk, path, data, sync=sync, mode=mode)
    try:
        disk.rename(new, path)
    except OSError:
        _remove_refused(disk, new)
        raise


def write_temporary(
    disk: Disk, path: str, data: bytes, *, sync: bool = False, mode: int = PRIVATE
) -> str:
    """Write a temporary file beside a path; return its name. A refused write leaves no file."""
    new = f"{path}.{disk.process_id()}.{get_ident()}{TEMPORARY}"  # no other writer's
    fd = disk.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        try:
            write_all(disk, fd, data)
            if sync:
                disk.sync(fd)
        finally:
            disk.close(fd)
    except OSError:
        _remove_refused(disk, new)
        raise
    return new


def _remove_refused(disk: Disk, new: str) -> None:
    """Remove a temporary file that could not be finished; on a full disk it takes up room."""
    with suppress(OSError):
        disk.remove(new)


def place_if_absent(disk: Disk, new: str, path: str) -> None:
    """Move a file to a path that is free; else raise `FileExistsError` and leave both alone.

    On a file system without hard links this takes two steps, between which another file may come.
    """
    try:
        disk.link(new, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if disk.exists(path):
            raise FileExistsError(path) from error
        disk.rename(new, path)
    else:
        disk.remove(new)


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write all of the data, in as many calls as it takes."""
    left = data
    while left:
        left = left[disk.write(fd, left) :]


def read_whole(disk: Disk, path: str) -> bytes:
    """Return the content of a file that others may have written; refuse a huge one unread."""
    fd = disk.open(path, os.O_RDONLY, 0)
    try:
        _, size = disk.stat(fd)
        if size > _MAX_BYTES:
            raise InvalidDocument("document_too_large", where=path, limit=_MAX_BYTES)
        return read_from(disk, fd, 0, size)
    finally:
        disk.close(fd)


def read_beginning(disk: Disk, path: str, size: int) -> bytes:
    """Return the first bytes of a file; raises `FileNotFoundError` if there is none."""
    fd = disk.open(path, os.O_RDONLY, PRIVATE)
    try:
        return read_from(disk, fd, 0, size)
    finally:
        disk.close(fd)


def read_from(disk: Disk, fd: int, offset: int, size: int) -> bytes:
    """Read `size` bytes from an offset, fewer only at the end of the file."""
    data = disk.read(fd, offset, size)
    if len(data) == size:
        return data
    pieces = [data]
    while data and (left := size - sum(map(len, pieces))) > 0:
        data = disk.read(fd, offset + size - left, left)
        pieces.append(data)
    return b"".join(pieces)


# Types of file systems


def file_system_of(path: str) -> str:
    """Return the type of file system that an existing path is on; empty if unknown."""
    try:
        with open(_MOUNTS, "rb") as file:
            mounts = os.fsdecode(file.read())
    except OSError:
        return ""
    return find_file_system(mounts, os.path.realpath(path))


def find_file_system(mounts: str, path: str) -> str:
    """Return the type of the mount that holds a real path, from the text of a mountinfo file.

    The deepest mount point counts, and the last one of several on the same point.
    """
    kinds = {}
    for line in mounts.split("\n"):
        head, _, tail = line.partition(" - ")
        fields = head.split(" ")
        if not tail or len(fields) <= _MOUNT_POINT:
            continue
        point = fields[_MOUNT_POINT]
        if "\\" in point:
            point = re.sub(_ESCAPE, _unescape, point)
        kinds[point] = tail.split(" ")[0]
    while path not in kinds and path != "/":
        path = path.rpartition("/")[0] or "/"
    return kinds.get(path, "")


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 8))


def check_suitable(kind: str, where: str) -> None:
    """Raise `UnsuitableFileSystem` for a type on which a plan is not safe."""
    if kind in UNSUITABLE:
        raise UnsuitableFileSystem("unsuitable_file_system", where=where, kind=kind)


def tells_of_changes(kind: str) -> bool:
    """Return whether a type of file system tells its watchers of every change that we can see.

    One that is shared with another machine or its host, or served by a program, may not.
    """
    return not (kind in UNSUITABLE or kind == "virtiofs" or kind.startswith("fuse"))
