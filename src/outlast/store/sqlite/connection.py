"""A connection to a database of plans: checks the file first, retries while busy, survives forks.

SQLite keeps its locks in the memory of the process, which a forked child inherits without the
locks. So every file is closed before a fork, and reopened on its next use. No thread may be inside
SQLite at that moment either: the child would wait forever for a mutex of that thread.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from _thread import RLock, get_ident
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote
from weakref import WeakSet, WeakValueDictionary

from outlast.errors import InvalidStatus, NewerFormat, PlanNotFound, StoreError, WriteFailed
from outlast.system.clock import monotonic
from outlast.system.disk import Disk, LockHeld, LockWait
from outlast.system.sql_files import read_migrations, read_queries, read_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


APPLICATION: Final = int.from_bytes(b"outl")
VERSION: Final = 1  # of the schema; every migration adds one
QUERIES: Final = read_queries(__package__)
BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_NO_WAL: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_SYNC_FAILED: Final = (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)
IO_ERRORS: Final = (sqlite3.Error, OSError)
T = TypeVar("T")
_PAUSE: Final = 0.005  # between two tries of a backup
_FORK_SECONDS: Final = 10.0
_TRIES: Final = 5  # to lock a file that is being replaced
WAL: Final = "-wal"
_WAL_INDEX: Final = "-shm"  # where SQLite locks a database in WAL mode
_SIDE_FILES: Final = (WAL, _WAL_INDEX, "-journal")
FORK_GATE: Final = RLock()  # held during fork() so that no thread enters SQLite


def schema_statements() -> list[str]:
    """Return the statements that create a new database."""
    return read_statements(__package__, "schema.sql")


def migrations() -> list[list[str]]:
    """Return the steps from an empty database to the current schema, oldest first."""
    return read_migrations(__package__)


def error_code(error: Exception) -> int:
    """Return the primary error code, without its extension."""
    return _full_code(error) & 0xFF


def _full_code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0)


def is_busy(error: Exception) -> bool:
    """Return whether the error is temporary: another connection has the lock."""
    return error_code(error) in BUSY


def is_read_only(error: Exception) -> bool:
    """Return whether the database may be read but not written."""
    return error_code(error) == sqlite3.SQLITE_READONLY


def is_wal_unavailable(error: sqlite3.Error) -> bool:
    """Return whether the database cannot be opened because no WAL can be created beside it."""
    return error_code(error) in _NO_WAL


def is_sync_failed(error: Exception) -> bool:
    """Return whether a commit was written, but perhaps not synced."""
    return _full_code(error) in _SYNC_FAILED


def connect(path: str, options: str) -> sqlite3.Connection:
    """Open an existing database file without reading it."""
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{options}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = _decode_text
    return connection


def _decode_text(data: bytes) -> str:
    """Return a text; damaged bytes are replaced, so that the damage is noticed."""
    return data.decode(errors="replace")


def check_files(path: str, disk: Disk) -> None:
    """Refuse anything that is not a plain file, such as a link, a pipe or a directory."""
    for name in (path, *(path + end for end in _SIDE_FILES)):
        try:
            mode = disk.mode(name)
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            raise StoreError("no_plain_file", where=name)


def has_side_file(path: str, disk: Disk, end: str = WAL) -> bool:
    """Return whether a file beside the database, such as its WAL, has content."""
    try:
        return disk.stat_path(path + end)[1] > 0
    except FileNotFoundError:
        return False


def check_owner(path: str, connection: sqlite3.Connection) -> None:
    """Refuse a file that is no database, or that of another program."""
    try:
        [(application,)] = connection.execute(QUERIES["application"]).fetchall()
    except sqlite3.DatabaseError as error:
        if error_code(error) == sqlite3.SQLITE_CORRUPT:
            return  # perhaps only being written; it is checked again with the lock
        raise
    if application != APPLICATION:
        raise StoreError("not_a_database", where=path)


def check_schema(path: str, ask: Callable[[str], list[Any]]) -> None:
    """Refuse a file other than `path`, a newer schema, and a database with triggers or views."""
    [(_, _, opened), *_] = ask("files")
    [(application,)] = ask("application")
    if opened != os.fsencode(path).decode(errors="replace") or application != APPLICATION:
        raise StoreError("not_a_database", where=path)
    [(version,)] = ask("version")
    if version > VERSION:
        raise NewerFormat("newer_format", found=version, known=VERSION)
    [(triggers,)] = ask("count_triggers")
    if triggers:
        raise StoreError("not_a_database", where=path)


class DatabaseChanged(Exception):
    """The rows are not the ones that were read before."""


class DatabaseFile:
    """A database that is opened on first use, and reopened when its file was replaced.

    All stores of a database share one, and its connection is closed with the last of them: it costs
    two descriptors and 150 KB. `times_opened` changes with every opening, for callers that cache
    something. A database beside which no WAL can be created is opened as immutable.
    """

    def __init__(self, path: str, disk: Disk) -> None:
        self.path = path
        self.times_opened = 0
        self.disk = disk
        self._guard = RLock()
        self._process = os.getpid()
        self._users: WeakSet[object] = WeakSet()
        self._connection: sqlite3.Connection | None = None
        self._is_immutable = self._is_inherited = self._is_writing = False
        with FORK_GATE:
            _FILES[id(self)] = self

    # Sharing

    @classmethod
    def at(cls, path: str, disk: Disk) -> DatabaseFile:
        """Return the one that this process has for a path."""
        with FORK_GATE:
            key = path, id(disk)
            file = _SHARED.get(key)
            if file is None:
                file = _SHARED[key] = cls(path, disk)
            return file

    def add_user(self, user: object) -> None:
        """Keep the connection open for a user, until it is removed or collected."""
        with self._guard:
            self._users.add(user)

    def remove_user(self, user: object) -> None:
        """Close the connection if nothing else uses it."""
        with self._guard:
            self._users.discard(user)
            if not self._users:
                self.close()

    def mutex(self) -> RLock:
        """Return the lock that lets one thread at a time use the connection."""
        if self._process != os.getpid():  # the parent's may be held by a thread that is not here
            self._guard, self._process = RLock(), os.getpid()
        return self._guard

    # Opening

    def ensure_current(self) -> None:
        """Open the file that has the name now, if it is not open already."""
        with self._guard:
            connection = self._connection
            if connection is None:
                self._open()
            elif not self._is_writing and (
                connection.in_transaction  # an interrupt came, even during the rollback
                or self._is_immutable
                or not self._is_in_place()
            ):
                self.close()
                self._open()

    def _is_in_place(self) -> bool:
        try:
            return self.disk.stat_path(self.path)[0] == self._identity
        except FileNotFoundError:
            return False

    def _open(self) -> sqlite3.Connection:
        if self._is_inherited:
            raise StoreError("store_inherited", where=self.path)
        try:
            self._identity = self.disk.stat_path(self.path)[0]
        except FileNotFoundError as error:
            raise PlanNotFound("no_plan_there", where=self.path, candidates=[]) from error
        check_files(self.path, self.disk)
        self._retry_while_busy(self._check_owner)
        self._connection = connection = self._retry_while_busy(self._connect)
        self.times_opened += 1
        try:
            check_schema(self.path, self.query)
            if not self._is_immutable:
                self._upgrade_schema(connection)
        except BaseException:
            self.close()
            raise
        return connection

    def _check_owner(self) -> None:
        """Check the file before anything is done with it, without leaving a trace."""
        connection = connect(self.path, "mode=ro&immutable=1")
        try:
            check_owner(self.path, connection)
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        self._is_immutable = False
        try:
            return self._configure(connect(self.path, "mode=rw"))
        except sqlite3.OperationalError as error:
            if not is_wal_unavailable(error) or has_side_file(self.path, self.disk):
                raise
            self._is_immutable = True
            return self._configure(connect(self.path, "mode=ro&immutable=1"))

    def _configure(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            for name in ("distrust_schema", "sync_every_commit", "version"):
                connection.execute(QUERIES[name]).fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _upgrade_schema(self, connection: sqlite3.Connection) -> None:
        """Switch to WAL and run missing migrations, unless the database is read-only."""
        try:
            self.query("use_wal")
            if self.query("version")[0][0] < VERSION:
                self._migrate(connection)
        except sqlite3.OperationalError as error:
            if not is_wal_unavailable(error):
                raise

    def _migrate(self, connection: sqlite3.Connection) -> None:
        def run_steps() -> None:
            for step in migrations()[self.query("version")[0][0] :]:
                for statement in step:
                    connection.execute(statement)

        self.write(run_steps)

    def close(self) -> None:
        """Close the connection."""
        with self._guard:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        with suppress(BaseException):
            if self._connection is not None:
                with FORK_GATE:
                    self.close()

    # Queries and transactions

    def query(self, name: str, **values: object) -> list[Any]:
        """Return the rows of a query in `queries.sql`; wait while others write."""
        with self._guard:
            connection = self._connection or self._open()
            return self._retry_while_busy(
                lambda: connection.execute(QUERIES[name], values).fetchall()
            )

    def rows(self, name: str, **values: object) -> Iterator[Any]:
        """Return an iterator over the rows of a query, which ends where a read fails.

        The caller is in a write transaction.
        """
        connection = self._connection or self._open()
        return connection.execute(QUERIES[name], values)

    def write(
        self, work: Callable[[], T], end: str = "commit", *, seconds: float | None = None
    ) -> T:
        """Run `work` in a write transaction; roll back if it raises.

        While another connection writes, waits for as many `seconds`, or as long as the disk says;
        then raises `LockTimeout`. With 0 it raises `LockHeld` at once.
        Raises `InvalidStatus` inside another one: the answer of a commit cannot change any plan.
        """
        with self._guard:
            self.refuse_nested()
            try:
                self.begin(seconds)
                result = work()
                self.end(end)
            except BaseException:
                self.roll_back()
                raise
            return result

    def refuse_nested(self) -> None:
        """Raise `InvalidStatus` inside a write transaction."""
        if self._is_writing and self._connection and self._connection.in_transaction:
            raise InvalidStatus("commit_in_question")
        self._is_writing = False  # if an interrupt came

    def begin(self, seconds: float | None) -> None:
        """Begin a write transaction on the file that has the name now. The caller has the mutex."""
        for _ in range(_TRIES):
            self.ensure_current()
            self._retry_while_busy(self._execute_begin, seconds)
            if self._is_in_place():
                self._is_writing = True
                return
            self.roll_back()
        raise StoreError("store_busy", where=self.path)

    def end(self, end: str = "commit") -> None:
        """End the write transaction."""
        self.query(end)
        self._is_writing = False

    def _execute_begin(self) -> None:
        connection = self._connection or self._open()
        connection.execute(QUERIES["begin"])

    def roll_back(self) -> None:
        """Undo the write transaction, if there is one."""
        self._is_writing = False
        connection = self._connection
        if connection is not None and connection.in_transaction:
            try:
                self.query("rollback")
            except sqlite3.Error:
                self.close()

    def _retry_while_busy(self, call: Callable[[], T], seconds: float | None = None) -> T:
        """Retry a call while other connections hold the lock."""
        wait: LockWait | None = None
        while True:
            try:
                return call()
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                held = LockHeld(self.path, self.path, self.path + _WAL_INDEX)
                if seconds == 0:
                    raise held from error
            wait = wait or LockWait(self.disk, seconds=seconds)
            wait.pause(held)

    # Whole databases

    def data_version(self) -> int:
        """Return a number that changes when another connection has committed."""
        return int(self.query("data_version")[0][0])

    def back_up_to(self, path: str) -> None:
        """Copy all pages, damaged or not, into an empty file."""
        with closing(connect(self.path, "mode=rw")) as own, closing(connect(path, "mode=rw")) as to:
            own.backup(to, progress=self._busy_timeout(), sleep=_PAUSE)

    def replace_content(self, new: sqlite3.Connection, changed: int) -> None:
        """Replace all content with that of another database, in one transaction.

        Raises `DatabaseChanged`, and changes nothing, if the data version is another by now.
        """
        check_timeout = self._busy_timeout()

        def check(status: int, left: int, total: int) -> None:
            check_timeout(status, left, total)
            if status == sqlite3.SQLITE_OK and not (  # the write lock is ours from here on
                self.data_version() == changed and self._is_in_place()
            ):
                raise DatabaseChanged

        with self._guard, closing(connect(self.path, "mode=rw")) as over:
            over.execute(QUERIES["sync_every_commit"])
            new.backup(over, pages=1, progress=check, sleep=_PAUSE)

    def _busy_timeout(self) -> Callable[[int, int, int], None]:
        """Return a progress callback that ends a backup which others block for too long."""
        end = monotonic() + self.disk.lock_seconds()

        def check(status: int, _left: int, _total: int) -> None:
            if status in BUSY and monotonic() >= end:
                raise WriteFailed("database_locked", where=self.path)

        return check

    # Forking

    def release_for_fork(self) -> bool:
        """Close the file before a fork and keep it closed; return False if it is in use."""
        if not self._guard.acquire(timeout=_FORK_SECONDS):
            return False
        if self._connection is not None and self._connection.in_transaction:
            self._guard.release()
            return False
        self.close()
        return True

    def resume_after_fork(self) -> None:
        """Allow the file to be opened again, in the parent."""
        self._guard.release()

    def reset_after_fork(self, *, is_released: bool) -> None:
        """Reset in the child. A file that the parent was using then is refused from now on."""
        self.mutex()
        if not is_released:
            self._is_inherited = True
            _INHERITED.append(self._connection)  # closing it would disturb the parent
            self._connection = None


_INHERITED: Final[list[object]] = []

_FILES: Final[WeakValueDictionary[int, DatabaseFile]] = WeakValueDictionary()

_SHARED: Final[WeakValueDictionary[tuple[str, int], DatabaseFile]] = WeakValueDictionary()

_RELEASED: Final[dict[int, list[DatabaseFile]]] = {}  # closed for the fork, by the forking thread


def _all_files() -> list[DatabaseFile]:
    """Return all files; other threads may add some meanwhile."""
    return [file for reference in _FILES.valuerefs() if (file := reference()) is not None]


def _before_fork() -> None:
    FORK_GATE.acquire()
    _RELEASED[get_ident()] = [file for file in _all_files() if file.release_for_fork()]


def _after_fork_in_parent() -> None:
    for file in _RELEASED.pop(get_ident(), ()):
        file.resume_after_fork()
    FORK_GATE.release()


def _after_fork_in_child() -> None:
    released = _RELEASED.pop(get_ident(), [])
    _RELEASED.clear()
    for file in _all_files():
        file.reset_after_fork(is_released=file in released)
    FORK_GATE.release()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
)
