"""A plan in a directory: the journal is its log; the snapshot only saves time."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final
from zlib import crc32

from outlast.errors import DamagedJournal, StoreError, WriteFailed
from outlast.model.changes import Commit
from outlast.model.execute import execute
from outlast.model.state import PlanState
from outlast.store import journal
from outlast.store.files import snapshot_file
from outlast.store.files.journal_file import JournalFile, create_journal
from outlast.store.journal import MARK, TAIL_BYTES
from outlast.store.log import End, Log, News, Page
from outlast.store.store import Store
from outlast.system.disk import (
    PRIVATE,
    SHARED,
    TEMPORARY,
    Disk,
    describe_error,
    tells_of_changes,
    write_atomically,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.model.commands import CreatePlan
    from outlast.store.port import Notice
    from outlast.store.snapshot import Snapshot

_UNFINISHED: Final = r"\.(?:json|md)[^/]*\.\d+\.\d+\Z"  # a temporary file without its suffix
_MAX_UNSYNCED: Final = 1 << 16  # bytes by other processes that our own next sync may cover


def create_files(  # noqa: PLR0913 - what a plan begins with
    directory: str,
    disk: Disk,
    command: CreatePlan,
    *,
    author: str,
    now: datetime,
    shared: bool = False,
    person: str = "",
) -> None:
    """Create a plan in an existing directory that has none; complete or not at all."""
    state = PlanState(now)
    changes = execute(state, (command,), now)
    lines = journal.write_header(command.key, shared=shared)
    lines += journal.write_commit(Commit(state.revision, now, author, changes, person=person))
    try:
        create_journal(directory, disk, lines, SHARED if shared else PRIVATE)
    except OSError as error:
        raise _store_error(directory, error) from error


def open_files(directory: str, disk: Disk, now: datetime, key: str = "") -> Store:
    """Open the plan in a directory without its views; what was repaired is in its notices."""
    return Store(FilesLog(directory, disk, now, key), now)


def _store_error(directory: str, error: Exception) -> StoreError:
    return StoreError("store_failed", where=directory, problem=describe_error(error))


class FilesLog(Log):
    """The journal of a plan, which any number of processes append to. Positions are offsets.

    The journal is known to be on disk up to `_synced`. What follows was written by other processes,
    which may have died before their sync. A negative offset means that nothing is known.
    """

    io_errors = (OSError,)
    first_position = TAIL_BYTES

    def __init__(self, directory: str, disk: Disk, now: datetime, key: str = "") -> None:
        """Open the journal in a directory.

        `key` is the one the plan is stored under, which its journal need not know.
        """
        self.where, self.disk, self.key = directory, disk, key
        self.notices: list[Notice] = []
        try:
            self.journal = JournalFile(directory, disk)
        except OSError as error:
            raise _store_error(directory, error) from error
        self._opened_at = now
        self._synced = self._appended_at = -1
        self._lines: list[bytes] = []  # to be written at once, and where they will end
        self._end = 0
        self._is_behind_snapshot = False
        self._history_cursor = 0, 0  # a revision, and the offset after its commit

    @property
    def is_shared(self) -> bool:
        """Whether other users may read and write the plan."""
        return self.journal.shared

    @property
    def is_damaged(self) -> bool:
        """Whether a bad line has good ones after it."""
        return self.journal.damage is not None

    # Reading

    def watched_directory(self) -> str:
        """Return the directory of the journal, if the system tells of changes in it."""
        return self.where if tells_of_changes(self.disk.file_system(self.where)) else ""

    def check(self) -> News:
        """Return whether others have appended, or another file has the journal's name."""
        file = self.journal
        if file.is_current():
            file.is_torn = False
            return "current"
        return "grown" if file.is_in_place() else "replaced"

    def seek(self, position: int, mark: str, revision: int) -> None:
        """Go to the end of a line."""
        self.journal.seek(position, mark.encode(), revision)
        self.journal.check_header()
        self._snapshot_offset = position
        self._synced = self._appended_at = -1

    def read_new(self, revision: int) -> Iterator[tuple[int, Commit]]:
        """Yield the commits after the last line that was read, with their offsets."""
        return self.journal.read_new(revision)

    def reopen(self) -> None:
        """Open the file that has the journal's name now."""
        self.journal.reopen()

    def end(self, revision: int) -> End:
        """Return where the last line ends that was read or written."""
        return End(self.journal.offset, self.journal.mark[MARK], revision)

    def settled_end(self, _revision: int) -> End:
        """Return the end before the last batch: a failed write or sync truncates that one."""
        offset, mark, revision = self.journal.settled
        return End(offset, mark[MARK], revision)

    def has_end(self, end: End) -> bool:
        """Return whether the line that once ended at an offset is still there."""
        return self.journal.mark_at(end.position) == end.mark

    # History

    def read_page(self, since: int, position: int | None) -> Page:
        """Return some commits from an offset on, or around the first one after a revision."""
        if position is None:
            revision, offset = self._history_cursor
            position = offset if revision <= since else self.journal.find_before(since)
        commits, end = self.journal.read_page(position)
        if commits and end == self.journal.offset:
            self._history_cursor = max(self._history_cursor, (commits[-1].revision, end))
        return commits, end

    def read_page_back(self, position: int | None) -> Page:
        """Return some commits before an offset, newest first."""
        return self.journal.read_page_back(self.journal.offset if position is None else position)

    def mark_of(self, revision: int) -> str:
        """Return the checksum of a commit: at hand for the newest one, else searched for."""
        file = self.journal
        newest, line = file.last_change
        if newest != revision:
            line = file.line_of(revision) if revision > 0 else b""
            if line and revision > newest:
                file.last_change = revision, line
        return journal.mark_of(line)

    def commit_at(self, position: int) -> Commit:
        """Return the commit whose line begins at an offset."""
        return self.journal.commit_at(position)

    # Writing

    def lock(self) -> None:
        """Take the journal's lock."""
        file = self.journal
        if not file.writable:
            raise WriteFailed("not_writable", where=self.where)
        if file.fd < 0:
            file.reopen()
        file.lock()

    def prepare(self) -> None:
        """Refuse a damaged journal, truncate a torn tail, and sync what others may not have."""
        file = self.journal
        if file.damage is not None:
            raise self.damage_error()
        if file.is_torn:
            self._truncate_torn_tail()
        if self._synced < 0 or file.offset - self._synced > _MAX_UNSYNCED:
            self.sync(0)
        self._lines, self._end = [], file.offset

    def add(self, commit: Commit) -> int:
        """Encode the line of a commit.

        A process that appends before it is synced makes it durable with its own lines, and says so
        in the `back` of the first one.
        """
        begin = self._end
        line = journal.write_commit(commit, begin - self._synced)
        self._lines.append(line)
        self._end = begin + len(line)
        if commit.changes:
            self.journal.last_change = commit.revision, line
        return begin

    def write(self) -> None:
        """Write the lines at once."""
        begin = self.journal.offset
        self.journal.append(self._lines)
        self._appended_at = begin

    def unlock(self) -> None:
        """Release the lock: processes sync at the same time."""
        file = self.journal
        self.disk.unlock(file.fd)
        file.is_locked = False

    def release(self, *, interrupted: bool) -> None:
        """Release the lock; after an interrupt, by closing the file."""
        try:
            if self.journal.fd >= 0:
                self.journal.unlock()
                if not interrupted:
                    return
        except OSError:
            pass
        self.journal.close()

    def sync(self, revision: int) -> End:
        """Sync the journal and, the first time, its directory.

        The process that created or replaced the file may have died before its name was durable.
        """
        file, begin = self.journal, self._appended_at
        if begin >= 0:
            self._appended_at = -1
            file.sync_appended(begin)
        elif file.offset > self._synced:
            file.sync()
            if self._synced < 0:
                self.disk.sync_directory(self.where)
        self._synced = file.offset
        return End(file.offset, file.mark[MARK], revision)

    # Recovery

    def has_leftovers(self) -> bool:
        """Return whether there are temporary files, or the end of a line is missing."""
        return self.journal.writable and (bool(self._find_leftovers()) or self.journal.is_torn)

    def clean_up(self) -> None:
        """Remove temporary files of processes that died, and truncate a torn tail."""
        for name in self._find_leftovers():
            self.disk.remove(os.path.join(self.where, name))
            self.notices.append(("leftover_removed", {"name": name}))
        if self.journal.is_torn and self.journal.damage is None:
            self._truncate_torn_tail()

    def _find_leftovers(self) -> list[str]:
        """Return temporary files whose writer has not finished, or has died if we hold the lock."""
        names = self.disk.list_directory(self.where)
        temporary = [name for name in names if name.endswith(TEMPORARY)]
        return [name for name in temporary if re.search(_UNFINISHED, name.removesuffix(TEMPORARY))]

    def _truncate_torn_tail(self) -> None:
        """Copy what follows the last good line to a file of its own, then truncate the journal."""
        file = self.journal
        torn = file.read_torn_tail()
        copy = f"{file.path}.torn-{self._opened_at:%Y%m%dT%H%M%S}-{crc32(torn):08x}"
        mode = SHARED if file.shared else PRIVATE
        write_atomically(self.disk, copy, torn, sync=True, mode=mode)
        self.disk.sync_directory(self.where)  # it is about to be the only copy
        file.truncate_torn_tail()
        self.notices.append(("tail_cut", {"bytes": len(torn), "kept": copy}))

    # Snapshots

    def read_snapshot(self) -> Snapshot | None:
        """Return the snapshot beside the journal."""
        if self.journal.fd < 0:
            self.journal.reopen()
        return snapshot_file.load(self.where, self.disk)

    def note_loaded(self, saved: Snapshot | None, state: PlanState) -> None:
        """Keep a snapshot that knows more than the journal: the next one is not written over it."""
        self._history_cursor = state.revision, self.journal.offset  # for followers
        self._is_behind_snapshot = False
        if saved is None:
            return
        from outlast.store import snapshot

        self._is_behind_snapshot = snapshot.is_ahead(saved, state)
        if self._is_behind_snapshot and self.journal.damage is None:
            revisions = {"revision": state.revision, "saved": saved.revision}
            self.notices.append(("journal_behind", {"path": self.journal.path, **revisions}))

    def bytes_since_snapshot(self) -> int:
        """Return how much of the journal the last snapshot does not cover."""
        file = self.journal
        is_sound = file.writable and file.damage is None
        return file.offset - self._snapshot_offset if is_sound else 0

    def save_snapshot(self, encode: Callable[[int, str], bytes]) -> None:
        """Write a snapshot of all that was read.

        The journal is synced first: the lines that a snapshot covers are not read again.
        """
        at = self._snapshot_offset = self.journal.offset
        data = encode(at, self.journal.mark.decode())
        try:
            self.sync(0)
            if self._is_behind_snapshot:
                snapshot_file.set_aside(self.where, self.disk, self._opened_at)
                self._is_behind_snapshot = False
            snapshot_file.save(self.where, self.disk, data, shared=self.journal.shared)
        except OSError as error:
            self.add_failure_notice("snapshot_failed", error)

    def add_failure_notice(self, text: str, error: Exception) -> None:
        """Add a notice about something that could not be done."""
        self.notices.append((text, {"where": self.where, "problem": describe_error(error)}))

    # Closing, errors

    def invalidate(self) -> None:
        """Close the journal."""
        self.journal.close()

    def close(self) -> None:
        """Close the journal, which also releases its lock."""
        self.journal.close()

    def damage_error(self, contradiction: int | None = None) -> DamagedJournal:
        """Return the error that names an offset, or says that there is no commit."""
        file = self.journal
        if contradiction is not None:
            return DamagedJournal("line_contradicts", path=file.path, offset=contradiction)
        if file.damage is None:
            return DamagedJournal("journal_empty", path=file.path)
        return DamagedJournal("journal_damaged", path=file.path, offset=file.offset)

    def read_error(self, error: Exception) -> StoreError:
        """Return the error of the plan for a failed read."""
        return _store_error(self.where, error)

    def write_error(self, error: Exception) -> StoreError:
        """Return the error of the plan for a failed write, which may be there all the same."""
        text = "write_unknown" if self.journal.is_write_unknown else "write_failed"
        failure = WriteFailed(text, where=self.where, problem=describe_error(error))
        failure.__cause__ = error
        return failure
