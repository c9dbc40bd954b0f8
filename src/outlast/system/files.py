"""Whole files: read one, or write one so that it is there complete or not at all."""

from __future__ import annotations

import os
from _thread import get_ident
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outlast.system.disk import Disk

NEW: Final = ".new"
PRIVATE: Final = 0o600
SHARED: Final = 0o666  # less what the umask forbids


def write_whole(
    disk: Disk, path: str, data: bytes, *, sync: bool = False, mode: int = PRIVATE
) -> None:
    """Write a file beside its place and then move it there."""
    new = f"{path}.{disk.process()}.{get_ident()}{NEW}"  # not another process' or thread's
    fd = disk.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        write_all(disk, fd, data)
        if sync:
            disk.sync(fd)
    finally:
        disk.close(fd)
    disk.rename(new, path)


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
