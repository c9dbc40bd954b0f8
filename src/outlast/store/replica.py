"""A process's copy of one plan, kept up to date from its commits: what files and SQLite share.

The commits are the truth; the snapshot only saves time. One thread at a time uses a replica;
`SharedStore` makes sure of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeVar

from outlast.errors import HistoryDiverged, StoreError
from outlast.model.changes import fold
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator
    from datetime import datetime

    from outlast.errors import DamagedJournal
    from outlast.model.changes import Commit
    from outlast.store.history import Page
    from outlast.store.port import Notice
    from outlast.store.snapshot import Snapshot

T = TypeVar("T")
_REMEMBERED_KEYS: Final = 10_000
_SNAPSHOT_EVERY: Final = 1 << 20  # bytes of journal
_SNAPSHOT_BYTES_PER_TASK: Final = 256  # roughly: a large plan gets a snapshot less often
_WORTHWHILE_BYTES: Final = 1 << 16  # of journal, whose replay costs more than writing a snapshot
_TRIES: Final = 5  # to load a plan that is being replaced


class HistoryReplaced(Exception):
    """The stored commits are not the ones that were read before."""


class Anchor(NamedTuple):
    """The newest commit that must not vanish: where it is, its checksum, and its plan."""

    position: int = 0
    mark: bytes = b""
    revision: int = 0
    plan: str = ""


def remember_key(known: dict[str, T], key: str, value: T, attempts: Container[str]) -> None:
    """Remember an idempotency key; forget the oldest one, but never that of an open attempt."""
    known[key] = value
    if len(known) > _REMEMBERED_KEYS:
        del known[next((old for old in known if old not in attempts), key)]


class Replica:
    """The state of a plan and how far its commits were read.

    A position is where a commit is stored: an offset in a file, or a row. `positions_by_key` has
    those of the remembered keys. `stale` means that the state must be loaded again before use.
    A history without the commit at `anchor` is another one, and refused from then on, unless it is
    that of `next_plan`, the id of the plan that is to take the key.
    """

    first_position: ClassVar[int]  # at which a snapshot can end
    plan_key = ""  # of its directory, which may be a copy or renamed; if empty, that of its commits
    state: PlanState
    anchor = Anchor()
    next_plan = ""
    restarts = 0  # how often the next plan took the key
    _refusal: Notice | None = None  # text and details of the error for every use

    def __init__(self, where: str, now: datetime) -> None:
        self.where = where
        self.notices: list[Notice] = []
        self.positions_by_key: dict[str, int] = {}
        self.stale = True
        self._opened_at = now

    # Reading

    def refresh(self) -> None:
        """Apply the commits that any process added since.

        Raises `HistoryDiverged`, from then on, if the commit at the anchor is not there any more.
        """
        if self._refusal is not None:
            raise HistoryDiverged(self._refusal[0], **self._refusal[1])
        replaced = Anchor()
        if not self.stale:
            self.stale = True  # until all of them are applied, in case of an interrupt
            try:
                self._apply_new_commits()
                self.stale = False
            except HistoryReplaced:
                replaced = self._newest_commit()
                self._reopen()
        if self.stale:
            self._load()
            if self.anchor.position and not self._has_commit(self.anchor):
                self._follow_or_refuse()
            elif replaced.position and not self._has_commit(replaced):
                details = {"where": self.where, "revision": replaced.revision}
                self.notices.append(("commit_withdrawn", details))
        self._move_anchor()

    def _load(self) -> None:
        """Load the plan from its snapshot and the commits after it, or from the commits alone."""
        for _ in range(_TRIES):
            saved = self._read_snapshot()
            state = _restore(saved) if saved and saved.offset >= self.first_position else None
            if (
                saved
                and state
                and self._replay_from(state, saved.offset, saved.mark, saved.positions_by_key)
            ):
                return
            if self._replay_from(PlanState(self._opened_at), 0, "", {}):
                return
            self._reopen()
        raise StoreError("store_busy", where=self.where)

    def _replay_from(
        self, state: PlanState, position: int, mark: str, keys: dict[str, int]
    ) -> bool:
        """Start from a state and apply the commits after a position.

        Returns False if the commit there does not end in this mark: it is another history.
        """
        self.stale = True
        self.state, self.positions_by_key = state, keys
        self._seek(position, mark)
        try:
            self._apply_new_commits()
        except HistoryReplaced:
            return False
        if not state.revision:
            raise self.damage_error()
        self.stale = False
        return True

    def _apply_new_commits(self) -> None:
        state = self.state
        for position, commit in self._read_new_commits():
            if commit.changes:
                try:
                    fold(state, commit.changes, commit.revision, commit.at)
                except Exception as error:  # a forged line may lead to anything
                    raise self.contradiction_error(position) from error
            if commit.key:
                self._remember_key(commit.key, position)
        state.key = self.plan_key or state.key

    def _follow_or_refuse(self) -> None:
        """Refuse the plan that was loaded, now and from then on, unless it is the next one."""
        anchor, state = self.anchor, self.state
        if state.id == self.next_plan:
            self.anchor, self.next_plan = Anchor(), ""
            self.restarts += 1
            return
        if state.id != anchor.plan:
            text = "history_foreign"
        elif state.revision < anchor.revision:
            text = "history_rolled_back"
        else:
            text = "history_diverged"
        details = {"where": self.where, "revision": anchor.revision, "now": state.revision}
        self._refusal = text, {**details, "mark": anchor.mark.decode(), "goal": state.goal}
        self.stale = True
        raise HistoryDiverged(text, **self._refusal[1])

    def _remember_key(self, key: str, position: int) -> None:
        remember_key(self.positions_by_key, key, position, self.state.ledger.attempts)

    # History

    def state_at(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was at a revision."""
        old = PlanState(self._opened_at)
        for commit in self.iterate(1, revision):
            fold(old, commit.changes, commit.revision, commit.at)
        old.key = self.plan_key or old.key
        return old

    def commits_between(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another, both included."""
        return [*self.iterate(first, last)]

    def iterate(self, first: int, last: int) -> Iterator[Commit]:
        """Yield the commits from one revision to another, page by page."""
        commits, position = self.read_page(first - 1, None) if first <= last else ([], 0)
        while commits:
            for commit in commits:
                if commit.revision > last:
                    return
                if commit.changes and commit.revision >= first:
                    yield commit
            commits, position = self.read_page(first - 1, position)

    def read_page(self, since: int, position: int | None) -> Page:
        """Return some commits from a position on, oldest first, and the position after them.

        Without a position they begin before or at the first commit after a revision.
        """
        raise NotImplementedError

    def read_page_back(self, position: int | None) -> Page:
        """Return some commits before a position, newest first, and the position of the oldest.

        Without a position they are the newest ones.
        """
        raise NotImplementedError

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision; "" if there is none."""
        raise NotImplementedError

    def commit_at(self, position: int) -> Commit:
        """Return the commit at a position."""
        raise NotImplementedError

    # Writing

    def write(self, decide: Callable[[], None], settle: Callable[[], None]) -> None:
        """Take the lock between processes, refresh, and make durable what `decide` appends.

        Calls `settle` as soon as that is durable. All or nothing is kept. If an interrupt comes,
        the next one can ask `has_appended_before`.
        """
        raise NotImplementedError

    def append(self, commit: Commit) -> None:
        """Add a commit, which the state has already, to what `write` makes durable."""
        raise NotImplementedError

    def require_sync(self) -> None:
        """Sync what other processes have written, even if nothing is appended to it."""

    def has_appended_before(self) -> bool:
        """Return, inside `write`, whether the `write` before it was kept; it is durable then."""
        raise NotImplementedError

    def is_snapshot_due(self, grown: int) -> bool:
        """Return whether replaying so many bytes would soon cost more than a snapshot."""
        return grown > _SNAPSHOT_EVERY and grown > _SNAPSHOT_BYTES_PER_TASK * len(self.state.tasks)

    def is_snapshot_worthwhile(self) -> bool:
        """Return whether to write a snapshot when the plan is closed."""
        return not self.stale and self.bytes_since_snapshot() > _WORTHWHILE_BYTES

    def bytes_since_snapshot(self) -> int:
        """Return the size of the commits that the last snapshot does not cover."""
        raise NotImplementedError

    # Closing

    def invalidate(self) -> None:
        """Load everything again before the next use; a forked child owns nothing of its parent."""
        raise NotImplementedError

    def close(self) -> None:
        """Write a snapshot if it is worthwhile, and release the files."""
        raise NotImplementedError

    def damage_error(self) -> DamagedJournal:
        """Return the error that names the damaged position."""
        raise NotImplementedError

    def contradiction_error(self, position: int) -> DamagedJournal:
        """Return the error that names a sound commit which does not fit those before it."""
        raise NotImplementedError

    # What the kinds of storage differ in

    def _read_new_commits(self) -> Iterator[tuple[int, Commit]]:
        """Yield the commits after the current position with their own, and advance it.

        Raises `HistoryReplaced` if the commit before is not the one that was read.
        """
        raise NotImplementedError

    def _read_snapshot(self) -> Snapshot | None:
        raise NotImplementedError

    def _seek(self, position: int, mark: str) -> None:
        """Go to a position, after a commit with a mark."""
        raise NotImplementedError

    def _reopen(self) -> None:
        """Open the file that has the name now."""

    def _newest_commit(self) -> Anchor:
        """Return where the newest commit is that was read or written."""
        raise NotImplementedError

    def _has_commit(self, commit: Anchor) -> bool:
        """Return whether a commit is where it was."""
        raise NotImplementedError

    def _move_anchor(self) -> None:
        """Anchor the newest commit that was read and cannot be withdrawn by its writer."""
        raise NotImplementedError


def _restore(saved: Snapshot) -> PlanState | None:
    """Return the plan of a snapshot; None for a forged one that is no plan."""
    from outlast.store import snapshot  # a plan in memory has none

    try:
        return snapshot.restore(saved)
    except Exception:  # noqa: BLE001 - a forged file may lead to anything
        return None
