"""The file `snapshot.json`, used only if it matches the journal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.system.disk import PRIVATE, SHARED, Disk, read_from, write_atomically

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.store.snapshot import Snapshot

NAME: Final = "snapshot.json"


def load(directory: str, disk: Disk) -> Snapshot | None:
    """Return the snapshot in a plan's directory; None if there is none or it is not intact."""
    try:
        fd = disk.open(os.path.join(directory, NAME), os.O_RDONLY, 0)
    except OSError:
        return None
    from outlast.store import snapshot  # most plans are too small to have one

    try:
        return snapshot.read(read_from(disk, fd, 0, disk.stat(fd)[1]))
    except OSError:
        return None
    finally:
        disk.close(fd)


def set_aside(directory: str, disk: Disk, now: datetime) -> None:
    """Rename a snapshot that knows what the journal does not; the next one would overwrite it."""
    path = os.path.join(directory, NAME)
    if disk.exists(path):
        disk.rename(path, f"{path}.old-{now:%Y%m%dT%H%M%S}")


def save(directory: str, disk: Disk, data: bytes, *, shared: bool) -> None:
    """Replace the snapshot without a sync: a torn one is detected and ignored."""
    mode = SHARED if shared else PRIVATE
    write_atomically(disk, os.path.join(directory, NAME), data, mode=mode)
