"""The file `snapshot.json`: written now and then, believed only if it fits the journal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.formats import snapshot
from outlast.system.files import PRIVATE, SHARED, read_from, write_whole

if TYPE_CHECKING:
    from outlast.domain.state import PlanState
    from outlast.formats.snapshot import Snapshot
    from outlast.system.disk import Disk

NAME: Final = "snapshot.json"
WORTH: Final = 1 << 16  # bytes of journal whose replay costs more than a snapshot


def load(directory: str, disk: Disk) -> Snapshot | None:
    """Return the snapshot of a plan's directory, or None: what is no good one counts as none."""
    try:
        fd = disk.open(os.path.join(directory, NAME), os.O_RDONLY, 0)
    except OSError:
        return None
    try:
        return snapshot.read(read_from(disk, fd, 0, disk.look(fd)[1]))
    except OSError:
        return None
    finally:
        disk.close(fd)


def restored(found: Snapshot) -> PlanState | None:
    """Return the plan of a snapshot, or None: whatever a forged one leads to is no plan."""
    try:
        return snapshot.restore(found)
    except Exception:  # noqa: BLE001 - a forged file may lead to anything
        return None


def save(directory: str, disk: Disk, data: bytes, *, shared: bool) -> None:
    """Replace the snapshot. It is not synced: a bad one is noticed and does no harm."""
    mode = SHARED if shared else PRIVATE
    write_whole(disk, os.path.join(directory, NAME), data, mode=mode)
