"""The replica of a plan in files: the journal, and a snapshot that only saves time."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from outlast.errors import DamagedJournal, LockTimeout, UnsuitableFileSystem, WriteFailed
from outlast.store import journal, snapshot
from outlast.store.checksum import MARK, TAIL_BYTES
from outlast.store.files import snapshot_file
from outlast.store.files.journal_file import JournalFile
from outlast.store.replica import Anchor, Replica
from outlast.system.disk import BRIEF, LockHeld, LockWait, describe_error
from outlast.system.files import PRIVATE, SHARED, TEMPORARY, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.model.changes import Commit
    from outlast.store.history import Page
    from outlast.store.snapshot import Snapshot
    from outlast.system.disk import Disk

_UNFINISHED: Final = r"\.(?:json|md)[^/]*\.\d+\.\d+\Z"  # a temporary file without its suffix
_MAX_UNSYNCED: Final = 1 << 16  # bytes by other processes that our own next sync may cover


class JournalReplica(Replica):
    """The state of a plan, kept up to date from its journal.

    The journal is known to be on disk up to `synced_offset`. What follows was written by other
    processes, which may have died before their sync. A negative offset means that nothing is known.
    """

    first_position = TAIL_BYTES

    def __init__(self, directory: str, disk: Disk, now: datetime, key: str = "") -> None:
        """Load the plan and recover from crashes; what was repaired is in `notices`."""
        super().__init__(directory, now)
        self.plan_key = key
        self._disk = disk
        self._lines: list[bytes] = []  # to be written at once, and where they will end
        self._end = 0
        self.journal = JournalFile(directory, disk)
        try:
            self.refresh()
            self._recover()
            if self.journal.damage is not None:
                self.notices.append(("journal_damaged", self.damage_error().details))
        except BaseException:
            self.journal.close()  # which also releases the lock
            raise

    def invalidate(self) -> None:
        """Close the journal; open and load everything again before the next use."""
        self.stale = True
        self.journal.close()

    # Reading

    def refresh(self) -> None:
        """Apply the commits that any process appended since, or load the journal that is new."""
        file = self.journal
        file.is_torn = False
        if self.stale:
            super().refresh()
        elif not file.is_current():
            if not file.is_in_place():  # no writer replaces the file to withdraw its lines
                self.anchor = self._newest_commit()
                self.stale = True
                file.reopen()
            super().refresh()

    def _read_new_commits(self) -> Iterator[tuple[int, Commit]]:
        return self.journal.read_new(self.state.revision)

    def _read_snapshot(self) -> Snapshot | None:
        if self.journal.fd < 0:
            self.journal.reopen()
        self._saved = snapshot_file.load(self.where, self._disk)
        return self._saved

    def _seek(self, position: int, mark: str) -> None:
        self.journal.seek(position, mark.encode(), self.state.revision)
        self.journal.check_header()
        self._snapshot_offset = position
        self.synced_offset = -1

    def _load(self) -> None:
        super()._load()
        self._history_cursor = self.state.revision, self.journal.offset  # for followers
        saved, self._saved = self._saved, None
        self._is_behind = saved is not None and snapshot.is_ahead(saved, self.state)
        if saved and self._is_behind and self.journal.damage is None:
            revisions = {"revision": self.state.revision, "saved": saved.revision}
            self.notices.append(("journal_behind", {"path": self.journal.path, **revisions}))

    def _reopen(self) -> None:
        self.journal.reopen()

    def _newest_commit(self) -> Anchor:
        file, state = self.journal, self.state
        return Anchor(file.offset, file.mark[MARK], state.revision, state.id)

    def _has_commit(self, commit: Anchor) -> bool:
        return self.journal.mark_at(commit.position) == commit.mark

    def _move_anchor(self) -> None:
        """Anchor the lines before the last batch: a failed write or sync truncates that one."""
        offset, mark, revision = self.journal.settled
        if offset > self.anchor.position:
            self.anchor = Anchor(offset, mark[MARK], revision, self.state.id)

    # History

    def read_page(self, since: int, position: int | None) -> Page:
        """Return some commits from an offset on, or around the first one after a revision."""
        if position is None:
            revision, offset = self._history_cursor
            position = offset if revision <= since else self.journal.find_before(since)
        commits, end = self.journal.read_page(position)
        if end == self.journal.offset:
            self._history_cursor = self.state.revision, end
        return commits, end

    def read_page_back(self, position: int | None) -> Page:
        """Return some commits before an offset, newest first."""
        return self.journal.read_page_back(self.journal.offset if position is None else position)

    def mark_of(self, revision: int) -> str:
        """Return the checksum of a commit: at hand for the newest one, else searched for."""
        file = self.journal
        newest, line = file.last_change
        if newest != revision:
            line = file.line_of(revision) if 0 < revision <= self.state.revision else b""
            if revision == self.state.revision:
                file.last_change = revision, line
        return journal.mark_of(line)

    def commit_at(self, position: int) -> Commit:
        """Return the commit whose line begins at an offset."""
        return self.journal.commit_at(position)

    # Writing

    def write(self, decide: Callable[[], None], settle: Callable[[], None]) -> None:
        """Append what `decide` gives under the journal's lock, and sync it without the lock.

        A process that appends meanwhile makes these lines durable with its own, and says so in
        the `back` of its first line.
        """
        self.try_with_lock(self._append_decided, decide)
        file = self.journal
        try:
            if self._lines:
                file.sync_appended(self._begin)
                self.synced_offset, state = file.offset, self.state
                self.anchor = Anchor(file.offset, file.mark[MARK], state.revision, state.id)
            elif self._is_sync_required and self.unsynced_bytes():
                self.sync()
        except OSError:
            self.stale = True
            raise
        settle()
        if self.is_snapshot_due(file.offset - self._snapshot_offset):
            with suppress(LockTimeout):  # the next commit will try again
                self.with_lock(self._save_snapshot, BRIEF)

    def _append_decided(self, decide: Callable[[], None]) -> None:
        file = self.journal
        if self.stale or file.damage is not None or not file.is_current():
            self._catch_up()
        if self.synced_offset < 0 or file.offset - self.synced_offset > _MAX_UNSYNCED:
            self.sync()
        self._before = self._end, self._lines
        self._begin = self._end = file.offset
        self._lines = []
        self._is_sync_required = False
        decide()
        if self._lines:
            file.append(self._lines)

    def append(self, commit: Commit) -> None:
        """Encode the line of a commit that the state has already, for `write`."""
        line = journal.write_commit(commit, self._end - self.synced_offset)
        self._lines.append(line)
        if commit.changes:
            self.journal.last_change = commit.revision, line
        if commit.key:
            self._remember_key(commit.key, self._end)
        self._end += len(line)

    def require_sync(self) -> None:
        """Sync the lines of other processes, which an answer is about to rely on."""
        self._is_sync_required = True

    def has_appended_before(self) -> bool:
        """Return whether the lines of the `write` before this one are in the journal; sync them."""
        end, lines = self._before
        file = self.journal
        if not lines or file.offset < end or not file.ends_at(end, lines[-1]):
            return False
        self.sync()
        return True

    def with_lock(self, work: Callable[[], None], seconds: float | None = None) -> None:
        """Call `work` while holding the journal's lock; raise `LockTimeout` after a time.

        That is for callers other than commits. Other threads cannot even read meanwhile, so what
        can be left undone waits only for `BRIEF` seconds.
        """
        wait = LockWait(self._disk, self.notices, seconds)
        while True:
            try:
                return self.try_with_lock(work)
            except LockHeld as held:
                wait.pause(held)

    def try_with_lock(self, work: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401 - passed on
        """Call `work` while holding the journal's lock, which is released whatever happens.

        Raises `LockHeld` if another process holds it.
        """
        file = self.journal
        if not file.writable:
            raise WriteFailed("not_writable", where=self.where)
        try:
            if file.fd < 0:
                file.reopen()
            file.lock()
            work(*arguments)
            file.unlock()
        except LockHeld:  # nothing is locked: neither the journal nor one that has replaced it
            raise
        except BaseException as error:
            self.stale = True
            self._release_lock(interrupted=not isinstance(error, Exception))
            raise

    def _release_lock(self, *, interrupted: bool) -> None:
        """Release the lock; after an interrupt, by closing the file."""
        try:
            if self.journal.fd >= 0:
                self.journal.unlock()
                if not interrupted:
                    return
        except OSError:
            pass
        self.journal.close()

    def _catch_up(self) -> None:
        """Make the replica current and the journal whole.

        Raises `DamagedJournal` if a line in the middle is bad.
        """
        file = self.journal
        self.refresh()
        if not file.is_in_place():
            self.refresh()
        if file.damage is not None:
            raise self.damage_error()
        if file.is_torn:
            self._truncate_torn_tail()

    def unsynced_bytes(self) -> int:
        """Return how many bytes at the end of the journal may not be on disk yet."""
        return self.journal.offset - self.synced_offset

    def sync(self) -> None:
        """Sync the journal and, the first time, its directory.

        The process that created or replaced the file may have died before its name was durable.
        """
        self.journal.sync()
        if self.synced_offset < 0:
            self._disk.sync_directory(self.where)
        self.synced_offset = self.journal.offset
        self.anchor = self._newest_commit()

    # Recovery

    def _recover(self) -> None:
        """Clean up after processes that died. A failure to do so is only a notice."""
        if not self.journal.writable or self.journal.damage is not None:
            return
        if not self._find_leftovers() and not self.journal.is_torn:
            return
        try:
            self.with_lock(self._recover_with_lock, BRIEF)
        except LockTimeout:
            return  # the next process to open the plan will try again
        except OSError as error:
            self._add_failure_notice("cleanup_failed", error)

    def _recover_with_lock(self) -> None:
        self.refresh()
        for name in self._find_leftovers():
            self._disk.remove(os.path.join(self.where, name))
            self.notices.append(("leftover_removed", {"name": name}))
        if self.journal.is_torn and self.journal.damage is None:
            self._truncate_torn_tail()

    def _find_leftovers(self) -> list[str]:
        """Return temporary files whose writer has not finished, or has died if we hold the lock."""
        names = self._disk.list_directory(self.where)
        temporary = [name for name in names if name.endswith(TEMPORARY)]
        return [name for name in temporary if re.search(_UNFINISHED, name.removesuffix(TEMPORARY))]

    def _truncate_torn_tail(self) -> None:
        """Copy what follows the last good line to a file of its own, then truncate the journal."""
        file = self.journal
        torn = file.read_torn_tail()
        copy = f"{file.path}.torn-{self._opened_at:%Y%m%dT%H%M%S}-{crc32(torn):08x}"
        mode = SHARED if file.shared else PRIVATE
        write_atomically(self._disk, copy, torn, sync=True, mode=mode)
        self._disk.sync_directory(self.where)  # it is about to be the only copy
        file.truncate_torn_tail()
        self.notices.append(("tail_cut", {"bytes": len(torn), "kept": copy}))

    # Snapshots

    def bytes_since_snapshot(self) -> int:
        """Return how much of the journal the last snapshot does not cover."""
        return self.journal.offset - self._snapshot_offset

    def _save_snapshot(self) -> None:
        """Write a snapshot. The plan is as safe without one, so a failure is only a notice.

        The journal is synced first: the lines that a snapshot covers are not read again.
        """
        at, mark = self.journal.offset, self.journal.mark.decode()
        data = snapshot.write(self.state, at, mark, self.positions_by_key)
        try:
            if self.unsynced_bytes():
                self.sync()
            if self._is_behind:
                snapshot_file.set_aside(self.where, self._disk, self._opened_at)
                self._is_behind = False
            snapshot_file.save(self.where, self._disk, data, shared=self.journal.shared)
        except OSError as error:
            self._add_failure_notice("snapshot_failed", error)
        self._snapshot_offset = at

    def close(self) -> None:
        """Write a snapshot if it is worthwhile, and close the files."""
        is_sound = self.journal.writable and self.journal.damage is None
        try:
            if is_sound and self.is_snapshot_worthwhile():
                self.with_lock(self._save_snapshot, BRIEF)
        except OSError as error:
            self._add_failure_notice("snapshot_failed", error)
        except (UnsuitableFileSystem, LockTimeout):
            pass  # nothing could have been written here, or another process is at work
        finally:
            self.invalidate()

    def _add_failure_notice(self, text: str, error: OSError) -> None:
        problem = describe_error(error)
        self.notices.append((text, {"where": self.where, "problem": problem}))

    def damage_error(self) -> DamagedJournal:
        """Return the error that names the offset of the damage, or that there is no commit."""
        if not self.state.revision and self.journal.damage is None:
            return DamagedJournal("journal_empty", path=self.journal.path)
        return DamagedJournal("journal_damaged", path=self.journal.path, offset=self.journal.offset)

    def contradiction_error(self, position: int) -> DamagedJournal:
        """Return the error that names the offset of the line."""
        return DamagedJournal("line_contradicts", path=self.journal.path, offset=position)
