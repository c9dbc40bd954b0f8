"""Whole files: read one, or write one so that it is there complete or not at all."""

from __future__ import annotations

import os
from _thread import get_ident
from errno import EMLINK, ENOSYS, ENOTSUP, EPERM
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outlast.system.disk import Disk

NEW: Final = ".new"
PRIVATE: Final = 0o600
SHARED: Final = 0o666  # less what the umask forbids
_NO_LINKS: Final = (EPERM, ENOSYS, ENOTSUP, EMLINK)


def write_whole(
    disk: Disk, path: str, data: bytes, *, sync: bool = False, mode: int = PRIVATE
) -> None:
    """Write a file beside its place and then move it there."""
    disk.rename(write_beside(disk, path, data, sync=sync, mode=mode), path)


def write_beside(
    disk: Disk, path: str, data: bytes, *, sync: bool = False, mode: int = PRIVATE
) -> str:
    """Write a file that is going to have a name; return the one it has until then."""
    new = f"{path}.{disk.process()}.{get_ident()}{NEW}"  # not another process' or thread's
    fd = disk.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        write_all(disk, fd, data)
        if sync:
            disk.sync(fd)
    finally:
        disk.close(fd)
    return new


def put_in_place(disk: Disk, new: str, path: str) -> None:
    """Give a file its name unless something has it: then `FileExistsError`, and all stays.

    A file system that has no links cannot tell in one step.
    """
    try:
        disk.link(new, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if disk.has(path):
            raise FileExistsError(path) from error
        disk.rename(new, path)
    else:
        disk.remove(new)


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write all of some data, in as many pieces as the system wants."""
    left = data
    while left:
        left = left[disk.write(fd, left) :]


def read_from(disk: Disk, fd: int, offset: int, size: int) -> bytes:
    """Read up to so many bytes, fewer only where the file ends."""
    data = disk.read(fd, offset, size)
    if len(data) == size:
        return data
    pieces = [data]
    while data and (left := size - sum(map(len, pieces))) > 0:
        data = disk.read(fd, offset + size - left, left)
        pieces.append(data)
    return b"".join(pieces)
