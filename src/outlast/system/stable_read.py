"""Read a file that another program may be writing at the same time."""

from __future__ import annotations

from errno import EISDIR, ELOOP, ENXIO, ESPIPE
from typing import Final
from zlib import crc32

from msgspec import Struct

from outlast.errors import InvalidDocument
from outlast.system.disk import Disk, Stamp, read_whole

ABSENT: Final = -1
UNREADABLE: Final = -2  # not a plain file, or too large
BUSY: Final = -3  # written to again and again while it was read
_TRIES: Final = 10  # to read a file that is being written
_NOT_A_FILE: Final = (EISDIR, ELOOP, ESPIPE, ENXIO)


class FileContent(Struct, frozen=True):
    """The content of a file; `stamp` was taken before it was read."""

    checksum: int
    data: bytes = b""
    stamp: Stamp | None = None


NO_FILE: Final = FileContent(ABSENT)


def checksum(data: bytes) -> int:
    """Return a number that identifies a content."""
    return len(data) << 32 | crc32(data)


def read_stable(disk: Disk, path: str) -> FileContent:
    """Read a file that does not change meanwhile."""
    stamp = None
    for _ in range(_TRIES):
        try:
            stamp = disk.stamp(path)
            content = _read_once(disk, path, stamp)
            if disk.stamp(path) == stamp:
                return content
        except FileNotFoundError:
            return NO_FILE
    return FileContent(BUSY, stamp=stamp)


def _read_once(disk: Disk, path: str, stamp: Stamp) -> FileContent:
    try:
        data = read_whole(disk, path)
    except InvalidDocument:
        return FileContent(UNREADABLE, stamp=stamp)
    except OSError as error:
        if error.errno not in _NOT_A_FILE:
            raise
        return FileContent(UNREADABLE, stamp=stamp)
    return FileContent(checksum(data), data, stamp)
