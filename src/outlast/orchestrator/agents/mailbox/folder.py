"""One directory of a mailbox: read, write and move files that strangers may have put there.

Each operation opens the directory again, one component after the other and never through a link, so
that nobody can swap it for another one. Only plain files up to a size are read; a link, a pipe or a
device is refused, and never opened to wait.
"""

from __future__ import annotations

import fcntl
import os
import re
import signal
from contextlib import contextmanager, suppress
from errno import EEXIST, ELOOP
from stat import S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from outlast.errors import InvalidDocument, StoreError
from outlast.system.clock import monotonic
from outlast.system.disk import PRIVATE, TEMPORARY, descend, describe_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Completeness = Literal["growing", "complete", "broken"]
BRIEF_SECONDS: Final = 0.05  # in which a writer who closes a file and opens it again goes on
LARGEST_FILE: Final = 1 << 20
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SET_LEASE: Final = getattr(fcntl, "F_SETLEASE", None)


class CompletenessJudge:
    """Judges files by what is seen of them at each look.

    A file is complete if its front matter is valid and nobody has it open to write, or if it did
    not change for one poll. One without a valid front matter is broken if it was closed and did
    not change for one poll; while it is open, somebody may write it still.
    """

    def __init__(self, poll: float) -> None:
        """Take the seconds of one poll."""
        self._poll = poll
        self._seen: dict[str, tuple[tuple[int, ...], float]] = {}

    def judge(
        self, name: str, stamp: tuple[int, ...], *, is_closed: bool, is_valid: bool
    ) -> Completeness:
        """Judge a file; `stamp` changes with it."""
        at = monotonic()
        if self._seen.get(name, ((), 0.0))[0] != stamp:
            self._seen[name] = stamp, at
        quiet = at - self._seen[name][1]
        if is_valid and quiet >= (min(BRIEF_SECONDS, self._poll) if is_closed else self._poll):
            return "complete"
        if not is_valid and is_closed and quiet >= self._poll:
            return "broken"
        return "growing"

    def forget(self, name: str) -> None:
        """Forget a file that is no longer there."""
        self._seen.pop(name, None)


