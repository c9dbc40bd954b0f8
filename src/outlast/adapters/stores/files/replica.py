"""The replica of a plan in files. The journal is the truth; the snapshot only saves time.

One thread at a time uses it; `FilesStore` makes sure of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.stores.files import recovery, snapshot_file
from outlast.adapters.stores.files.journal_file import JournalFile, JournalReplaced
from outlast.adapters.stores.replica import (
    Replica,
    is_snapshot_due,
    is_snapshot_worthwhile,
    remember_key,
)
from outlast.domain.changes.apply import fold
from outlast.domain.state import PlanState
from outlast.errors import DamagedJournal, StoreError, UnsuitableFileSystem, WriteFailed
from outlast.formats import snapshot
from outlast.formats.checksum import TAIL_BYTES
from outlast.system.disk import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.system.disk import Disk

_MAX_UNSYNCED: Final = 1 << 16  # bytes by other processes that our own next sync may cover
_TRIES: Final = 5  # to load a journal that is being replaced


class JournalReplica(Replica):
    """The state of a plan, kept up to date from its journal.

    The journal is known to be on disk up to `synced_offset`, the end of revision
    `synced_revision`. What follows was written by other processes, which may have died before their
    sync. A negative offset means that nothing is known.
    """

    first_place = TAIL_BYTES

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Load the plan and recover from crashes; what was repaired is in `notices`."""
        super().__init__(now)
        self.directory = directory
        self._disk = disk
        self.synced_revision = 0
        self.journal = JournalFile(directory, disk)
        try:
            self.load()
            self._recover()
            self._report_damage()
        except BaseException:
            self.journal.close()  # which also releases the lock
            raise

    def _report_damage(self) -> None:
        if self.journal.damage is not None:
            self.notices.append(("journal_damaged", self.damage_error().details))

    def invalidate(self) -> None:
        """Close the journal; open and load everything again before the next use."""
        self.stale = True
        self.journal.close()

    # Reading

    def load(self) -> None:
        """Load the plan from its snapshot and journal, or from the journal alone."""
        for _ in range(_TRIES):
            if self.journal.fd < 0:
                self.journal.reopen()
            saved = snapshot_file.load(self.directory, self._disk)
            if saved and self._replay_from_snapshot(saved):
                return
            if self._replay_from(PlanState(self._opened_at), 0, "", {}):
                return
            self.journal.reopen()
        raise StoreError("store_busy", where=self.directory)

    def _replay_from(self, state: PlanState, place: int, mark: str, keys: dict[str, int]) -> bool:
        """Start from a state and replay the journal from an offset on.

        Returns False if the line before that offset does not end in `mark`: it is another journal.
        """
        self.stale = True
        self.state = state
        self.positions_by_key = keys
        self.journal.seek(place, mark.encode())
        self.journal.check_header()
        try:
            self._apply_new_commits()
        except JournalReplaced:
            return False
        if not self.state.revision:
            raise self.damage_error()
        self._snapshot_offset = place
        self._history_cursor = self.state.revision, self.journal.offset
        self.stale = False
        self.synced_offset = -1
        return True

    def refresh(self) -> None:
        """Apply the commits that any process appended since."""
        self.journal.is_torn = False
        if self.stale:
            self.load()
        elif not self.journal.is_unchanged():
            self.stale = True  # until all of them are applied, in case of an interrupt
            try:
                self._apply_new_commits()
                self.stale = False
            except JournalReplaced:
                self._reload_replaced()

    def _reload_replaced(self) -> None:
        """Reopen a journal that was replaced; add a notice if synced commits are missing."""
        self.stale = True
        self.journal.reopen()
        self.load()
        if self.state.revision < self.synced_revision:
            revisions = {"before": self.synced_revision, "now": self.state.revision}
            self.notices.append(("plan_rolled_back", {"where": self.directory, **revisions}))
        self.synced_revision = 0

    def _apply_new_commits(self) -> None:
        state = self.state
        for place, commit in self.journal.read_new(state.revision):
            try:
                if commit.changes:
                    fold(state, commit.changes, commit.revision, commit.at)
            except Exception as error:  # a forged line may lead to anything
                raise self.damage_error() from error
            if commit.key:
                self.remember(commit.key, place)

    def remember(self, key: str, place: int) -> None:
        """Remember the offset of the commit with an idempotency key."""
        remember_key(self.positions_by_key, key, place, self.state.ledger.attempts)

    def commits_between(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another; the newest ones without a full read."""
        if first > last:
            return []
        revision, begin = self._history_cursor
        end = self.journal.offset
        commits = self.journal.read_between(begin if revision < first else 0, end)
        chosen = [x for x in commits if x.changes and first <= x.revision <= last]
        if last == self.state.revision:
            self._history_cursor = last, end
        return chosen

    # Writing

    def with_lock(self, work: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401 - passed on
        """Call `work` while holding the journal's lock, which is released whatever happens."""
        journal = self.journal
        if not journal.writable:
            raise WriteFailed("not_writable", where=self.directory)
        try:
            if journal.fd < 0:
                journal.reopen()
            journal.lock()
            work(*arguments)
            journal.unlock()
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

    def prepare_append(self) -> None:
        """Make the replica current and the journal whole, and sync it if much of it is not.

        The caller holds the lock. Raises `DamagedJournal` if a line in the middle is bad.
        """
        journal = self.journal
        if not self.stale and journal.is_current():
            journal.is_torn = False
        else:
            self.refresh()
            if not journal.is_in_place():
                self._reload_replaced()
        if journal.damage is not None:
            raise self.damage_error()
        if journal.is_torn:
            self._truncate_torn_tail()
        if self.synced_offset < 0 or journal.offset - self.synced_offset > _MAX_UNSYNCED:
            self.sync()

    def unsynced_bytes(self) -> int:
        """Return how many bytes at the end of the journal may not be on disk yet."""
        return self.journal.offset - self.synced_offset

    def sync(self) -> None:
        """Sync the journal and, the first time, its directory.

        The process that created or replaced the file may have died before its name was durable.
        """
        self.journal.sync()
        if self.synced_offset < 0:
            self._disk.sync_directory(self.directory)
        self.synced_offset, self.synced_revision = self.journal.offset, self.state.revision

    def append(self, lines: list[bytes]) -> None:
        """Append the lines of commits that the state has already, all or none."""
        self.journal.append(lines)
        self.synced_offset, self.synced_revision = self.journal.offset, self.state.revision

    def _recover(self) -> None:
        """Clean up after processes that died. A failure to do so is only a notice."""
        if not self.journal.writable or self.journal.damage is not None:
            return
        leftovers = recovery.find_leftovers(self.directory, self._disk)
        if not leftovers and not self.journal.is_torn:
            return
        try:
            self.with_lock(self._recover_with_lock)
        except OSError as error:
            self._add_failure_notice("cleanup_failed", error)

    def _recover_with_lock(self) -> None:
        self.refresh()
        self.notices += recovery.remove_leftovers(self.directory, self._disk)
        if self.journal.is_torn and self.journal.damage is None:
            self._truncate_torn_tail()

    def _truncate_torn_tail(self) -> None:
        self.notices += recovery.truncate_torn_tail(self.journal, self._disk, self._opened_at)

    # Snapshots

    def bytes_since_snapshot(self) -> int:
        """Return how much of the journal the last snapshot does not cover."""
        return self.journal.offset - self._snapshot_offset

    def save_snapshot_if_due(self) -> None:
        """Write a snapshot if replaying the journal would soon cost more."""
        if is_snapshot_due(self.bytes_since_snapshot(), len(self.state.tasks)):
            self._save_snapshot()

    def _save_snapshot(self) -> None:
        """Write a snapshot. The plan is as safe without one, so a failure is only a notice.

        The journal is synced first: the lines that a snapshot covers are not read again.
        """
        at, mark = self.journal.offset, self.journal.mark.decode()
        data = snapshot.write(self.state, at, mark, self.positions_by_key)
        try:
            if self.unsynced_bytes():
                self.sync()
            snapshot_file.save(self.directory, self._disk, data, shared=self.journal.shared)
        except OSError as error:
            self._add_failure_notice("snapshot_failed", error)
        self._snapshot_offset = at

    def close(self) -> None:
        """Write a snapshot if it is worthwhile, and close the files."""
        sound = self.journal.writable and self.journal.damage is None and not self.stale
        try:
            if sound and is_snapshot_worthwhile(self.bytes_since_snapshot()):
                self.with_lock(self._save_snapshot)
        except OSError as error:
            self._add_failure_notice("snapshot_failed", error)
        except UnsuitableFileSystem:
            pass  # nothing could have been written here
        finally:
            self.invalidate()

    def _add_failure_notice(self, text: str, error: OSError) -> None:
        problem = describe_error(error)
        self.notices.append((text, {"where": self.directory, "problem": problem}))

    def damage_error(self) -> DamagedJournal:
        """Return the error that names the offset of the damage."""
        return DamagedJournal("journal_damaged", path=self.journal.path, offset=self.journal.offset)
