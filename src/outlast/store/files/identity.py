"""The identity of a plan in files: the key in its journal's header, and the id in its commits.

`cp -a` of a plan's directory copies both, and with the id everything that is stored under it:
approvals, permissions, the right to call a proof one's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.errors import DamagedJournal, WriteFailed
from outlast.model.changes import PlanCreated
from outlast.store import journal
from outlast.store.files import snapshot_file
from outlast.store.files.journal_file import JournalFile
from outlast.store.files.repair import is_sound, lock_in_place, read_whole_journal
from outlast.system.disk import PRIVATE, SHARED, Disk, describe_error, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime


def renew_identity(directory: str, disk: Disk, now: datetime, key: str, plan_id: str = "") -> None:
    """Give the journal in a directory another key and, if there is one, another id.

    All commits stay. Raises `DamagedJournal` if the journal has to be repaired first.
    """
    try:
        file = JournalFile(directory, disk)
        try:
            lock_in_place(file, disk)
            file.check_header()
            if not is_sound(file.all_lines(), now):
                raise DamagedJournal("journal_not_whole", path=file.path)
            if not file.writable:
                raise WriteFailed("not_writable", where=directory)
            data = read_whole_journal(file, disk)
            lines = b"".join(_rewrite(data, key, plan_id, shared=file.shared))
            mode = SHARED if file.shared else PRIVATE
            snapshot_file.set_aside(directory, disk, now)  # it has the old id
            disk.sync_directory(directory)
            write_atomically(disk, file.path, lines, sync=True, mode=mode)
            disk.sync_directory(directory)
        finally:
            file.close()  # which releases the lock
    except OSError as error:
        problem = describe_error(error)
        raise WriteFailed("write_failed", where=directory, problem=problem) from error


def _rewrite(data: bytes, key: str, plan_id: str, *, shared: bool) -> Iterator[bytes]:
    """Yield the lines of a journal; those that create the plan with the other id and key."""
    yield journal.write_header(key, shared=shared)
    for begin, line in journal.split_lines(data):
        commit = journal.read_commit(line)
        if commit is None:
            if begin:
                return  # a torn last line, which nobody was told about
        elif any(isinstance(change, PlanCreated) for change in commit.changes):
            changes = tuple(
                replace(change, id=plan_id or change.id, key=key)
                if isinstance(change, PlanCreated)
                else change
                for change in commit.changes
            )
            yield journal.write_commit(replace(commit, changes=changes))
        else:
            yield line + b"\n"