class FileContent(Struct, frozen=True):
    """The bytes of a file, and what changes with it: inode, size and time of the last write.

    `is_closed` tells that no process has it open to write. Where the system cannot tell, it is
    False.
    """

    data: bytes
    stamp: tuple[int, int, int]
    is_closed: bool

    def text(self, where: str) -> str:
        """Return the content as text; raise `InvalidDocument` if it is none."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            offset = error.start
            raise InvalidDocument("document_not_text", where=where, offset=offset) from error


class Folder:
    """A directory below a base that exists; what is missing between them is created."""

    def __init__(self, base: str, names: Sequence[str]) -> None:
        """Name the directory; it is opened by each operation."""
        self._base, self._names = base, tuple(names)
        self.path = os.path.join(base, *names)  # noqa: PTH118 - a text

    @contextmanager
    def _open(self) -> Iterator[int]:
        """Open the directory; raise `StoreError` for what fails, but not for missing files."""
        try:
            fd = descend(os.open(self._base, _DIRECTORY), self._names, _open_inner, os.close)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            with self._report_failures():
                yield fd
        finally:
            os.close(fd)

    @contextmanager
    def _report_failures(self) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError("mailbox_unusable", where=self.path, problem=describe_error(error))

    def create(self) -> None:
        """Create the directory if it does not exist."""
        with self._open():
            pass

    def names(self) -> list[str]:
        """Return the names of its files, without those that are still being written."""
        with self._open() as fd:
            names = os.listdir(fd)  # noqa: PTH208 - of the open directory
        return sorted(name for name in names if not name.endswith(TEMPORARY))

    def has(self, name: str) -> bool:
        """Return whether there is anything with a name."""
        with self._open() as fd:
            try:
                os.stat(name, dir_fd=fd, follow_symlinks=False)
            except FileNotFoundError:
                return False
        return True

    def read(self, name: str) -> FileContent:
        """Return what a plain file contains; raise `InvalidDocument` or `FileNotFoundError`."""
        file = self.open_file(name)
        try:
            with self._report_failures():
                size = os.fstat(file).st_size
                data = b"" if size > LARGEST_FILE else _read_all(file, LARGEST_FILE + 1)
                if max(size, len(data)) > LARGEST_FILE:
                    where = f"{self.path}/{name}"
                    raise InvalidDocument("document_too_large", where=where, limit=LARGEST_FILE)
                is_closed, status = _is_closed(file), os.fstat(file)
        finally:
            os.close(file)
        return FileContent(data, (status.st_ino, status.st_size, status.st_mtime_ns), is_closed)

    def open_file(self, name: str) -> int:
        """Open a plain file to read or lock it; raise `FileNotFoundError` or `InvalidDocument`."""
        with self._open() as fd:
            is_plain = S_ISREG(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
            try:
                file = os.open(name, _READ, dir_fd=fd) if is_plain else -1
            except OSError as error:
                if error.errno != ELOOP:  # a link that has just taken its place
                    raise
                file = -1
            if file >= 0 and S_ISREG(os.fstat(file).st_mode):
                return file
            if file >= 0:
                os.close(file)
        raise InvalidDocument("document_no_file", where=f"{self.path}/{name}")

    def write(self, name: str, text: str) -> str:
        """Write a new file, which appears complete or not at all; return its path.

        Raises `FileExistsError` if there is one; several may try to write it at the same time.
        """
        data = text.encode()
        if len(data) > LARGEST_FILE:
            where = f"{self.path}/{name}"
            raise InvalidDocument("document_too_large", where=where, limit=LARGEST_FILE)
        with self._open() as fd, _temporary(fd, name, data) as temporary:
            try:
                os.link(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
            except FileNotFoundError as error:  # removed by who has found the file complete
                raise FileExistsError(EEXIST, name) from error
            os.fsync(fd)
            _remove_temporaries(fd, name)
        return f"{self.path}/{name}"

    def replace(self, name: str, text: str) -> None:
        """Write a file in place of another one; at any time there is one of them."""
        with self._open() as fd, _temporary(fd, name, text.encode()) as temporary:
            os.rename(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
            os.fsync(fd)

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        with self._open() as fd, suppress(FileNotFoundError):
            os.unlink(name, dir_fd=fd)

    def remove_leftover(self, name: str) -> None:
        """Remove what writers of a file who died have left beside it; it is no longer written."""
        with self._open() as fd:
            _remove_temporaries(fd, name)

    def move(self, name: str, target: Folder, new_name: str = "") -> bool:
        """Move a file to another directory; return False if somebody else was quicker."""
        with self._open() as fd, target._open() as other:
            try:
                os.rename(name, new_name or name, src_dir_fd=fd, dst_dir_fd=other)
            except FileNotFoundError:
                return False
            os.fsync(other)
            os.fsync(fd)
        return True


@contextmanager
def _temporary(directory: int, name: str, data: bytes) -> Iterator[str]:
    """Write a temporary file that no other writer uses; remove it at the end."""
    temporary = f".{name}.{os.urandom(4).hex()}{TEMPORARY}"
    fd = os.open(temporary, _WRITE, PRIVATE, dir_fd=directory)
    try:
        try:
            _write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=directory)


def _remove_temporaries(directory: int, name: str) -> None:
    """Remove the temporary files of a file; one who still writes it is told that it exists."""
    temporary = re.compile(rf"\.{re.escape(name)}\.[0-9a-f]{{8}}{re.escape(TEMPORARY)}")
    for each in filter(temporary.fullmatch, os.listdir(directory)):
        with suppress(FileNotFoundError):
            os.unlink(each, dir_fd=directory)


def _open_inner(parent: int, name: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=parent)
    try:
        return os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except NotADirectoryError as error:
        if S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise OSError(ELOOP, name) from error
        raise


def _is_closed(fd: int) -> bool:
    """Return whether no process has a file open to write: only then the system grants a lease."""
    if _SET_LEASE is None:
        return False
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)  # ignored; who opens it now waits for us
        fcntl.fcntl(fd, _SET_LEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, _SET_LEASE, fcntl.F_UNLCK)
    except OSError:
        return False
    return True


def _read_all(fd: int, limit: int) -> bytes:
    pieces, size = list[bytes](), 0
    while size < limit and (piece := os.read(fd, limit - size)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
