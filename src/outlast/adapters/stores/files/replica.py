"""A plan as its files have it: the journal is the truth, the snapshot saves time.

One thread at a time uses it; `FilesStore` sees to that.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.stores.files import recovery, snapshot_file
from outlast.adapters.stores.files.journal_file import JournalFile, Moved
from outlast.domain.apply import fold
from outlast.domain.state import PlanState
from outlast.errors import DamagedJournal, StoreError, UnsuitableFileSystem, WriteFailed
from outlast.formats import snapshot
from outlast.formats.checksum import MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.formats.snapshot import Snapshot
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_REMEMBERED_KEYS: Final = 10_000
_SNAPSHOT_EVERY: Final = 1 << 20  # bytes of journal
_BYTES_A_TASK: Final = 256  # of snapshot, roughly: a large plan is written less often
_REACH: Final = 1 << 16  # bytes that others wrote and that may be told as one batch with ours
_TRIES: Final = 5  # to load a plan whose file is being exchanged


def remember(answered: dict[str, int], key: str, place: int, attempts: Container[str]) -> None:
    """Note where the commit of a key stands; forget the oldest, but not that of an open attempt."""
    answered[key] = place
    if len(answered) > _REMEMBERED_KEYS:
        del answered[next((old for old in answered if old not in attempts), key)]


def is_due(grown: int, tasks: int) -> bool:
    """Tell whether replaying so many bytes would soon cost more than a snapshot of the plan."""
    return grown > _SNAPSHOT_EVERY and grown > _BYTES_A_TASK * tasks


class KeptPlan:
    """The state of a plan and how it follows its files.

    `answered` is where the commit of each remembered key stands. `stale` is that the state must be
    read anew. What stands in the journal before `safe_to`, up to the revision `safe`, is known to
    be on disk; behind it is what others wrote, who may have died before it was. It is negative when
    nothing is known.
    """

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan; what had to be mended is said in `notices`."""
        self.directory = directory
        self.notices: list[Notice] = []
        self._disk = disk
        self._opened = now
        self.safe = 0
        self.answered: dict[str, int] = {}
        self.journal = JournalFile(directory, disk)
        try:
            self.load()
            self._recover()
            self._say_damage()
        except BaseException:
            self.journal.close()  # and with the file goes the lock
            raise

    def _say_damage(self) -> None:
        if self.journal.damage is not None:
            self.notices.append(("journal_damaged", self.damaged().details))

    def forget(self) -> None:
        """Read everything anew, from a file opened anew, when it is needed next."""
        self.stale = True
        self.journal.close()

    # Following the files

    def load(self) -> None:
        """Read the plan from its files, whatever was known of it before."""
        for _ in range(_TRIES):
            if self.journal.fd < 0:
                self.journal.reopen()
            found = snapshot_file.load(self.directory, self._disk)
            if found and self._start_from(found):
                return
            if self._start(PlanState(self._opened), 0, "", {}):
                return
            self.journal.reopen()
        raise StoreError("store_busy", where=self.directory)

    def _start_from(self, found: Snapshot) -> bool:
        state = snapshot_file.restored(found) if found.offset >= MARK else None
        return bool(state and self._start(state, found.offset, found.mark, found.answered))

    def _start(self, state: PlanState, offset: int, mark: str, answered: dict[str, int]) -> bool:
        """Replay the journal from an offset on, if it is the one that was meant."""
        self.stale = True
        self.state = state
        self.answered = answered
        self.journal.go_to(offset, mark.encode())
        self.journal.check_header()
        try:
            self._take_in()
        except Moved:
            return False
        if not self.state.revision:
            raise self.damaged()
        self._snapshot_offset = offset
        self._looked_up_to = self.state.revision, self.journal.offset
        self.stale = False
        self.safe_to = -1
        return True

    def refresh(self) -> None:
        """Take in what has been appended since, by whomever."""
        self.journal.is_torn = False
        if self.stale:
            self.load()
        elif not self.journal.is_read():
            self.stale = True  # until all is taken in, whatever comes between
            try:
                self._take_in()
                self.stale = False
            except Moved:
                self._start_anew()

    def _start_anew(self) -> None:
        """Read a file again that is not what it was; say it if something safe is gone from it."""
        self.stale = True
        self.journal.reopen()
        self.load()
        if self.state.revision < self.safe:
            revisions = {"before": self.safe, "now": self.state.revision}
            self.notices.append(("plan_went_back", {"where": self.directory, **revisions}))
        self.safe = 0

    def _take_in(self) -> None:
        state = self.state
        for place, commit in self.journal.news(state.revision):
            try:
                if commit.changes:
                    fold(state, commit.changes, commit.revision, commit.at)
            except Exception as error:  # whatever a forged line leads to
                raise self.damaged() from error
            if commit.key:
                self.remember(commit.key, place)

    def remember(self, key: str, place: int) -> None:
        """Note where the commit of a key stands; that of an open attempt is not forgotten."""
        remember(self.answered, key, place, self.state.ledger.attempts)

    def past(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another; the newest without reading all."""
        if first > last:
            return []
        revision, begin = self._looked_up_to
        end = self.journal.offset
        commits = self.journal.past(begin if revision < first else 0, end)
        found = [x for x in commits if x.changes and first <= x.revision <= last]
        if last == self.state.revision:
            self._looked_up_to = last, end
        return found

    def as_of(self, revision: int) -> PlanState:
        """Return the plan as it was at a revision."""
        old = PlanState(self._opened)
        for commit in self.past(1, revision):
            fold(old, commit.changes, commit.revision, commit.at)
        return old

    # Changing them

    def with_lock(self, work: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401 - passed on
        """Do some work with the lock; whatever goes wrong, the lock does not stay behind."""
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
            self._let_go(interrupted=not isinstance(error, Exception))
            raise

    def _let_go(self, *, interrupted: bool) -> None:
        """Give the lock up: by closing the file where it is not known how far things came."""
        try:
            if self.journal.fd >= 0:
                self.journal.unlock()
                if not interrupted:
                    return
        except OSError:
            pass
        self.journal.close()

    def prepare(self) -> None:
        """Make ready to append: the plan is fresh and whole, and all but a little of it is safe."""
        journal = self.journal
        if not self.stale and journal.is_current():
            journal.is_torn = False
        else:
            self.refresh()
            if not journal.is_in_place():
                self._start_anew()
        if journal.damage is not None:
            raise self.damaged()
        if journal.is_torn:
            self._mend()
        if self.safe_to < 0 or journal.offset - self.safe_to > _REACH:
            self.make_safe()

    def unsafe(self) -> int:
        """Return how many bytes at the end of the journal may not be on disk yet."""
        return self.journal.offset - self.safe_to

    def make_safe(self) -> None:
        """Wait until all that was read is on disk, under the name by which it is found.

        Whoever made the file, or exchanged it, may have died before its name was safe.
        """
        self.journal.sync()
        if self.safe_to < 0:
            self._disk.sync_directory(self.directory)
        self.safe_to, self.safe = self.journal.offset, self.state.revision

    def append(self, lines: list[bytes]) -> None:
        """Write the lines of commits that the state has already, all or none."""
        self.journal.append(lines)
        self.safe_to, self.safe = self.journal.offset, self.state.revision

    def _recover(self) -> None:
        """Clear up what processes that died have left; what cannot be cleared up is only said."""
        if not self.journal.writable or self.journal.damage is not None:
            return
        left = recovery.leftovers(self.directory, self._disk)
        if not left and not self.journal.is_torn:
            return
        try:
            self.with_lock(self._clear_up)
        except OSError as error:
            self._note("not_mended", error)

    def _clear_up(self) -> None:
        self.refresh()
        self.notices += recovery.sweep(self.directory, self._disk)
        if self.journal.is_torn and self.journal.damage is None:
            self._mend()

    def _mend(self) -> None:
        self.notices += recovery.cut_torn(self.journal, self._disk, self._opened)

    # Snapshots

    def grown(self) -> int:
        """Return how much of the journal the last snapshot does not cover."""
        return self.journal.offset - self._snapshot_offset

    def snapshot_if_due(self) -> None:
        """Write a snapshot if replaying would soon cost more."""
        if is_due(self.grown(), len(self.state.tasks)):
            self._save_snapshot()

    def _save_snapshot(self) -> None:
        """Write a snapshot; the plan is as safe without one, so a failure is only said.

        Whoever believes a snapshot does not look at the lines before it: they must be on disk.
        """
        at, mark = self.journal.offset, self.journal.mark.decode()
        data = snapshot.write(self.state, at, mark, self.answered)
        try:
            if self.unsafe():
                self.make_safe()
            snapshot_file.save(self.directory, self._disk, data, shared=self.journal.shared)
        except OSError as error:
            self._note("snapshot_failed", error)
        self._snapshot_offset = at

    def close(self) -> None:
        """Write a snapshot if it would save time, and let go of the files."""
        sound = self.journal.writable and self.journal.damage is None and not self.stale
        try:
            if sound and self.grown() > snapshot_file.WORTH:
                self.with_lock(self._save_snapshot)
        except OSError as error:
            self._note("snapshot_failed", error)
        except UnsuitableFileSystem:
            pass  # then nothing could be written here before
        finally:
            self.forget()

    def _note(self, text: str, error: OSError) -> None:
        problem = os.strerror(error.errno or 0)
        self.notices.append((text, {"where": self.directory, "problem": problem}))

    def damaged(self) -> DamagedJournal:
        """Make the error that names the place where the journal is damaged."""
        return DamagedJournal("journal_damaged", path=self.journal.path, offset=self.journal.offset)
