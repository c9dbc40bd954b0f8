"""Recovery from crashed writers. Everything here needs the journal's lock."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final
from zlib import crc32

from outlast.system.files import PRIVATE, SHARED, TEMPORARY, write_atomically

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.adapters.stores.files.journal_file import JournalFile
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk


_UNFINISHED: Final = r"\.(?:json|md)[^/]*\.\d+\.\d+\Z"


def find_leftovers(directory: str, disk: Disk) -> list[str]:
    """Return temporary files whose writer has not finished, or has died."""
    temporary = (name for name in disk.list_directory(directory) if name.endswith(TEMPORARY))
    return [name for name in temporary if re.search(_UNFINISHED, name.removesuffix(TEMPORARY))]


def remove_leftovers(directory: str, disk: Disk) -> list[Notice]:
    """Remove temporary files. The lock keeps out other writers."""
    leftovers = find_leftovers(directory, disk)
    for name in leftovers:
        disk.remove(os.path.join(directory, name))
    return [("leftover_removed", {"name": name}) for name in leftovers]


def truncate_torn_tail(journal: JournalFile, disk: Disk, now: datetime) -> list[Notice]:
    """Copy what follows the last good line to a file of its own, then truncate the journal."""
    torn = journal.read_torn_tail()
    copy = f"{journal.path}.torn-{now:%Y%m%dT%H%M%S}-{crc32(torn):08x}"
    write_atomically(disk, copy, torn, sync=True, mode=SHARED if journal.shared else PRIVATE)
    disk.sync_directory(os.path.dirname(journal.path))  # it is about to be the only copy
    journal.truncate_torn_tail()
    return [("tail_cut", {"bytes": len(torn), "kept": copy})]
