"""A plan in a database: its rows are its log; the snapshot only saves time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from outlast.errors import DamagedJournal, PlanNotFound, StoreError
from outlast.store import journal, snapshot
from outlast.store.log import End, HistoryReplaced, Log, News, Page
from outlast.store.sqlite.connection import IO_ERRORS, DatabaseFile, is_read_only
from outlast.store.sqlite.errors import read_error, write_error
from outlast.system.disk import tells_of_changes

if TYPE_CHECKING:
    from _thread import RLock
    from collections.abc import Callable, Iterator

    from outlast.model.changes import Commit
    from outlast.store.port import Notice
    from outlast.store.snapshot import Snapshot

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


class SqliteLog(Log):
    """The rows of a plan, which are numbered from 1. A batch of commits is one transaction.

    `_damage` is the number of a bad row, 0 if there is none. The rows before it can be read.
    """

    io_errors = IO_ERRORS

    def __init__(self, file: DatabaseFile, key: str) -> None:
        self.file, self.disk, self.where = file, file.disk, file.path
        self.notices: list[Notice] = []
        self._key = key
        self._damage = 0
        self._plan_opening = 0  # the opening of the file in which `_plan` was looked up
        self._is_locked = False

    @property
    def is_damaged(self) -> bool:
        """Whether a row is bad or missing."""
        return self._damage > 0

    def mutex(self) -> RLock:
        """Return the lock of the connection, which all plans of a database share."""
        return self.file.mutex()

    # Reading

    def watched_directory(self) -> str:
        """Return the directory of the database and its WAL, if the system tells of changes."""
        directory = os.path.dirname(self.where)
        return directory if tells_of_changes(self.disk.file_system(directory)) else ""

    def check(self) -> News:
        """Open the file that has the name now; only a query can tell what is new in it."""
        self._ensure_plan()
        return "grown"

    def _ensure_plan(self) -> None:
        self.file.ensure_current()
        if self._plan_opening != self.file.times_opened:
            self._find_plan()

    def _find_plan(self) -> None:
        rows = self.file.query("find_plan", key=self._key)
        if not rows:
            candidates = [key for (key,) in self.file.query("plan_keys")]
            where = f"{self.where}: {self._key}"
            raise PlanNotFound("plan_not_found", key=self._key, where=where, candidates=candidates)
        [(self._plan,)] = rows
        self._plan_opening = self.file.times_opened

    def seek(self, position: int, mark: str, _revision: int) -> None:
        """Go to a row."""
        self._row, self._mark = position, mark
        self._bytes_since_snapshot = 0

    def _query_new(self) -> list[Any]:
        """Return the row that was read last, and some of those after it."""
        return self.file.query(
            "new_commits", plan=self._plan, place=self._row, key=self._key, rows=_PAGE_ROWS
        )

    def read_new(self, revision: int) -> Iterator[tuple[int, Commit]]:
        """Yield the commits in the rows after the last one that was read, with their numbers."""
        rows = self._query_new()
        is_last_page = len(rows) < _PAGE_ROWS
        if not rows:
            self._refuse_moved()
        if self._row:
            if not rows or (rows[0][0], rows[0][2]) != (self._row, self._mark):
                raise HistoryReplaced
            del rows[0]
        self._damage = 0
        while rows:
            for row, *columns, line in rows:
                commit = _parse(line)
                if (
                    commit is None
                    or row != self._row + 1
                    or commit.revision != revision + bool(commit.changes)
                    or columns != [commit.revision, journal.mark_of(line)]
                ):
                    self._damage = self._row + 1
                    return
                revision = commit.revision
                self._advance(line)
                yield row, commit
            rows = [] if is_last_page else self._query_new()[1:]
            is_last_page = len(rows) < _PAGE_ROWS - 1
        if self._row < self._snapshot_row:  # the snapshot covers commits that are missing
            self._damage = self._row + 1

    def _refuse_moved(self) -> None:
        """Raise if the plan has lost its key: to the archive, and perhaps to the next plan."""
        plan = self._plan
        self._find_plan()
        if self._plan != plan:
            raise HistoryReplaced

    def _advance(self, line: bytes) -> None:
        self._row += 1
        self._mark = journal.mark_of(line)
        self._bytes_since_snapshot += len(line)

    def end(self, revision: int) -> End:
        """Return the last row that was read or written; nobody sees one that is not on disk."""
        return End(self._row, self._mark.encode(), revision)

    def has_end(self, end: End) -> bool:
        """Return whether a row still has the same commit."""
        lines = self.file.query("commit_at", plan=self._plan, place=end.position)
        line = lines[0][0] if lines else None
        return isinstance(line, bytes) and journal.mark_of(line).encode() == end.mark

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
            raise DamagedJournal("commit_damaged", path=self.where, key=self._key, row=row)
        return commit

    # Writing

    def lock(self) -> None:
        """Begin a write transaction."""
        self._is_locked = False
        self.file.refuse_nested()
        self._is_locked = True
        self.file.begin(seconds=0)

    def prepare(self) -> None:
        """Refuse a damaged plan."""
        if self._damage:
            raise self.damage_error()

    def add(self, commit: Commit) -> int:
        """Insert the row of a commit."""
        self._advance(insert_commit(self.file, self._plan, self._row + 1, commit))
        return self._row

    def unlock(self) -> None:
        """Commit the transaction, which makes it durable."""
        self.file.end()
        self._is_locked = False

    def release(self, *, interrupted: bool) -> None:  # noqa: ARG002 - both are rolled back
        """Roll back the transaction, if it was begun here and not by the answer of a commit."""
        if self._is_locked:
            self._is_locked = False
            self.file.roll_back()

    # Snapshots

    def read_snapshot(self) -> Snapshot | None:
        """Return the snapshot in the database."""
        self._ensure_plan()
        rows = self.file.query("snapshot", plan=self._plan)
        saved = snapshot.read(rows[0][0]) if rows and isinstance(rows[0][0], bytes) else None
        self._snapshot_row = saved.offset if saved else 0
        return saved

    def bytes_since_snapshot(self) -> int:
        """Return the size of the lines that the last snapshot does not cover."""
        return 0 if self._damage else self._bytes_since_snapshot

    def save_snapshot(self, encode: Callable[[int, str], bytes]) -> None:
        """Store a snapshot, unless this is another database than the one that it was made of."""
        self._bytes_since_snapshot = 0
        if self._plan_opening == self.file.times_opened:
            data = encode(self._row, self._mark)
            self.file.query("put_snapshot", plan=self._plan, place=self._row, data=data)

    def add_failure_notice(self, text: str, error: Exception) -> None:
        """Add a notice about something that could not be done, but not to read-only databases."""
        self._bytes_since_snapshot = 0
        if not is_read_only(error):
            self.notices.append((text, {"where": self.where, "problem": str(error)}))

    # Closing, errors

    def close(self) -> None:
        """Close the file if no other plan uses it."""
        self.file.remove_user(self)

    def damage_error(self, contradiction: int | None = None) -> DamagedJournal:
        """Return the error that names a row: the damaged one, or the last one that was read."""
        if contradiction is not None:
            return DamagedJournal(
                "row_contradicts", path=self.where, key=self._key, row=contradiction
            )
        row = self._damage or self._row or 1
        return DamagedJournal("row_damaged", path=self.where, key=self._key, row=row)

    def read_error(self, error: Exception) -> StoreError:
        """Return the error of the plan for a failed read."""
        return read_error(self.where, error)

    def write_error(self, error: Exception) -> StoreError:
        """Return the error of the plan for a failed write."""
        failure = write_error(self.where, error)
        failure.__cause__ = error
        return failure


def _parse(line: object) -> Commit | None:
    return journal.read_commit(line) if isinstance(line, bytes) else None
