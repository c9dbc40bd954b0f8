"""A database file with the plans in it, and its creation."""

from __future__ import annotations

import os
import re
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from outlast.errors import DamagedJournal, PlanExists, PlanNotFound, StoreError
from outlast.model.changes import Commit
from outlast.model.execute import execute
from outlast.model.limits import check_choice
from outlast.model.state import PlanState
from outlast.plan.home.archive_directory import ArchivedPlan, timestamp
from outlast.store.replica import Replica
from outlast.store.sqlite.connection import (
    FORK_GATE,
    IO_ERRORS,
    QUERIES,
    WAL,
    DatabaseFile,
    check_files,
    connect,
    has_side_file,
    schema_statements,
)
from outlast.store.sqlite.errors import read_error, write_error
from outlast.store.sqlite.log import SqliteLog, insert_commit
from outlast.store.sqlite.repair import DatabaseRepair, ReadableRows, full_length
from outlast.store.store import Store
from outlast.system.disk import PRIVATE, SHARED, TEMPORARY, Disk, check_suitable, take_lock
from outlast.system.keys import directory_name, unused_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.model.commands import CreatePlan
    from outlast.plan.home.archive_directory import Refuse
    from outlast.store.port import Notice

_LAYOUTS: Final = ("outlast",)
_BEFORE_TIME: Final = "\n"  # in the key of an archived plan; a key of one line has none


class Database:
    """The plans in one file, which need not exist yet."""

    def __init__(self, path: str, disk: Disk) -> None:
        """Use a file in an existing directory on a suitable file system."""
        directory, name = os.path.split(path)
        if not disk.is_directory(directory):
            raise StoreError("no_directory", where=directory)
        directory = disk.real_path(directory)
        check_suitable(disk.file_system(directory), directory)
        self.path = os.path.join(directory, name)
        self._disk = disk

    @property
    def root(self) -> str:
        """The directory of the file."""
        return os.path.dirname(self.path)

    def create(  # noqa: PLR0913 - what a plan begins with
        self,
        command: CreatePlan,
        author: str,
        now: datetime,
        *,
        layout: str = "outlast",
        shared: bool = False,
        person: str = "",
    ) -> Store:
        """Create a plan; raises `PlanExists` if a plan of the database has its key."""
        check_choice(layout, "layout", _LAYOUTS)
        state = PlanState(now)
        changes = execute(state, (command,), now)
        commit = Commit(state.revision, now, author, changes, person=person)
        try:
            create_database(self.path, self._disk, shared=shared)
        except IO_ERRORS as error:
            raise write_error(self.path, error) from error
        self._write(lambda file: self._insert_plan(file, command.key, commit))
        return self.open(command.key, now)

    def _insert_plan(self, file: DatabaseFile, key: str, commit: Commit) -> None:
        self._refuse_existing(file, key)
        file.query("add_plan", key=key)
        [(plan,)] = file.query("find_plan", key=key)
        insert_commit(file, plan, 1, commit)

    def _refuse_existing(self, file: DatabaseFile, key: str) -> None:
        if file.query("find_plan", key=key):
            raise PlanExists("plan_exists_already", where=f"{self.path}: {key}")

    def open(self, key: str, now: datetime) -> Store:
        """Open the plan with a key."""
        file = self._file()
        log = SqliteLog(file, key)
        file.add_user(log)
        return Store(log, now, (self, key))

    def known_layout(self, _key: str) -> str:
        """Return an empty name: a database has no layouts."""
        return ""

    def current_key(self) -> str:
        """Return an empty key: a database has no current plan."""
        return ""

    def make_current(self, _key: str) -> None:
        """Do nothing: a database has no current plan."""

    # The archive

    def archived_plans(self) -> list[ArchivedPlan]:
        """Return the archived plans, those of one key oldest first."""
        return [_describe_archived(key) for key in self._keys("archived_keys")]

    def archive(self, key: str, now: datetime, refuse: Refuse) -> ArchivedPlan:
        """Give a plan's row the key of an archived one, unless `refuse` raises."""
        archived_key = f"{key}{_BEFORE_TIME}{timestamp(now)}"

        def rename(file: DatabaseFile) -> None:
            replica = Replica(SqliteLog(file, key), now)
            replica.log.prepare()
            refuse(replica.state, now)
            file.query("rename_plan", key=key, new=archived_key)

        self._write(rename)
        return _describe_archived(archived_key)

    def open_archived(self, plan: ArchivedPlan, now: datetime) -> Store:
        """Open an archived plan where it is."""
        return self.open(_archived_key(plan), now)

    def restore(self, plan: ArchivedPlan) -> None:
        """Give an archived plan its key back; raises `PlanExists` if that is in use."""
        archived_key = _archived_key(plan)

        def rename(file: DatabaseFile) -> None:
            self._refuse_existing(file, plan.key)
            if not file.query("find_plan", key=archived_key):  # another process was faster
                where = f"{self.path}: {plan.name}"
                raise PlanNotFound("no_plan_there", where=where, candidates=[])
            file.query("rename_plan", key=archived_key, new=plan.key)

        self._write(rename)

    def _write(self, work: Callable[[DatabaseFile], None]) -> None:
        """Run `work` in a write transaction."""
        try:
            with self._use_file() as file:
                file.write(lambda: work(file))
        except IO_ERRORS as error:
            raise write_error(self.path, error) from error

    # Where plans are

    def open_without_adopting(self, key: str, now: datetime) -> Store:
        """Open the plan with a key: a database has no plans of other programs."""
        return self.open(key, now)

    def has_plan(self, key: str) -> bool:
        """Return whether a plan here has a key."""
        return key in self.plan_keys()

    def plan_keys(self) -> list[str]:
        """Return the keys of all plans here, oldest first."""
        return self._keys("plan_keys")

    def has_other(self, key: str) -> bool:
        """Return whether there is a plan here besides the one with a key."""
        return any(other != key for other in self.plan_keys())

    def unused_key(self, goal: str) -> str:
        """Make a key from a goal that no plan here has; those in the archive do not count."""
        return unused_key(goal, map(directory_name, self.plan_keys()))

    def _keys(self, query: str) -> list[str]:
        if not self._disk.exists(self.path):
            return []
        check_files(self.path, self._disk)
        try:
            with self._use_file() as file:
                return [key for (key,) in file.query(query)]
        except IO_ERRORS as error:
            raise read_error(self.path, error) from error

    def check_integrity(self, key: str, now: datetime) -> None:
        """Read a whole plan and run SQLite's own check; raise `DamagedJournal` if one fails."""
        try:
            with self._use_file() as file:
                Replica(SqliteLog(file, key), now).read_all()
                [(problem,), *_] = file.query("quick_check")
        except IO_ERRORS as error:
            raise read_error(self.path, error) from error
        if problem != "ok":
            raise DamagedJournal("database_damaged", path=self.path, problem=problem)

    def repair(self, key: str, now: datetime) -> list[Notice]:
        """Repair a damaged plan; return what was done, nothing if it is sound."""
        try:
            self.check_integrity(key, now)
        except (DamagedJournal, PlanNotFound):  # the row with its key may be damaged too
            try:
                with self._use_file() as file, full_length(file, self._disk, is_repair=True):
                    return DatabaseRepair(file, self._disk, now).repair(key)
            except IO_ERRORS as error:
                raise write_error(self.path, error) from error
        return []

    def find_readable_keys(self) -> list[str]:
        """Return the keys of all plans of which anything can be read, also in a damaged file."""
        try:
            with self._use_file() as file, full_length(file, self._disk, is_repair=False):
                rows = file.write(partial(ReadableRows, file), end="rollback")
        except IO_ERRORS as error:
            raise write_error(self.path, error) from error
        return [key for key in rows.keys.values() if _BEFORE_TIME not in key]

    @contextmanager
    def _use_file(self) -> Iterator[DatabaseFile]:
        file = self._file()
        file.add_user(self)
        try:
            yield file
        finally:
            file.remove_user(self)

    def _file(self) -> DatabaseFile:
        return DatabaseFile.at(self.path, self._disk)


