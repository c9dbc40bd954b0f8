"""The way out of damage in the middle of a journal, which loses nothing.

The damaged file is kept. The new one has every commit that can still be read and makes sense
without those that cannot; they are numbered anew.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final
from zlib import crc32

from outlast.adapters.stores.files import snapshot_file
from outlast.adapters.stores.files.journal_file import JournalFile
from outlast.adapters.stores.files.salvage import Mending, is_sound
from outlast.errors import DamagedJournal, StoreError, WriteFailed
from outlast.formats import journal
from outlast.system.clock import new_plan_id
from outlast.system.files import PRIVATE, SHARED, read_from, write_whole
from outlast.system.keys import key_of

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_TRIES: Final = 5  # to lock a file that is being exchanged


def repair(directory: str, disk: Disk, now: datetime) -> list[Notice]:
    """Mend the journal of a plan's directory and say so; leave one alone that is not damaged."""
    try:
        found = JournalFile(directory, disk)
        try:
            return _repair(found, _locked(found, disk), disk, now)
        finally:
            found.close()  # and with the file goes the lock
    except OSError as error:
        raise _failed("write_failed", directory, error) from error


def look_for_damage(directory: str, disk: Disk, now: datetime) -> None:
    """Read a whole journal, also what a snapshot spares the store; raise what is wrong with it."""
    try:
        found = JournalFile(directory, disk)
        try:
            found.check_header()
            _, size = disk.look(found.fd)
            data = read_from(disk, found.fd, 0, size)
        finally:
            found.close()
    except OSError as error:
        raise _failed("store_failed", directory, error) from error
    if not is_sound(data, now):
        raise DamagedJournal("journal_not_whole", path=found.path)


def _locked(found: JournalFile, disk: Disk) -> bytes:
    """Lock the file that has the journal's name now, and return all of it."""
    found.lock()
    for _ in range(_TRIES):
        links, size = disk.look(found.fd)
        if links:
            return read_from(disk, found.fd, 0, size)
        found.reopen()
    raise StoreError("store_busy", where=os.path.dirname(found.path))


def _repair(found: JournalFile, data: bytes, disk: Disk, now: datetime) -> list[Notice]:
    if is_sound(data, now):
        return []
    directory = os.path.dirname(found.path)
    mending = Mending(data, now)
    header = mending.header(key_of(os.path.basename(directory)))
    mending.go_on(snapshot_file.load(directory, disk), new_plan_id(), header.key)
    if not mending.commits:
        raise DamagedJournal("journal_unreadable", path=found.path)
    if not found.writable:
        raise WriteFailed("not_writable", where=directory)
    kept = f"{found.path}.damaged-{now:%Y%m%dT%H%M%S}-{crc32(data):08x}"
    lines = journal.write_header(header.key, shared=header.shared)
    lines += b"".join(map(journal.write_commit, mending.commits))
    mode = SHARED if header.shared else PRIVATE
    write_whole(disk, kept, data, sync=True, mode=mode)
    disk.sync_directory(directory)  # only when the old file is safe comes the new one
    write_whole(disk, found.path, lines, sync=True, mode=mode)
    _settle(directory, disk)
    counts = {"kept_commits": mending.kept, "lost_commits": mending.lost}
    return [("journal_mended", {"where": directory, "kept": kept, **counts})]


def _settle(directory: str, disk: Disk) -> None:
    try:
        disk.sync_directory(directory)
    except OSError as error:
        raise _failed("write_unknown", directory, error) from error


def _failed(text: str, where: str, error: OSError) -> WriteFailed:
    return WriteFailed(text, where=where, problem=os.strerror(error.errno or 0))
