"""Whole files: read them, and write them atomically."""

from __future__ import annotations

import os
from _thread import get_ident
from contextlib import suppress
from errno import EMLINK, ENOSYS, ENOTSUP, EPERM
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.system.disk import Disk

T = TypeVar("T")

TEMPORARY: Final = ".new"
PRIVATE: Final = 0o600
SHARED: Final = 0o666  # minus the umask
_NO_LINKS: Final = (EPERM, ENOSYS, ENOTSUP, EMLINK)


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
