"""The plans of one database file."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.sqlite.checks import check_files
from outlast.adapters.stores.sqlite.connection import PATIENCE, DatabaseFile
from outlast.adapters.stores.sqlite.creation import make_database
from outlast.adapters.stores.sqlite.errors import PROBLEMS, unreadable, unwritten
from outlast.adapters.stores.sqlite.repair import Repair
from outlast.adapters.stores.sqlite.replica import PlanRows, add_commit
from outlast.adapters.stores.sqlite.store import SqliteStore
from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.limits import check_choice
from outlast.domain.state import PlanState
from outlast.errors import DamagedJournal, PlanExists, PlanNotFound, StoreError
from outlast.system.filesystems import check

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.commands import CreatePlan
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_LAYOUTS: Final = ("outlast",)


class Database:
    """The plans in a file, which need not be there yet."""

    def __init__(self, path: str, disk: Disk, patience: float = PATIENCE) -> None:
        """Look at a file of a directory that exists and keeps plans safe."""
        directory, name = os.path.split(path)
        if not disk.is_directory(directory):
            raise StoreError("no_directory", where=directory)
        directory = disk.real(directory)
        check(disk.file_system(directory), directory)
        self.path = os.path.join(directory, name)
        self._disk = disk
        self._patience = patience

    @property
    def root(self) -> str:
        """The directory that the file is in."""
        return os.path.dirname(self.path)

    def create(
        self,
        command: CreatePlan,
        author: str,
        now: datetime,
        *,
        layout: str = "outlast",
        shared: bool = False,
    ) -> SqliteStore:
        """Make a plan under its key, which no plan of the database may have yet."""
        check_choice(layout, "layout", _LAYOUTS)
        state = PlanState(now)
        changes = enact(state, (command,), now)
        commit = Commit(state.revision, now, author, changes)
        try:
            make_database(self.path, self._disk, shared=shared)
            with closing(self._file()) as file:
                file.write(lambda: self._add(file, command.key, commit))
        except PROBLEMS as error:
            raise unwritten(self.path, error) from error
        return self.open(command.key, now)

    def _add(self, file: DatabaseFile, key: str, commit: Commit) -> None:
        if file.query("find_plan", key=key):
            raise PlanExists("plan_exists_already", where=f"{self.path}: {key}")
        file.query("add_plan", key=key)
        [(plan,)] = file.query("find_plan", key=key)
        add_commit(file, plan, 1, commit)

    def open(self, key: str, now: datetime) -> SqliteStore:
        """Open the plan with a key."""
        return SqliteStore(self._file(), key, now)

    def look(self, key: str, now: datetime) -> SqliteStore:
        """Open the plan with a key only to look at it."""
        return self.open(key, now)

    def known(self) -> list[str]:
        """Return the keys of all plans here, the oldest first."""
        if not self._disk.has(self.path):
            return []
        check_files(self.path, self._disk)
        try:
            with closing(self._file()) as file:
                return [key for (key,) in file.query("keys")]
        except PROBLEMS as error:
            raise unreadable(self.path, error) from error

    def look_for_damage(self, key: str, now: datetime) -> None:
        """Read the whole of a plan, and look through the file; raise what is wrong."""
        try:
            with closing(self._file()) as file:
                PlanRows(file, key, now).read_all()
                [(problem,), *_] = file.query("look_through")
        except PROBLEMS as error:
            raise unreadable(self.path, error) from error
        if problem != "ok":
            raise DamagedJournal("database_damaged", path=self.path, problem=problem)

    def mend(self, key: str, now: datetime) -> list[Notice]:
        """Mend a plan that is damaged, and say so; leave one alone that is not."""
        try:
            self.look_for_damage(key, now)
        except (DamagedJournal, PlanNotFound):  # where it is named may be damaged too
            try:
                with closing(self._file()) as file:
                    return Repair(file, self._disk, now).mend(key)
            except PROBLEMS as error:
                raise unwritten(self.path, error) from error
        return []

    def _file(self) -> DatabaseFile:
        return DatabaseFile(self.path, self._disk, self._patience)
