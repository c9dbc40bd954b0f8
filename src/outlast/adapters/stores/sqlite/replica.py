"""The replica of a plan in a database. The commits are the truth; the snapshot only saves time.

One thread at a time uses it; `SqliteStore` makes sure of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.stores.replica import (
    Replica,
    is_snapshot_due,
    is_snapshot_worthwhile,
    remember_key,
)
from outlast.adapters.stores.sqlite.connection import DatabaseChanged
from outlast.adapters.stores.sqlite.errors import IO_ERRORS, is_read_only
from outlast.domain.changes.apply import fold
from outlast.domain.state import PlanState
from outlast.errors import DamagedJournal, PlanNotFound, StoreError
from outlast.formats import journal, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.adapters.stores.sqlite.connection import DatabaseFile
    from outlast.domain.changes import Commit
    from outlast.formats.snapshot import Snapshot

_MARK: Final = slice(-10, -2)  # of a line: its checksum
_TRIES: Final = 5  # to load a plan that is being replaced


def insert_commit(file: DatabaseFile, plan: int, place: int, commit: Commit) -> bytes:
    """Insert the row of a commit; return the journal line in it."""
    row = commit_row(plan, place, commit)
    file.query("add_commit", **row)
    line: bytes = row["line"]
    return line


def commit_row(plan: int, place: int, commit: Commit) -> dict[str, Any]:
    """Return the columns of a commit."""
    line = journal.write_commit(commit).rstrip(b"\n")
    columns = {"revision": commit.revision, "mark": line[_MARK].decode(), "line": line}
    return {"plan": plan, "place": place, **columns}


class RowReplica(Replica):
    """The state of a plan, kept up to date from its rows.

    `damage` is the place of a bad row, 0 if there is none. The rows before it can be read.
    """

    first_place = 1

    def __init__(self, file: DatabaseFile, key: str, now: datetime) -> None:
        """Load the plan; damage is reported in `notices`."""
        super().__init__(now)
        self.file = file
        self.key = key
        self._plan_opening = 0  # the opening of the file in which `_plan` was looked up
        self.refresh()
        if self.damage:
            self.notices.append(("row_damaged", self.damage_error(self.damage).details))

    # Reading

    def refresh(self) -> None:
        """Apply the commits that any process added since."""
        self.file.ensure_current()
        if self._plan_opening != self.file.times_opened:
            self._find_plan()
        if self.stale:
            self._load()
            return
        self.stale = True  # until all of them are applied, in case of an interrupt
        try:
            self._apply_new_commits()
            self.stale = False
        except DatabaseChanged:
            self._reload_replaced()

    def _find_plan(self) -> None:
        rows = self.file.query("find_plan", key=self.key)
        if not rows:
            candidates = [key for (key,) in self.file.query("plan_keys")]
            where = f"{self.file.path}: {self.key}"
            raise PlanNotFound("plan_not_found", where=where, candidates=candidates)
        [(self._plan,)] = rows
        self._plan_opening = self.file.times_opened

    def _load(self) -> None:
        for _ in range(_TRIES):
            saved = self._read_snapshot()
            self._snapshot_place = saved.offset if saved else 0
            if saved and self._replay_from_snapshot(saved):
                return
            if self._replay_from(PlanState(self._opened_at), 0, "", {}):
                return
        raise StoreError("store_busy", where=self.file.path)

    def _read_snapshot(self) -> Snapshot | None:
        rows = self.file.query("snapshot", plan=self._plan)
        return snapshot.read(rows[0][0]) if rows and isinstance(rows[0][0], bytes) else None

    def _replay_from(self, state: PlanState, place: int, mark: str, keys: dict[str, int]) -> bool:
        """Start from a state and apply the commits after a place.

        Returns False if the commit at that place does not have this mark: it is another plan.
        """
        self.stale = True
        self.state, self.positions_by_key = state, keys
        self._place, self._mark = place, mark
        self._bytes_since_snapshot = 0  # that the last snapshot does not cover
        try:
            self._apply_new_commits()
        except DatabaseChanged:
            return False
        if not self.state.revision:
            raise self.damage_error(self.damage or 1)
        self.stale = False
        return True

    def read_all(self) -> None:
        """Read every commit, also those in the snapshot; raise `DamagedJournal` if one is bad."""
        self._replay_from(PlanState(self._opened_at), 0, "", {})
        self._refuse_damage()

    def _reload_replaced(self) -> None:
        """Load a plan again whose rows were replaced; add a notice if it lost revisions."""
        before = self.state.revision
        self._load()
        if self.state.revision < before:
            revisions = {"before": before, "now": self.state.revision}
            self.notices.append(("plan_rolled_back", {"where": self.file.path, **revisions}))

    def _apply_new_commits(self) -> None:
        rows = self.file.query("new_commits", plan=self._plan, place=self._place)
        if self._place:
            if not rows or (rows[0][0], rows[0][2]) != (self._place, self._mark):
                raise DatabaseChanged
            del rows[0]
        self.damage = 0
        for place, revision, mark, line in rows:
            commit = self._parse(line)
            if commit is None or (place, revision, mark) != self._expected_columns(commit, line):
                self.damage = self._place + 1
                return
            self._apply(commit, place, line)
        if self._place < self._snapshot_place:  # the snapshot covers commits that are missing
            self.damage = self._place + 1

    def _expected_columns(self, commit: Commit, line: bytes) -> tuple[int, int, str] | None:
        """Return the columns beside a line that is the next commit; None if it is not."""
        if commit.revision != self.state.revision + bool(commit.changes):
            return None
        return self._place + 1, commit.revision, line[_MARK].decode()

    def _apply(self, commit: Commit, place: int, line: bytes) -> None:
        try:
            if commit.changes:
                fold(self.state, commit.changes, commit.revision, commit.at)
        except Exception as error:  # a forged row may lead to anything
            raise self.damage_error(place) from error
        self._advance(commit, place, line)

    def _advance(self, commit: Commit, place: int, line: bytes) -> None:
        self._place, self._mark = place, line[_MARK].decode()
        self._bytes_since_snapshot += len(line)
        if commit.key:
            remember_key(self.positions_by_key, commit.key, place, self.state.ledger.attempts)

    # History

    def commits_between(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another."""
        rows = self.file.query("commits_between", plan=self._plan, first=first, last=last)
        return [commit for commit in self._parse_rows(rows) if commit.changes]

    def _parse_rows(self, rows: list[tuple[int, bytes]]) -> Iterator[Commit]:
        for place, line in rows:
            commit = self._parse(line)
            if commit is None:
                raise self.damage_error(place)
            yield commit

    def _parse(self, line: object) -> Commit | None:
        return journal.read_commit(line) if isinstance(line, bytes) else None

    def commit_at(self, place: int) -> Commit:
        """Return the commit at a place."""
        lines = self.file.query("commit_at", plan=self._plan, place=place)
        for commit in self._parse_rows([(place, line) for (line,) in lines]):
            return commit
        raise self.damage_error(place)

    # Writing

    def write(self, work: Callable[[], None]) -> None:
        """Run `work` in a transaction on the current plan; keep what it appends, all or none."""

        def refresh_and_work() -> None:
            self.refresh()
            self._refuse_damage()
            self.stale = True  # until the transaction is committed, in case of an interrupt
            work()

        self.file.write(refresh_and_work)
        self.stale = False
        if is_snapshot_due(self._bytes_since_snapshot, len(self.state.tasks)):
            self._save_snapshot()

    def _refuse_damage(self) -> None:
        if self.damage:
            raise self.damage_error(self.damage)

    def append(self, commit: Commit) -> None:
        """Insert the row of a commit that the state has already."""
        place = self._place + 1
        line = insert_commit(self.file, self._plan, place, commit)
        self._advance(commit, place, line)

    def _save_snapshot(self) -> None:
        """Write a snapshot. The plan is as safe without one, so a failure is only a notice."""
        data = snapshot.write(self.state, self._place, self._mark, self.positions_by_key)

        def put() -> None:
            if self._plan_opening == self.file.times_opened:  # else it may be another database
                self.file.query("put_snapshot", plan=self._plan, place=self._place, data=data)

        try:
            self.file.write(put)
        except PlanNotFound:
            pass  # the next use of the plan reports it
        except (*IO_ERRORS, StoreError) as error:
            if not is_read_only(error):
                where = self.file.path
                self.notices.append(("snapshot_failed", {"where": where, "problem": str(error)}))
        self._bytes_since_snapshot = 0

    def invalidate(self) -> None:
        """Load everything again before the next use; `DatabaseFile` manages the connection."""
        self.stale = True

    def close(self) -> None:
        """Write a snapshot if it is worthwhile, and close the file."""
        try:
            if (
                not self.stale
                and not self.damage
                and is_snapshot_worthwhile(self._bytes_since_snapshot)
            ):
                self._save_snapshot()
        finally:
            self.file.close()

    def damage_error(self, place: int) -> DamagedJournal:
        """Return the error that names the damaged row."""
        return DamagedJournal("row_damaged", path=self.file.path, key=self.key, row=place)
