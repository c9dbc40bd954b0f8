"""One file that shows a plan, replaced so that nothing is lost that others write meanwhile.

What has the name is moved away, looked at, and brought back if it is not what was expected; the
new file is put in place only where nothing is.
"""

from __future__ import annotations

import os
from errno import EBUSY, EISDIR, ELOOP, ENXIO, ESPIPE
from typing import TYPE_CHECKING, Final
from zlib import crc32

from msgspec import Struct

from outlast.errors import InvalidDocument
from outlast.system.clock import now
from outlast.system.disk import Stamp
from outlast.system.files import put_in_place, read_from, write_beside

if TYPE_CHECKING:
    from collections.abc import Container

    from outlast.adapters.stores.views.registry import View
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

ABSENT: Final = -1
ODD: Final = -2  # no file, or too large to be looked into
_LARGEST: Final = 64 << 20  # bytes
_AWAY: Final = ".was"
_TRIES: Final = 10  # to read a file while somebody writes it
_NO_FILE: Final = (EISDIR, ELOOP, ESPIPE, ENXIO)


class Found(Struct, frozen=True):
    """What a file holds; `stamp` is how it looked before that was read."""

    checksum: int
    data: bytes = b""
    stamp: Stamp | None = None


def checksum(data: bytes) -> int:
    """Return a number that tells contents apart."""
    return len(data) << 32 | crc32(data)


def read_whole(disk: Disk, path: str) -> bytes:
    """Return what is in a file that others may have written; refuse a large one unread."""
    fd = disk.open(path, os.O_RDONLY, 0)
    try:
        _, size = disk.look(fd)
        if size > _LARGEST:
            raise InvalidDocument("document_too_large", where=path, limit=_LARGEST)
        return read_from(disk, fd, 0, size)
    finally:
        disk.close(fd)


class ViewFile:
    """One view of a plan; it is written only by the holder of the plan's lock."""

    def __init__(self, directory: str, disk: Disk, view: View, notices: list[Notice]) -> None:
        """Look after a view in a directory; what is to be told goes to `notices`."""
        self.view = view
        self.path = os.path.join(directory, view.name)
        self._away = self.path + _AWAY
        self._disk = disk
        self._notices = notices

    def look(self) -> Found:
        """Return what is there now."""
        return self._at(self.path)

    def stamp(self) -> Stamp | None:
        """Return how the file looks from outside, None if there is none."""
        try:
            return self._disk.stamp(self.path)
        except OSError:
            return None

    def is_left(self) -> bool:
        """Tell whether somebody who has died moved the file away and did not bring it back."""
        return self._disk.has(self._away)

    def replace(self, made: bytes, known: Container[int], mode: int, keep: str = "") -> bool:
        """Write the file anew, if it is one of those `known`; nothing made leaves no file.

        What was there is kept under a name of its own if one is given. False: something else was
        there, or has come meanwhile, and stays.
        """
        droppable = () if keep else known
        self.bring_back(droppable)
        new = write_beside(self._disk, self.path, made, mode=mode) if made else ""
        try:
            return self._exchange(new, known, keep)
        finally:
            if new and self._disk.has(new):
                self._disk.remove(new)
            self.bring_back(droppable)

    def bring_back(self, known: Container[int]) -> None:
        """End what was begun: a file that was moved away is put back, or is one that is known."""
        if not self.is_left():
            return
        if not self._disk.has(self.path):
            put_in_place(self._disk, self._away, self.path)
        elif self._at(self._away).checksum in known:
            self._disk.remove(self._away)
        else:
            kept = self.aside("edited")
            self._disk.rename(self._away, kept)
            self._notices.append(("view_put_aside", {"name": self.view.name, "kept": kept}))

    def aside(self, what: str) -> str:
        """Return a name under which something can be kept."""
        return f"{self.path}.{what}-{now():%Y%m%dT%H%M%S.%f}"

    def _exchange(self, new: str, known: Container[int], keep: str) -> bool:
        disk = self._disk
        is_there = disk.has(self.path)
        if is_there:
            disk.rename(self.path, self._away)
            if self._at(self._away).checksum not in known:
                return False
        try:
            if new:
                put_in_place(disk, new, self.path)
        except FileExistsError:
            return False
        if is_there and self._at(self._away).checksum not in known:
            disk.rename(self._away, self.path)  # written to by somebody who had it open
            return False
        if is_there and keep:
            disk.rename(self._away, keep)
            disk.sync_directory(os.path.dirname(keep))  # it is the only copy
        elif is_there:
            disk.remove(self._away)
        return True

    def _at(self, path: str) -> Found:
        """Return what is in a file that nobody has touched while it was read."""
        for _ in range(_TRIES):
            try:
                stamp = self._disk.stamp(path)
                found = self._read(path, stamp)
                if self._disk.stamp(path) == stamp:
                    return found
            except FileNotFoundError:
                return Found(ABSENT)
        raise OSError(EBUSY, "", path)

    def _read(self, path: str, stamp: Stamp) -> Found:
        try:
            data = read_whole(self._disk, path)
        except InvalidDocument:
            return Found(ODD, stamp=stamp)
        except OSError as error:
            if error.errno not in _NO_FILE:
                raise
            return Found(ODD, stamp=stamp)
        return Found(checksum(data), data, stamp)
