"""The replica of a plan in a database: its commits, and a snapshot that only saves time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.stores.replica import HistoryReplaced, Replica
from outlast.adapters.stores.sqlite.errors import IO_ERRORS, is_read_only
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


def insert_commit(file: DatabaseFile, plan: int, row: int, commit: Commit) -> bytes:
    """Insert the row of a commit; return the journal line in it."""
    columns = commit_columns(plan, row, commit)
    file.query("add_commit", **columns)
    line: bytes = columns["line"]
    return line


def commit_columns(plan: int, row: int, commit: Commit) -> dict[str, Any]:
    """Return the columns of a commit."""
    line = journal.write_commit(commit).rstrip(b"\n")
    columns = {"revision": commit.revision, "mark": line[_MARK].decode(), "line": line}
    return {"plan": plan, "place": row, **columns}


class RowReplica(Replica):
    """The state of a plan, kept up to date from its rows, which are numbered from 1.

    `damage` is the number of a bad row, 0 if there is none. The rows before it can be read.
    """

    first_position = 1

    def __init__(self, file: DatabaseFile, key: str, now: datetime) -> None:
        """Load the plan; damage is reported in `notices`."""
        super().__init__(file.path, now)
        self.file = file
        self.key = key
        self.damage = 0
        self._plan_opening = 0  # the opening of the file in which `_plan` was looked up
        self._appended = 0, ""  # the last row and its mark
        self.refresh()
        if self.damage:
            self.notices.append(("row_damaged", self.damage_error().details))

    # Reading

    def refresh(self) -> None:
        """Apply the commits that any process added since."""
        self.file.ensure_current()
        if self._plan_opening != self.file.times_opened:
            self._find_plan()
        super().refresh()

    def _find_plan(self) -> None:
        rows = self.file.query("find_plan", key=self.key)
        if not rows:
            candidates = [key for (key,) in self.file.query("plan_keys")]
            where = f"{self.where}: {self.key}"
            raise PlanNotFound("plan_not_found", key=self.key, where=where, candidates=candidates)
        [(self._plan,)] = rows
        self._plan_opening = self.file.times_opened

    def _read_snapshot(self) -> Snapshot | None:
        rows = self.file.query("snapshot", plan=self._plan)
        saved = snapshot.read(rows[0][0]) if rows and isinstance(rows[0][0], bytes) else None
        self._snapshot_row = saved.offset if saved else 0
        return saved

    def _seek(self, position: int, mark: str) -> None:
        self._row, self._mark = position, mark
        self._bytes_since_snapshot = 0
        self.synced_revision = self.state.revision

    def read_all(self) -> None:
        """Read every commit, also those in the snapshot; raise `DamagedJournal` if one is bad."""
        self._replay_from(PlanState(self._opened_at), 0, "", {})
        self.refuse_damage()

    def _read_new_commits(self) -> Iterator[tuple[int, Commit]]:
        rows = self.file.query("new_commits", plan=self._plan, place=self._row, key=self.key)
        if not rows:
            self._refuse_moved()
        if self._row:
            if not rows or (rows[0][0], rows[0][2]) != (self._row, self._mark):
                raise HistoryReplaced
            del rows[0]
        self.damage = 0
        for row, revision, mark, line in rows:
            commit = _parse(line)
            if commit is None or (row, revision, mark) != self._expected_columns(commit, line):
                self.damage = self._row + 1
                return
            self._advance(commit, line)
            yield row, commit
        if self._row < self._snapshot_row:  # the snapshot covers commits that are missing
            self.damage = self._row + 1

    def _refuse_moved(self) -> None:
        """Raise if the plan has lost its key: to the archive, and perhaps to the next plan."""
        plan = self._plan
        self._find_plan()
        if self._plan != plan:
            raise HistoryReplaced

    def _expected_columns(self, commit: Commit, line: bytes) -> tuple[int, int, str] | None:
        """Return the columns beside a line that is the next commit; None if it is not."""
        if commit.revision != self.state.revision + bool(commit.changes):
            return None
        return self._row + 1, commit.revision, line[_MARK].decode()

    def _advance(self, commit: Commit, line: bytes) -> None:
        self._row += 1
        self._mark = line[_MARK].decode()
        self._bytes_since_snapshot += len(line)
        self.synced_revision = commit.revision

    # History

    def commits_between(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another."""
        rows = self.file.query("commits_between", plan=self._plan, first=first, last=last)
        commits = [self._parse_sound(row, line) for row, line in rows]
        return [commit for commit in commits if commit.changes]

    def commit_at(self, position: int) -> Commit:
        """Return the commit in a row."""
        lines = self.file.query("commit_at", plan=self._plan, place=position)
        return self._parse_sound(position, lines[0][0] if lines else None)

    def _parse_sound(self, row: int, line: object) -> Commit:
        commit = _parse(line)
        if commit is None:
            raise self._damage_error_at(row)
        return commit

    # Writing

    def write(self, decide: Callable[[], None], settle: Callable[[], None]) -> None:
        """Insert what `decide` gives in one transaction."""

        def refresh_and_decide() -> None:
            self.refresh()
            self.refuse_damage()
            self.stale = True  # until the transaction is committed, in case of an interrupt
            decide()

        self.file.write(refresh_and_decide)
        settle()
        self.stale = False
        if self.is_snapshot_due(self._bytes_since_snapshot):
            self._save_snapshot()

    def refuse_damage(self) -> None:
        """Raise `DamagedJournal` if a row is bad."""
        if self.damage:
            raise self.damage_error()

    def append(self, commit: Commit) -> None:
        """Insert the row of a commit that the state has already."""
        row = self._row + 1
        self._advance(commit, insert_commit(self.file, self._plan, row, commit))
        self._appended = row, self._mark
        if commit.key:
            self._remember_key(commit.key, row)

    def has_appended_before(self) -> bool:
        """Return whether the row that the `write` before this one inserted last is there."""
        row, mark = self._appended
        lines = self.file.query("commit_at", plan=self._plan, place=row)
        return bool(lines) and lines[0][0][_MARK].decode() == mark

    def bytes_since_snapshot(self) -> int:
        """Return the size of the lines that the last snapshot does not cover."""
        return self._bytes_since_snapshot

    def _save_snapshot(self) -> None:
        """Write a snapshot. The plan is as safe without one, so a failure is only a notice."""
        data = snapshot.write(self.state, self._row, self._mark, self.positions_by_key)

        def put() -> None:
            if self._plan_opening == self.file.times_opened:  # else it may be another database
                self.file.query("put_snapshot", plan=self._plan, place=self._row, data=data)

        try:
            self.file.write(put)
        except PlanNotFound:
            pass  # the next use of the plan reports it
        except (*IO_ERRORS, StoreError) as error:
            if not is_read_only(error):
                details: dict[str, object] = {"where": self.where, "problem": str(error)}
                self.notices.append(("snapshot_failed", details))
        self._bytes_since_snapshot = 0

    # Closing

    def invalidate(self) -> None:
        """Load everything again before the next use; `DatabaseFile` manages the connection."""
        self.stale = True

    def close(self) -> None:
        """Write a snapshot if it is worthwhile; other plans may use the file."""
        if not self.damage and self.is_snapshot_worthwhile():
            self._save_snapshot()

    def damage_error(self) -> DamagedJournal:
        """Return the error that names the damaged row, or the last one that was read."""
        return self._damage_error_at(self.damage or self._row or 1)

    def _damage_error_at(self, row: int) -> DamagedJournal:
        return DamagedJournal("row_damaged", path=self.where, key=self.key, row=row)


def _parse(line: object) -> Commit | None:
    return journal.read_commit(line) if isinstance(line, bytes) else None
