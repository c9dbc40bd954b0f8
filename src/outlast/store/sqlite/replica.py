"""The replica of a plan in a database: its commits, and a snapshot that only saves time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.errors import DamagedJournal, LockTimeout, PlanNotFound, StoreError
from outlast.model.state import PlanState
from outlast.store import journal, snapshot
from outlast.store.replica import Anchor, HistoryReplaced, Replica
from outlast.store.sqlite.codes import IO_ERRORS, is_read_only
from outlast.system.disk import BRIEF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.model.changes import Commit
    from outlast.store.history import Page
    from outlast.store.snapshot import Snapshot
    from outlast.store.sqlite.connection import DatabaseFile

_PAGE_ROWS: Final = 200  # that are read at once


def insert_commit(file: DatabaseFile, plan: int, row: int, commit: Commit) -> bytes:
    """Insert the row of a commit; return the journal line in it."""
    columns = commit_columns(plan, row, commit)
    file.query("add_commit", **columns)
    line: bytes = columns["line"]
    return line


def commit_columns(plan: int, row: int, commit: Commit) -> dict[str, Any]:
    """Return the columns of a commit."""
    line = journal.write_commit(commit).rstrip(b"\n")
    columns = {"revision": commit.revision, "mark": journal.mark_of(line), "line": line}
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
        self._appended = Anchor()  # the last row
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

    def _newest_commit(self) -> Anchor:
        state = self.state
        return Anchor(self._row, self._mark.encode(), state.revision, state.id)

    def _has_commit(self, commit: Anchor) -> bool:
        lines = self.file.query("commit_at", plan=self._plan, place=commit.position)
        line = lines[0][0] if lines else None
        return isinstance(line, bytes) and journal.mark_of(line).encode() == commit.mark

    def _move_anchor(self) -> None:
        """Anchor the newest row: others see a transaction only once it is on disk."""
        self.anchor = self._newest_commit()

    def read_all(self) -> None:
        """Read every commit, also those in the snapshot; raise `DamagedJournal` if one is bad."""
        self._replay_from(PlanState(self._opened_at), 0, "", {})
        self.refuse_damage()

    def _query_new(self) -> list[Any]:
        """Return the row that was read last, and some of those after it."""
        return self.file.query(
            "new_commits", plan=self._plan, place=self._row, key=self.key, rows=_PAGE_ROWS
        )

    def _read_new_commits(self) -> Iterator[tuple[int, Commit]]:
        rows = self._query_new()
        is_last_page = len(rows) < _PAGE_ROWS
        if not rows:
            self._refuse_moved()
        if self._row:
            if not rows or (rows[0][0], rows[0][2]) != (self._row, self._mark):
                raise HistoryReplaced
            del rows[0]
        self.damage = 0
        while rows:
            for row, revision, mark, line in rows:
                commit = _parse(line)
                if commit is None or (row, revision, mark) != self._expected_columns(commit, line):
                    self.damage = self._row + 1
                    return
                self._advance(line)
                yield row, commit
            rows = [] if is_last_page else self._query_new()[1:]
            is_last_page = len(rows) < _PAGE_ROWS - 1
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
        return self._row + 1, commit.revision, journal.mark_of(line)

    def _advance(self, line: bytes) -> None:
        self._row += 1
        self._mark = journal.mark_of(line)
        self._bytes_since_snapshot += len(line)

    # History

    def read_page(self, since: int, position: int | None) -> Page:
        """Return the commits in some rows; a revision is never in a row before its number."""
        return self._query_page("commits_after", since if position is None else position)

    def read_page_back(self, position: int | None) -> Page:
        """Return the commits in some rows before one, newest first."""
        return self._query_page("commits_before", self._row + 1 if position is None else position)

    def _query_page(self, query: str, place: int) -> Page:
        rows = self.file.query(query, plan=self._plan, place=place, last=self._row, rows=_PAGE_ROWS)
        commits = [self._parse_sound(row, line) for row, line in rows]
        return commits, rows[-1][0] if rows else place

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision; "" if there is none."""
        rows = self.file.query("mark_of", plan=self._plan, revision=revision)
        return rows[0][0] if rows else ""

    def commit_at(self, position: int) -> Commit:
        """Return the commit in a row."""
        lines = self.file.query("commit_at", plan=self._plan, place=position)
        return self._parse_sound(position, lines[0][0] if lines else None)

    def _parse_sound(self, row: int, line: object) -> Commit:
        commit = _parse(line)
        if commit is None:
            raise DamagedJournal("commit_damaged", path=self.where, key=self.key, row=row)
        return commit

    # Writing

    def write(self, decide: Callable[[], None], settle: Callable[[], None]) -> None:
        """Insert what `decide` gives in one transaction."""

        def refresh_and_decide() -> None:
            self.refresh()
            self.refuse_damage()
            self.stale = True  # until the transaction is committed, in case of an interrupt
            decide()

        self.file.write(refresh_and_decide, seconds=0)  # `SharedStore` waits without the mutex
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
        self._advance(insert_commit(self.file, self._plan, row, commit))
        self._appended = self._newest_commit()
        if commit.key:
            self._remember_key(commit.key, row)

    def has_appended_before(self) -> bool:
        """Return whether the row that the `write` before this one inserted last is there."""
        return self._has_commit(self._appended)

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
            self.file.write(put, seconds=BRIEF)
        except PlanNotFound:
            pass  # the next use of the plan reports it
        except LockTimeout:
            return  # the next commit will try again
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
        row = self.damage or self._row or 1
        return DamagedJournal("row_damaged", path=self.where, key=self.key, row=row)

    def contradiction_error(self, position: int) -> DamagedJournal:
        """Return the error that names the row."""
        return DamagedJournal("row_contradicts", path=self.where, key=self.key, row=position)


def _parse(line: object) -> Commit | None:
    return journal.read_commit(line) if isinstance(line, bytes) else None
