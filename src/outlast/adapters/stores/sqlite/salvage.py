"""What can still be read in a damaged database, row by row."""

from __future__ import annotations

import sqlite3
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.adapters.stores.sqlite.errors import code_of
from outlast.domain.changes import PlanCreated
from outlast.formats import journal, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.adapters.stores.sqlite.connection import DatabaseFile
    from outlast.formats.snapshot import Snapshot

    Row = tuple[Any, ...]

_UNREADABLE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR)
_ROWS_A_PAGE: Final = 128  # more than there can be


class Salvaged:
    """All that is left: the keys of plans by number, and rows as they are, in order."""

    def __init__(self, file: DatabaseFile) -> None:
        """Read all tables, whatever stands in the way."""
        found = [row for row in _rows(file, "every_commit") if _is_placed(*row)]
        found.sort(key=lambda row: row[:2])
        self.commits = {plan: list(rows) for plan, rows in groupby(found, lambda row: row[0])}
        self.snapshots: dict[int, Row] = {row[0]: row for row in _rows(file, "every_snapshot")}
        self.keys: dict[int, str] = {plan: str(key) for plan, key in _rows(file, "every_plan")}
        for plan in (*self.commits, *self.snapshots):
            if plan not in self.keys:
                self.keys[plan] = self._lost_key(plan)

    def _lost_key(self, plan: int) -> str:
        """Return the key that a plan was begun with, or make one."""
        lines = (_bytes(row[-1]) for row in self.commits.get(plan, ()))
        begun = (change.key for change in _changes(lines) if isinstance(change, PlanCreated))
        known = self.keys.values()
        return next((key for key in begun if key and key not in known), f"recovered {plan}")

    def number(self, key: str) -> int | None:
        """Return the number of the plan with a key."""
        return next((plan for plan, known in self.keys.items() if known == key), None)

    def told(self, plan: int) -> tuple[bytes, Snapshot | None]:
        """Return a plan as a journal would tell it, and its snapshot as one of that journal."""
        found = self._snapshot(plan)
        pieces = [(0, journal.write_header(self.keys[plan]))]
        last = 0
        for _, place, *_, line in self.commits.get(plan, ()):
            if place > last + 1:
                pieces.append((place - 1, b"\n"))  # for all that is gone
            pieces.append((place, _bytes(line).replace(b"\n", b" ") + b"\n"))
            last = place
        if found and found.offset > last:
            pieces.append((found.offset, b"\n"))
        if found:
            before = (len(piece) for place, piece in pieces if place <= found.offset)
            found = replace(found, offset=sum(before))
        return b"".join(piece for _, piece in pieces), found

    def _snapshot(self, plan: int) -> Snapshot | None:
        *_, data = self.snapshots.get(plan, (b"",))
        return snapshot.read(data) if isinstance(data, bytes) else None


def _rows(file: DatabaseFile, query: str) -> Iterator[Row]:
    """Yield the rows of a table; from one that cannot be read, go on to the next that can."""
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
            if code_of(error) not in _UNREADABLE:
                raise
        first, missed = first + 1, missed + 1


def _is_placed(plan: object, place: object, *_: object) -> bool:
    return isinstance(plan, int) and isinstance(place, int)


def _bytes(line: object) -> bytes:
    return line if isinstance(line, bytes) else str(line).encode()


def _changes(lines: Iterable[bytes]) -> Iterator[object]:
    for commit in filter(None, map(journal.read_commit, lines)):
        yield from commit.changes
