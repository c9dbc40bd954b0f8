"""Real disks that show what a caller does: the order of its calls, and whether it waits."""

import os
from itertools import count

from outlast.system.disk import Disk
from tests.store.faults import QuickDisk

Call = tuple[str, ...]


class RecordingDisk(Disk):
    """A disk that records syncs and changes of names, with the paths they were asked for."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._paths: dict[int, str] = {}

    def open(self, path: str, flags: int, mode: int) -> int:
        fd = super().open(path, flags, mode)
        self._paths[fd] = path
        return fd

    def sync(self, fd: int) -> None:
        self.calls.append(("sync", self._paths[fd]))

    def sync_directory(self, path: str) -> None:
        self.calls.append(("sync directory", os.path.realpath(path)))

    def make_directory(self, path: str, mode: int) -> None:
        super().make_directory(path, mode)
        self.calls.append(("make directory", os.path.realpath(path)))

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        self.calls.append(("rename", old, new))

    def position(self, *call: str) -> int:
        """Return where the only such call is among all calls."""
        (found,) = (at for at, each in enumerate(self.calls) if each == call)
        return found


class ImpatientDisk(QuickDisk):
    """A disk whose callers wait no time at all for a lock that is held."""

    def __init__(self) -> None:
        self._seconds = count()

    def monotonic(self) -> float:
        return next(self._seconds)

    def sleep(self, seconds: float) -> None:
        """Return at once."""

    def lock_seconds(self) -> float:
        return 0
