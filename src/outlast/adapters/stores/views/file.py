"""Replace a view file without losing an edit saved at the same time.

To replace a view: rename it to a backup, check the backup's checksum, and link the new file to its
name only if nothing took that name. If the backup is not what was expected, it goes back.
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
from outlast.system.files import place_if_absent, read_from, write_temporary

if TYPE_CHECKING:
    from collections.abc import Container

    from outlast.adapters.stores.views.registry import View
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

ABSENT: Final = -1
UNREADABLE: Final = -2  # not a plain file, or too large
_MAX_BYTES: Final = 64 << 20
_BACKUP: Final = ".was"
_TRIES: Final = 10  # to read a file that is being written
_NOT_A_FILE: Final = (EISDIR, ELOOP, ESPIPE, ENXIO)


class ViewContent(Struct, frozen=True):
    """The content of a view; `stamp` was taken before it was read."""

    checksum: int
    data: bytes = b""
    stamp: Stamp | None = None


def checksum(data: bytes) -> int:
    """Return a number that identifies a content."""
    return len(data) << 32 | crc32(data)


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


class ViewFile:
    """One view of a plan. Only the holder of the plan's lock writes it."""

    def __init__(self, directory: str, disk: Disk, view: View, notices: list[Notice]) -> None:
        self.view = view
        self.path = os.path.join(directory, view.name)
        self._backup = self.path + _BACKUP
        self._disk = disk
        self._notices = notices

    def read(self) -> ViewContent:
        """Return the content of the view."""
        return self._read_stable(self.path)

    def stamp(self) -> Stamp | None:
        """Return what changes whenever the file changes; None if there is no file."""
        try:
            return self._disk.stamp(self.path)
        except OSError:
            return None

    def has_backup(self) -> bool:
        """Return whether a process died while it replaced the view."""
        return self._disk.exists(self._backup)

    def replace(
        self, content: bytes, replaceable: Container[int], mode: int, keep_as: str = ""
    ) -> bool:
        """Replace the view if its checksum is `replaceable`; empty content removes the file.

        The old file is renamed to `keep_as` if that is given. Returns False if the view had other
        content, or changed meanwhile; it then stays.
        """
        droppable = () if keep_as else replaceable
        self.restore_backup(droppable)
        new = write_temporary(self._disk, self.path, content, mode=mode) if content else ""
        try:
            return self._swap(new, replaceable, keep_as)
        finally:
            if new and self._disk.exists(new):
                self._disk.remove(new)
            self.restore_backup(droppable)

    def restore_backup(self, replaceable: Container[int]) -> None:
        """Finish an interrupted replacement: put the backup back, or remove or set it aside."""
        if not self.has_backup():
            return
        if not self._disk.exists(self.path):
            place_if_absent(self._disk, self._backup, self.path)
        elif self._read_stable(self._backup).checksum in replaceable:
            self._disk.remove(self._backup)
        else:
            copy = self.copy_path("edited")
            self._disk.rename(self._backup, copy)
            self._notices.append(("view_set_aside", {"name": self.view.name, "kept": copy}))

    def copy_path(self, what: str) -> str:
        """Return a path to set a file aside under."""
        return f"{self.path}.{what}-{now():%Y%m%dT%H%M%S.%f}"

    def _swap(self, new: str, replaceable: Container[int], keep_as: str) -> bool:
        disk = self._disk
        exists = disk.exists(self.path)
        if exists:
            disk.rename(self.path, self._backup)
            if self._read_stable(self._backup).checksum not in replaceable:
                return False
        try:
            if new:
                place_if_absent(disk, new, self.path)
        except FileExistsError:
            return False
        if exists and self._read_stable(self._backup).checksum not in replaceable:
            disk.rename(self._backup, self.path)  # an editor that had it open wrote to it
            return False
        if exists and keep_as:
            disk.rename(self._backup, keep_as)
            disk.sync_directory(os.path.dirname(keep_as))  # it is the only copy
        elif exists:
            disk.remove(self._backup)
        return True

    def _read_stable(self, path: str) -> ViewContent:
        """Read a file that does not change meanwhile."""
        for _ in range(_TRIES):
            try:
                stamp = self._disk.stamp(path)
                content = self._read_once(path, stamp)
                if self._disk.stamp(path) == stamp:
                    return content
            except FileNotFoundError:
                return ViewContent(ABSENT)
        raise OSError(EBUSY, "", path)

    def _read_once(self, path: str, stamp: Stamp) -> ViewContent:
        try:
            data = read_whole(self._disk, path)
        except InvalidDocument:
            return ViewContent(UNREADABLE, stamp=stamp)
        except OSError as error:
            if error.errno not in _NOT_A_FILE:
                raise
            return ViewContent(UNREADABLE, stamp=stamp)
        return ViewContent(checksum(data), data, stamp)
