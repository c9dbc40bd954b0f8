"""Repair of a damaged database, which loses nothing that can be read.

The damaged database is kept as a copy. What can be read of all plans is put together in a new one,
which replaces the content in one transaction, so that open connections go on with it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from itertools import groupby
from stat import S_IMODE
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from msgspec.structs import replace

from outlast.errors import DamagedJournal, PlanNotFound, StoreError
from outlast.model.changes import Commit, PlanCreated
from outlast.store import journal, snapshot
from outlast.store.files.repair import JournalRepair
from outlast.store.sqlite.connection import QUERIES, DatabaseChanged, error_code, schema_statements
from outlast.store.sqlite.log import commit_columns
from outlast.system.clock import new_plan_id
from outlast.system.disk import TEMPORARY, Disk, read_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from outlast.store.port import Notice
    from outlast.store.snapshot import Snapshot
    from outlast.store.sqlite.connection import DatabaseFile

    Row = tuple[Any, ...]

_TRIES: Final = 5  # to repair a database that others change meanwhile
_IN_MEMORY: Final = ":memory:"
_DAMAGED: Final = ".damaged-"
_UNREADABLE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR)
_MAGIC: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 100
_ROWS_A_PAGE: Final = 128  # more than fit


@contextmanager
def full_length(file: DatabaseFile, disk: Disk, *, is_repair: bool) -> Iterator[None]:
    """Extend a truncated database with empty pages meanwhile: else SQLite does not open it.

    Afterwards it is as it was, unless it was repaired.
    """
    size, is_repaired = _extend(file, disk), False
    try:
        yield
        is_repaired = is_repair
    finally:
        if size and not is_repaired:
            file.close()
            _truncate(file.path, disk, size)


def _extend(file: DatabaseFile, disk: Disk) -> int:
    """Give a truncated database its full length; return the length that it had, else 0.

    The connection is closed first: to close any other descriptor of the file drops its locks.
    """
    file.close()
    fd = disk.open(file.path, os.O_RDWR, 0)
    try:
        (_, size), full = disk.stat(fd), _full_size(read_from(disk, fd, 0, _HEADER_BYTES))
        if not 0 < size < full:
            return 0
        disk.truncate(fd, full)
    finally:
        disk.close(fd)
    return size


def _truncate(path: str, disk: Disk, size: int) -> None:
    fd = disk.open(path, os.O_RDWR, 0)
    try:
        disk.truncate(fd, size)
    finally:
        disk.close(fd)


def _full_size(header: bytes) -> int:
    """Return the size in the header of a database; 0 if it says none that SQLite believes."""
    if not header.startswith(_MAGIC) or header[24:28] != header[92:96]:
        return 0
    page = int.from_bytes(header[16:18]) or 1
    return (page if page > 1 else 1 << 16) * int.from_bytes(header[28:32])


class DatabaseRepair:
    """Repairs one plan of a database; the rows of the others are copied as they are."""

    def __init__(self, file: DatabaseFile, disk: Disk, now: datetime) -> None:
        self._file = file
        self._disk = disk
        self._now = now

    def repair(self, key: str) -> list[Notice]:
        """Repair a plan, again if others change the database meanwhile; return what was done."""
        for _ in range(_TRIES):
            with suppress(DatabaseChanged):
                return self._try_repair(key)
        raise StoreError("store_busy", where=self._file.path)

    def _try_repair(self, key: str) -> list[Notice]:
        version, new, rebuilt, copy = self._file.write(lambda: self._rebuild(key), end="rollback")
        try:
            with closing(new):
                self._file.replace_content(new, version)
        except DatabaseChanged:
            self._disk.remove(copy)  # the database is another by now
            raise
        counts = {"kept_commits": rebuilt.kept_commits, "lost_commits": rebuilt.lost_commits}
        details = {"where": self._file.path, "key": key, "kept": copy, **counts}
        return [("database_repaired", details)]

    def _rebuild(self, key: str) -> tuple[int, sqlite3.Connection, JournalRepair, str]:
        """Read and copy the database under its write lock, and build its replacement."""
        path = self._file.path
        rows = ReadableRows(self._file)
        plan = rows.plan_number(key)
        if plan is None:
            candidates = list(rows.keys.values())
            raise PlanNotFound(
                "plan_not_found", key=key, where=f"{path}: {key}", candidates=candidates
            )
        data, saved = rows.to_journal(plan)
        rebuilt = JournalRepair(data, self._now)
        rebuilt.salvage_rest(saved, new_plan_id(), key)
        if not rebuilt.commits:
            raise DamagedJournal("rows_unreadable", path=path, key=key)
        new = _build_database(rows, plan, rebuilt.commits)
        return self._file.data_version(), new, rebuilt, self._back_up(crc32(data))

    def _back_up(self, mark: int) -> str:
        """Copy the database; the copy is durable before the database is changed."""
        path, disk = self._file.path, self._disk
        self._remove_unfinished(*os.path.split(path))
        copy = f"{path}{_DAMAGED}{self._now:%Y%m%dT%H%M%S}-{mark:08x}"
        new = f"{copy}.{disk.process_id()}.0{TEMPORARY}"
        fd = disk.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, S_IMODE(disk.mode(path)))
        try:
            self._file.back_up_to(new)
            disk.sync(fd)
            disk.rename(new, copy)
        except BaseException:
            disk.remove(new)
            raise
        finally:
            disk.close(fd)
        disk.sync_directory(os.path.dirname(path))
        return copy

    def _remove_unfinished(self, directory: str, name: str) -> None:
        """Remove copies that a crash left unfinished. The write lock keeps out other repairs."""
        for left in self._disk.list_directory(directory):
            rest = left.removeprefix(f"{name}{_DAMAGED}")
            if rest != left and rest.endswith((TEMPORARY, f"{TEMPORARY}-journal")):
                self._disk.remove(os.path.join(directory, left))


def _build_database(rows: ReadableRows, repaired: int, commits: list[Commit]) -> sqlite3.Connection:
    """Return a database in memory with the repaired plan and all others as they are."""
    new = sqlite3.connect(_IN_MEMORY, isolation_level=None)
    for statement in schema_statements():
        new.execute(statement)
    for numbered_key in rows.keys.items():
        new.execute(QUERIES["copy_plan"], numbered_key)
    for plan in rows.keys.keys() - {repaired}:
        for row in rows.commits.get(plan, ()):
            new.execute(QUERIES["copy_commit"], row)
        if plan in rows.snapshots:
            new.execute(QUERIES["copy_snapshot"], rows.snapshots[plan])
    for number, commit in enumerate(commits, 1):
        new.execute(QUERIES["add_commit"], commit_columns(repaired, number, commit))
    return new


class ReadableRows:
    """All rows of a damaged database that can be read, in order, and the plans' keys."""

    def __init__(self, file: DatabaseFile) -> None:
        commits = [row for row in _read_rows(file, "every_commit") if _is_numbered(*row)]
        commits.sort(key=lambda row: row[:2])
        self.commits = {plan: list(rows) for plan, rows in groupby(commits, lambda row: row[0])}
        self.snapshots: dict[int, Row] = {row[0]: row for row in _read_rows(file, "every_snapshot")}
        self.keys: dict[int, str] = {plan: str(key) for plan, key in _read_rows(file, "every_plan")}
        for plan in (*self.commits, *self.snapshots):
            if plan not in self.keys:
                self.keys[plan] = self._recover_key(plan)

    def _recover_key(self, plan: int) -> str:
        """Return the key that a plan was created with, or make one."""
        lines = (_to_bytes(row[-1]) for row in self.commits.get(plan, ()))
        keys = (change.key for change in _read_changes(lines) if isinstance(change, PlanCreated))
        known = self.keys.values()
        return next((key for key in keys if key and key not in known), f"recovered {plan}")

    def plan_number(self, key: str) -> int | None:
        """Return the number of the plan with a key."""
        return next((plan for plan, known in self.keys.items() if known == key), None)

    def to_journal(self, plan: int) -> tuple[bytes, Snapshot | None]:
        """Return a plan as journal text, and its snapshot with the offset in that text."""
        saved = self._read_snapshot(plan)
        pieces = [(0, journal.write_header(self.keys[plan]))]
        last = 0
        for _, row, *_, line in self.commits.get(plan, ()):
            if row > last + 1:
                pieces.append((row - 1, b"\n"))  # for the missing rows
            pieces.append((row, _to_bytes(line).replace(b"\n", b" ") + b"\n"))
            last = row
        if saved and saved.offset > last:
            pieces.append((saved.offset, b"\n"))
        if saved:
            before = (len(piece) for row, piece in pieces if row <= saved.offset)
            saved = replace(saved, offset=sum(before))
        return b"".join(piece for _, piece in pieces), saved

    def _read_snapshot(self, plan: int) -> Snapshot | None:
        *_, data = self.snapshots.get(plan, (b"",))
        return snapshot.read(data) if isinstance(data, bytes) else None


def _read_rows(file: DatabaseFile, query: str) -> Iterator[Row]:
    """Yield the rows of a table; skip those that cannot be read."""
    first = missed = 0
    [(pages,)] = file.query("pages")
    while missed < pages * _ROWS_A_PAGE:
        try:
            for number, *row in file.rows(query, first=first):
                if number < first:
                    break  # a page that leads back
                yield tuple(row)
                first, missed = number + 1, 0
            else:
                return
        except sqlite3.Error as error:
            if error_code(error) not in _UNREADABLE:
                raise
        first, missed = first + 1, missed + 1


def _is_numbered(plan: object, row: object, *_: object) -> bool:
    return isinstance(plan, int) and isinstance(row, int)


def _to_bytes(line: object) -> bytes:
    return line if isinstance(line, bytes) else str(line).encode()


def _read_changes(lines: Iterable[bytes]) -> Iterator[object]:
    for commit in filter(None, map(journal.read_commit, lines)):
        yield from commit.changes
