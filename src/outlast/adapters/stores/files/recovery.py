"""Clearing up what a process that died has left in a plan's directory; only with the lock."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final
from zlib import crc32

from outlast.system.files import NEW, PRIVATE, SHARED, write_whole

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.adapters.stores.files.journal_file import JournalFile
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk


_BEGUN: Final = r"\.(?:json|md)[^/]*\.\d+\.\d+\Z"


def leftovers(directory: str, disk: Disk) -> list[str]:
    """Return the files that somebody began to write, and may still be writing."""
    begun = (name for name in disk.names(directory) if name.endswith(NEW))
    return [name for name in begun if re.search(_BEGUN, name.removesuffix(NEW))]


def sweep(directory: str, disk: Disk) -> list[Notice]:
    """Remove what was begun: with the lock on the journal nobody else writes."""
    found = leftovers(directory, disk)
    for name in found:
        disk.remove(os.path.join(directory, name))
    return [("leftover_removed", {"name": name}) for name in found]


def cut_torn(journal: JournalFile, disk: Disk, now: datetime) -> list[Notice]:
    """Put aside what stands behind the last good line, and cut it off."""
    torn = journal.torn()
    kept = f"{journal.path}.torn-{now:%Y%m%dT%H%M%S}-{crc32(torn):08x}"
    write_whole(disk, kept, torn, sync=True, mode=SHARED if journal.shared else PRIVATE)
    disk.sync_directory(os.path.dirname(journal.path))  # soon it is the only copy
    journal.cut()
    return [("tail_cut", {"bytes": len(torn), "kept": kept})]
