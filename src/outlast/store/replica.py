"""A process's copy of one plan: its state, read from a log and kept up to date.

The commits are the truth; the snapshot only saves time. One thread at a time uses a replica;
`Store` makes sure of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import (
    HistoryDiverged,
    LockTimeout,
    PlanNotFound,
    StoreError,
    UnsuitableFileSystem,
)
from outlast.model.changes import Commit, fold
from outlast.model.state import PlanState
from outlast.store.log import End, HistoryReplaced, Log, News, Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.store.port import Notice
    from outlast.store.snapshot import Snapshot

_REMEMBERED_KEYS: Final = 10_000
_SNAPSHOT_EVERY: Final = 1 << 20  # bytes of commits
_SNAPSHOT_BYTES_PER_TASK: Final = 256  # roughly: a large plan gets a snapshot less often
_WORTHWHILE_BYTES: Final = 1 << 16  # of commits, whose replay costs more than writing a snapshot
_TRIES: Final = 5  # to load a plan that is being replaced


class Replica:
    """The state of a plan and the positions of its remembered keys.

    `stale` means that the state must be loaded again before use. `anchor` is the end of the newest
    commit that must not vanish. A history without it is another one, and refused from then on,
    unless it is that of `next_plan`, the id of the plan that is to take the key. `base` is the
    state before the first commit of the log.
    """

    def __init__(self, log: Log, now: datetime) -> None:
        """Load the plan and recover from crashes; what was repaired is in the log's notices."""
        self.log = log
        self.state: PlanState
        self.positions_by_key: dict[str, Position] = {}
        self.stale = not log.is_private
        self.anchor = End()
        self._anchored_plan = ""  # the id of the plan that has that commit
        self.next_plan = ""
        self.restarts = 0  # how often the next plan took the key
        self.base: PlanState | None = None
        self._refusal: Notice | None = None  # text and details of the error for every use
        self._opened_at = now
        if log.is_private:
            self.state = PlanState(now)
        else:
            try:
                self.refresh()
                self._recover()
            except BaseException:
                log.close()
                raise

    # Reading

    def refresh(self) -> None:
        """Apply the commits that any process added since.

        Raises `HistoryDiverged`, from then on, if the commit at the anchor is not there any more.
        """
        news: News = "grown" if self.stale else self.log.check()
        if news != "current":
            self._catch_up(news)

    def _catch_up(self, news: News) -> None:
        """Apply what is new, or load the plan again if it is stale."""
        log, replaced = self.log, End()
        if not self.stale:
            end, self.stale = log.end(self.state.revision), True  # until all are applied
            if news == "grown":
                try:
                    self._apply_new_commits()
                    self.stale = False
                except HistoryReplaced:
                    replaced = end
                    log.reopen()
            else:  # no writer replaces a whole log to withdraw its commits
                self._anchor_at(end)
                log.reopen()
        elif self._refusal is not None:
            raise HistoryDiverged(self._refusal[0], **self._refusal[1])
        if self.stale:
            self._load()
            if self.anchor.position and not log.has_end(self.anchor):
                self._follow_or_refuse()
            elif replaced.position and not log.has_end(replaced):
                details = {"where": log.where, "revision": replaced.revision}
                log.notices.append(("commit_withdrawn", details))
        settled = log.settled_end(self.state.revision)
        if settled.position > self.anchor.position:
            self._anchor_at(settled)

    def _anchor_at(self, end: End) -> None:
        self.anchor, self._anchored_plan = end, self.state.id

    def _load(self) -> None:
        """Load the plan from its snapshot and the commits after it, or from the commits alone."""
        log = self.log
        for _ in range(_TRIES):
            saved = log.read_snapshot()
            state = _restore(saved) if saved and saved.offset >= log.first_position else None
            if (saved and state and self._replay(state, saved)) or self._replay(
                PlanState(self._opened_at)
            ):
                log.note_loaded(saved, self.state)
                return
            log.reopen()
        raise StoreError("store_busy", where=log.where)

    def _replay(self, state: PlanState, saved: Snapshot | None = None) -> bool:
        """Start from the state of a snapshot, or an empty one, and apply the commits after it.

        Returns False if the log has another commit there: it is another history.
        """
        self.stale = True
        self.state, self.positions_by_key = state, saved.positions_by_key if saved else {}
        try:
            self.log.seek(*(saved.offset, saved.mark) if saved else (0, ""), state.revision)
            self._apply_new_commits()
        except HistoryReplaced:
            return False
        if not state.revision and not self.log.begins_empty:
            raise self.log.damage_error()
        self.stale = False
        return True

    def read_all(self) -> None:
        """Read every commit, also those in the snapshot; raise `DamagedJournal` if one is bad."""
        self._replay(PlanState(self._opened_at))
        self.log.prepare()

    def _apply_new_commits(self) -> None:
        state, log = self.state, self.log
        for position, commit in log.read_new(state.revision):
            if commit.changes:
                try:
                    fold(state, commit.changes, commit.revision, commit.at)
                except Exception as error:  # a forged line may lead to anything
                    raise log.damage_error(position) from error
            if commit.key:
                self.remember_key(commit.key, position)
        state.key = log.key or state.key

    def _follow_or_refuse(self) -> None:
        """Refuse the plan that was loaded, now and from then on, unless it is the next one."""
        (_, mark, revision), state = self.anchor, self.state
        if state.id == self.next_plan:
            self.anchor, self.next_plan = End(), ""
            self.restarts += 1
            return
        if state.id != self._anchored_plan:
            text = "history_foreign"
        elif state.revision < revision:
            text = "history_rolled_back"
        else:
            text = "history_diverged"
        details = {"where": self.log.where, "revision": revision, "now": state.revision}
        self._refusal = text, {**details, "mark": mark.decode(), "goal": state.goal}
        self.stale = True
        raise HistoryDiverged(text, **self._refusal[1])

    def remember_key(self, key: str, position: Position) -> None:
        """Remember an idempotency key; forget the oldest one, but never that of an open attempt."""
        known = self.positions_by_key
        known[key] = position
        if len(known) > _REMEMBERED_KEYS:
            attempts = self.state.ledger.attempts
            del known[next((old for old in known if old not in attempts), key)]

    # History

    def start_history(self) -> None:
        """Begin the history with the present state: no commits were kept before."""
        from copy import deepcopy

        self.base = deepcopy(self.state)

    def state_at(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was at a revision."""
        from copy import deepcopy

        old = PlanState(self._opened_at) if self.base is None else deepcopy(self.base)
        for commit in self.iterate(1, revision):
            fold(old, commit.changes, commit.revision, commit.at)
        old.key = self.log.key or old.key
        return old

    def iterate(self, first: int, last: int) -> Iterator[Commit]:
        """Yield the commits from one revision to another, both included, page by page."""
        read_page = self.log.read_page
        commits, position = read_page(first - 1, None) if first <= last else ([], 0)
        while commits:
            for commit in commits:
                if commit.revision > last:
                    return
                if commit.changes and commit.revision >= first:
                    yield commit
            commits, position = read_page(first - 1, position)

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision."""
        return [*self.iterate(revision + 1, self.state.revision)]

    def has(self, commit: Commit) -> bool:
        """Return whether the log has a commit that it was asked to append."""
        if commit.changes:
            return commit in self.iterate(commit.revision, commit.revision)
        position = self.positions_by_key.get(commit.key)
        return position is not None and self.log.commit_at(position) == commit

    # Writing

    def lock(self) -> None:
        """Lock the log, make the state current, and begin a batch."""
        log = self.log
        log.lock()
        news: News = "grown" if self.stale else log.check()
        if news != "current":
            self._catch_up(news)
            if log.check() == "replaced":
                self.refresh()
        log.prepare()

    def write(self, *, added: bool, read: bool) -> None:
        """Write what was added, unlock the log, and make that durable, or what was `read`."""
        log = self.log
        if added:
            log.write()
        log.unlock()
        if added or read:
            state = self.state
            self.anchor, self._anchored_plan = log.sync(state.revision), state.id

    def sync(self) -> None:
        """Make everything durable that the state has; from then on it must not vanish."""
        state = self.state
        self.anchor, self._anchored_plan = self.log.sync(state.revision), state.id

    def drop(self, error: BaseException) -> None:
        """Load the plan again before its next use: an error came while its log was locked."""
        self.stale = True
        self.log.release(interrupted=not isinstance(error, Exception))

    def with_lock(self, work: Callable[[], None], seconds: float | None = None) -> None:
        """Call `work` while holding the log's lock; raise `LockTimeout` after a time.

        That is for callers other than commits. Other threads cannot even read meanwhile, so what
        can be left undone waits only for `BRIEF` seconds.
        """
        from outlast.system.disk import LockHeld, LockWait

        log = self.log
        wait = LockWait(log.disk, log.notices, seconds)
        while True:
            try:
                log.lock()
                work()
                log.unlock()
            except LockHeld as held:
                wait.pause(held)
            except BaseException as error:
                self.drop(error)
                raise
            else:
                return

    def _recover(self) -> None:
        """Clean up after processes that died; what cannot be done now is left to the next one."""
        from outlast.system.disk import BRIEF

        log = self.log
        if log.is_damaged:
            error = log.damage_error()
            log.notices.append((error.text, error.details))
        elif log.has_leftovers():
            try:
                self.with_lock(self._clean_up, BRIEF)
            except LockTimeout:
                return
            except log.io_errors as problem:
                log.add_failure_notice("cleanup_failed", problem)

    def _clean_up(self) -> None:
        self.refresh()
        self.log.clean_up()

    # Snapshots

    def save_snapshot_if_due(self) -> None:
        """Write a snapshot if replaying would soon cost more than that."""
        grown = self.log.bytes_since_snapshot()
        if grown > _SNAPSHOT_EVERY and grown > _SNAPSHOT_BYTES_PER_TASK * len(self.state.tasks):
            self.save_snapshot()

    def save_snapshot(self) -> None:
        """Write a snapshot. The plan is as safe without one, so a failure is only a notice."""
        from outlast.system.disk import BRIEF

        try:
            self.with_lock(self._write_snapshot, BRIEF)
        except (LockTimeout, PlanNotFound, UnsuitableFileSystem):
            return  # a later commit will try again, or say what is wrong
        except self.log.io_errors as error:
            self.log.add_failure_notice("snapshot_failed", error)
        except StoreError as error:
            self.log.add_failure_notice("snapshot_failed", error)

    def _write_snapshot(self) -> None:
        from outlast.store import snapshot

        self.log.save_snapshot(
            lambda at, mark: snapshot.write(self.state, at, mark, self.positions_by_key)
        )

    # Closing

    def invalidate(self) -> None:
        """Load everything again before the next use; a forked child owns nothing of its parent."""
        self.stale = True
        self.log.invalidate()

    def close(self) -> None:
        """Write a snapshot if it is worthwhile, and release what is open."""
        try:
            if not self.stale and self.log.bytes_since_snapshot() > _WORTHWHILE_BYTES:
                self.save_snapshot()
        finally:
            self.stale = not self.log.is_private
            self.log.close()


def _restore(saved: Snapshot) -> PlanState | None:
    """Return the plan of a snapshot; None for a forged one that is no plan."""
    from outlast.store import snapshot  # a plan in memory has none

    try:
        return snapshot.restore(saved)
    except Exception:  # noqa: BLE001 - a forged file may lead to anything
        return None
