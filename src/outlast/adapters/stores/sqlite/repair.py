"""The way out of damage in a database, which loses nothing.

The damaged database is kept as a copy. What can be read of all plans is put together anew, and
takes the place of the old in one transaction: whoever has the database open goes on with it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from stat import S_IMODE
from typing import TYPE_CHECKING, Final
from zlib import crc32

from outlast.adapters.stores.files.salvage import Mending
from outlast.adapters.stores.sqlite.connection import Moved
from outlast.adapters.stores.sqlite.queries import QUERIES, schema
from outlast.adapters.stores.sqlite.replica import row_of
from outlast.adapters.stores.sqlite.salvage import Salvaged
from outlast.errors import DamagedJournal, PlanNotFound, StoreError
from outlast.system.clock import new_plan_id
from outlast.system.files import NEW

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.adapters.stores.sqlite.connection import DatabaseFile
    from outlast.domain.changes import Commit
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_TRIES: Final = 5  # to mend a database that others change meanwhile
_IN_MEMORY: Final = ":memory:"
_KEPT: Final = ".damaged-"


class Repair:
    """Mends one plan of a database; of the others every row is kept as it is."""

    def __init__(self, file: DatabaseFile, disk: Disk, now: datetime) -> None:
        """Name the database."""
        self._file = file
        self._disk = disk
        self._now = now

    def mend(self, key: str) -> list[Notice]:
        """Put a plan together from all that is good, and say so."""
        for _ in range(_TRIES):
            with suppress(Moved):
                return self._mend(key)
        raise StoreError("store_busy", where=self._file.path)

    def _mend(self, key: str) -> list[Notice]:
        changed, new, mending, kept = self._file.write(lambda: self._look(key), end="rollback")
        try:
            with closing(new):
                self._file.put_over(new, changed)
        except Moved:
            self._disk.remove(kept)  # it is not what there is now
            raise
        counts = {"kept_commits": mending.kept, "lost_commits": mending.lost}
        return [("database_mended", {"where": self._file.path, "key": key, "kept": kept, **counts})]

    def _look(self, key: str) -> tuple[int, sqlite3.Connection, Mending, str]:
        """Read all there is, and keep it, while nobody changes it; build what is to be instead."""
        path = self._file.path
        found = Salvaged(self._file)
        plan = found.number(key)
        if plan is None:
            candidates = list(found.keys.values())
            raise PlanNotFound("plan_not_found", where=f"{path}: {key}", candidates=candidates)
        data, snapshot = found.told(plan)
        mending = Mending(data, self._now)
        mending.go_on(snapshot, new_plan_id(), key)
        if not mending.commits:
            raise DamagedJournal("journal_unreadable", path=path)
        new = _built(found, plan, mending.commits)
        return self._file.changed(), new, mending, self._keep(crc32(data))

    def _keep(self, mark: int) -> str:
        """Copy the database; only when the copy is safe is the database changed."""
        path, disk = self._file.path, self._disk
        self._sweep(*os.path.split(path))
        kept = f"{path}{_KEPT}{self._now:%Y%m%dT%H%M%S}-{mark:08x}"
        new = f"{kept}.{disk.process()}.0{NEW}"
        fd = disk.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, S_IMODE(disk.mode(path)))
        try:
            self._file.copy(new)
            disk.sync(fd)
            disk.rename(new, kept)
        except BaseException:
            disk.remove(new)
            raise
        finally:
            disk.close(fd)
        disk.sync_directory(os.path.dirname(path))
        return kept

    def _sweep(self, directory: str, name: str) -> None:
        """Remove copies that were begun and never finished: nobody else is at it now."""
        for left in self._disk.names(directory):
            begun = left.removeprefix(f"{name}{_KEPT}")
            if begun != left and begun.endswith((NEW, f"{NEW}-journal")):
                self._disk.remove(os.path.join(directory, left))


def _built(found: Salvaged, mended: int, commits: list[Commit]) -> sqlite3.Connection:
    """Return a database in memory with the new commits of one plan, and all else as it is."""
    new = sqlite3.connect(_IN_MEMORY, isolation_level=None)
    for statement in schema():
        new.execute(statement)
    for named in found.keys.items():
        new.execute(QUERIES["copy_plan"], named)
    for plan in found.keys.keys() - {mended}:
        for row in found.commits.get(plan, ()):
            new.execute(QUERIES["copy_commit"], row)
        if plan in found.snapshots:
            new.execute(QUERIES["copy_snapshot"], found.snapshots[plan])
    for place, commit in enumerate(commits, 1):
        new.execute(QUERIES["add_commit"], row_of(mended, place, commit))
    return new