def _describe_archived(archived_key: str) -> ArchivedPlan:
    key, _, time = archived_key.partition(_BEFORE_TIME)
    return ArchivedPlan(f"{directory_name(key)}-{time}", key)


def _archived_key(plan: ArchivedPlan) -> str:
    time = plan.name.removeprefix(f"{directory_name(plan.key)}-")
    return f"{plan.key}{_BEFORE_TIME}{time}"


def create_database(path: str, disk: Disk, *, shared: bool) -> None:
    """Create a database without plans, complete or not at all, unless the name is taken."""
    directory, name = os.path.split(path)
    fd = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        take_lock(disk, fd, directory)
        if name not in disk.list_directory(directory):
            _refuse_orphaned_log(path, disk)
            try:
                _remove_unfinished(directory, name, disk)
                _build_and_rename(path, disk, SHARED if shared else PRIVATE)
            except BaseException:
                with suppress(OSError):
                    _remove_unfinished(directory, name, disk)
                raise
    finally:
        disk.close(fd)


def _refuse_orphaned_log(path: str, disk: Disk) -> None:
    """Refuse a path with the log of a deleted database: SQLite would apply it to the new one."""
    for end in (WAL, "-journal"):
        if has_side_file(path, disk, end):
            raise StoreError("log_without_database", where=path + end)


def _remove_unfinished(directory: str, name: str, disk: Disk) -> None:
    """Remove databases that a crash left unfinished. The lock keeps out other creators."""
    unfinished = re.compile(
        rf"{re.escape(name)}\.\d+\.0{re.escape(TEMPORARY)}(-wal|-shm|-journal)?"
    )
    for left in filter(unfinished.fullmatch, disk.list_directory(directory)):
        disk.remove(os.path.join(directory, left))


def _build_and_rename(path: str, disk: Disk, mode: int) -> None:
    new = f"{path}.{disk.process_id()}.0{TEMPORARY}"
    _build_schema(new, disk, mode)
    disk.rename(new, path)
    disk.sync_directory(os.path.dirname(path))


def _build_schema(path: str, disk: Disk, mode: int) -> None:
    """Build a database. SQLite gives its side files the permissions of this one."""
    disk.close(disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    with FORK_GATE, closing(connect(path, "mode=rw")) as connection:
        for statement in (
            *(QUERIES[name] for name in ("sync_every_commit", "use_wal", "begin")),
            *schema_statements(),
            QUERIES["commit"],
        ):
            connection.execute(statement).fetchall()
