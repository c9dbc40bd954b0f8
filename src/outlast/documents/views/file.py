"""View files: read them while others write, and replace them without losing an edit.

To replace a view: rename it to a backup, check the backup's checksum, and link the new file to its
name only if nothing took that name. If the backup is not what was expected, it goes back.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from outlast.system.disk import Disk, Stamp, place_if_absent, write_temporary
from outlast.system.stable_read import ABSENT, UNREADABLE, FileContent, checksum, read_stable

if TYPE_CHECKING:
    from collections.abc import Container

    from outlast.documents.views.registry import View
    from outlast.store.port import Notice

SECOND_NS: Final = 1_000_000_000
QUIET_NS: Final = SECOND_NS // 5  # after which a writer that saves in pieces is assumed done
_COARSE_NS: Final = 2 * SECOND_NS  # between two times of files on some file systems
DAMAGED: Final = ".bad-"
EDITED: Final = ".edited-"
_MARGIN_NS: Final = SECOND_NS // 10  # a file is older than that when it is set aside as damaged
_MAX_COPIES: Final = 20  # that are watched
_CHANGED: Final = (0, 0, 0, 0)  # the stamp of no file
_BACKUP: Final = ".was"


def time_left(disk: Disk, stamp: Stamp, pause: int) -> int:
    """Return after how many nanoseconds a file was neither written nor changed for a while."""
    now, pause = disk.now_ns(), pause + granularity(stamp)
    return max((at + pause - now for at in stamp[2:] if 0 <= now - at < pause), default=0)


def granularity(stamp: Stamp) -> int:
    """Return how many nanoseconds two times of files may be apart that look the same, if many."""
    return 0 if stamp[2] % SECOND_NS or stamp[3] % SECOND_NS else _COARSE_NS


class ViewFile:
    """One view of a plan. Only the holder of the plan's lock writes it."""

    def __init__(
        self, directory: str, disk: Disk, view: View, copies: ViewCopies, notices: list[Notice]
    ) -> None:
        self.view = view
        self.path = os.path.join(directory, view.name)
        self.backup_name = view.name + _BACKUP  # left by a process that died while it replaced it
        self._backup = self.path + _BACKUP
        self._disk = disk
        self._copies = copies
        self._notices = notices

    def read(self) -> FileContent:
        """Return the content of the view."""
        return read_stable(self._disk, self.path)

    def stamp(self) -> Stamp | None:
        """Return what changes whenever the file changes; None if there is no file."""
        try:
            return self._disk.stamp(self.path)
        except OSError:
            return None

    def replace(
        self, content: bytes, replaceable: Container[int], mode: int, keep_as: str = ""
    ) -> bool:
        """Replace the view if its checksum is `replaceable`; empty content removes the file.

        The old file is renamed to `keep_as` if that is given. Returns False if the view had other
        content, or changed meanwhile; it then stays.
        """
        new = write_temporary(self._disk, self.path, content, mode=mode) if content else ""
        is_done = False
        try:
            written = checksum(content) if content else ABSENT
            is_done = self._swap(new, replaceable, written, keep_as)
        finally:
            if not is_done:
                if new and self._disk.exists(new):
                    self._disk.remove(new)
                self.restore_backup(() if keep_as else replaceable)
        return is_done

    def restore_backup(self, replaceable: Container[int]) -> None:
        """Finish an interrupted replacement: put the backup back, or remove or set it aside."""
        if not self._disk.exists(self._backup):
            return
        if not self._disk.exists(self.path):
            place_if_absent(self._disk, self._backup, self.path)
        elif read_stable(self._disk, self._backup).checksum in replaceable:
            self._disk.remove(self._backup)
        else:
            copy = self._copies.new_path(self.path, EDITED)
            self._disk.rename(self._backup, copy)
            self._notices.append(("view_set_aside", {"name": self.view.name, "kept": copy}))

    def put_back(self, copy: str, replaceable: Container[int]) -> bool:
        """Put a copy in the place of the view, as `replace` does with new content."""
        try:
            return self._swap(copy, replaceable)
        finally:
            self.restore_backup(replaceable)

    def _swap(
        self, new: str, replaceable: Container[int], written: int = UNREADABLE, keep_as: str = ""
    ) -> bool:
        """Rename a file to the view's name; the view must be `replaceable` before and afterwards.

        What an editor wrote meanwhile into the old file comes back if the new one is as `written`.
        """
        disk = self._disk
        try:
            disk.rename(self.path, self._backup)
        except FileNotFoundError:
            exists = False
        else:
            exists = True
            if read_stable(disk, self._backup).checksum not in replaceable:
                return False
        try:
            if new:
                place_if_absent(disk, new, self.path)
        except FileExistsError:
            return False
        if exists and read_stable(disk, self._backup).checksum not in replaceable:
            if read_stable(disk, self.path).checksum == written:
                disk.rename(self._backup, self.path)
            return False
        if exists and keep_as:
            disk.rename(self._backup, keep_as)
            disk.sync_directory(os.path.dirname(keep_as))  # it is the only copy
        elif exists:
            disk.remove(self._backup)
        return True


# Copies: a program that saves a file in pieces keeps writing to it after it was set aside. A
# damaged copy that was written to may have become whole.


class ViewCopies:
    """The copies of a plan's views that are watched. Their names tell when they were set aside."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self.stamps: dict[str, Stamp] = {}  # as they were looked at last

    def new_path(self, path: str, kind: str) -> str:
        """Return a path to set a view aside under."""
        return f"{path}{kind}{_write_time(self._disk.now_ns())}"

    def watch(self, copy: str, stamp: Stamp | None = None) -> None:
        """Let `find_written` tell whether a copy is written to after it had a stamp."""
        self.stamps[copy] = stamp or self._stamp(copy) or _CHANGED

    def watch_damaged(self, directory: str, names: list[str]) -> None:
        """Watch the damaged copies in a directory, which other processes may have set aside."""
        for name in [name for name in names if DAMAGED in name][-_MAX_COPIES:]:
            copy = os.path.join(directory, name)
            if copy not in self.stamps:
                stamp = self._stamp(copy) or _CHANGED
                is_written = _write_time(stamp[2] + _MARGIN_NS) > copy.rpartition("-")[2]
                self.stamps[copy] = _CHANGED if is_written else stamp

    def find_written(self, path: str = "") -> list[str]:
        """Return the copies, of all views or of one, that were written to."""
        return [copy for copy in self.stamps if copy.startswith(path) and self._is_written(copy)]

    def read(self, copy: str) -> FileContent:
        """Return the content of a copy."""
        return read_stable(self._disk, copy)

    def _is_written(self, copy: str) -> bool:
        stamp = self._stamp(copy)
        return stamp is not None and stamp[:3] != self.stamps[copy][:3]  # a new name changes more

    def _stamp(self, copy: str) -> Stamp | None:
        try:
            return self._disk.stamp(copy)
        except OSError:
            return None


def _write_time(at: int) -> str:
    return f"{datetime.fromtimestamp(at / SECOND_NS, UTC):%Y%m%dT%H%M%S.%f}"
