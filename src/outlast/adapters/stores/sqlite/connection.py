"""An open database of plans: found safe to open, patient with others, apart from other processes.

SQLite keeps account of its locks in the memory of the process, which a forked child inherits
without the locks. So every file is let go of before a fork, and opened again by whoever needs it.
Nor may any thread be inside SQLite at that moment: what it holds there, the child would wait for.
"""

from __future__ import annotations

import os
import sqlite3
from _thread import RLock, get_ident
from contextlib import closing, suppress
from time import sleep
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote
from weakref import WeakValueDictionary

from outlast.adapters.stores.sqlite import checks
from outlast.adapters.stores.sqlite.errors import BUSY, is_busy, needs_a_log
from outlast.adapters.stores.sqlite.queries import QUERIES, VERSION, migrations
from outlast.errors import PlanNotFound, StoreError, WriteFailed
from outlast.system.clock import ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.system.disk import Disk

T = TypeVar("T")
PATIENCE: Final = 60.0  # seconds: others write for milliseconds
_SHORT: Final = 0.0005
_LONG: Final = 0.005
_FORK_PATIENCE: Final = 10.0
_TRIES: Final = 5  # to lock a file that is being exchanged
GATE: Final = RLock()  # held by who forks, so that no thread begins anything with SQLite meanwhile


def connect(path: str, how: str) -> sqlite3.Connection:
    """Open a database file that exists; nothing is read yet."""
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{how}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    """Return a text that may be damaged: then it is another one, which is noticed."""
    return data.decode(errors="replace")


class Moved(Exception):
    """What was read before is not what stands there now."""


class DatabaseFile:
    """A database that is opened when it is needed, and anew when another file has its name.

    `times_opened` tells whoever remembers something whether it may be another file now. A file
    beside which nothing can be written is read as one that stands still.
    """

    def __init__(self, path: str, disk: Disk, patience: float = PATIENCE) -> None:
        """Name a file, in a directory that was looked at."""
        self.path = path
        self.times_opened = 0
        self._disk = disk
        self._patience = patience
        self._guard = RLock()
        self._connection: sqlite3.Connection | None = None
        self._still = self._inherited = self._writing = False
        with GATE:
            _FILES[id(self)] = self

    # Opening

    def follow(self) -> None:
        """See to it that the file which has the name now is the one that is open."""
        with self._guard:
            connection = self._connection
            if connection is None:
                self._open()
            elif not self._writing and (
                connection.in_transaction  # somebody was interrupted, even in giving it up
                or self._still
                or not self._is_in_place()
            ):
                self.close()
                self._open()

    def _is_in_place(self) -> bool:
        try:
            return self._disk.find(self.path)[0] == self._identity
        except FileNotFoundError:
            return False

    def _open(self) -> sqlite3.Connection:
        if self._inherited:
            raise StoreError("store_inherited", where=self.path)
        try:
            self._identity = self._disk.find(self.path)[0]
        except FileNotFoundError as error:
            raise PlanNotFound("no_plan_there", where=self.path, candidates=[]) from error
        checks.check_files(self.path, self._disk)
        self._patiently(self._check_owner)
        self._connection = connection = self._patiently(self._connect)
        self.times_opened += 1
        try:
            checks.check_schema(self.path, self.query)
            if not self._still:
                self._settle(connection)
        except BaseException:
            self.close()
            raise
        return connection

    def _check_owner(self) -> None:
        """Look at the file alone, without a trace, before anything is done with it."""
        connection = connect(self.path, "mode=ro&immutable=1")
        try:
            checks.check_owner(self.path, connection)
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        self._still = False
        try:
            return self._ready(connect(self.path, "mode=rw"))
        except sqlite3.OperationalError as error:
            if not needs_a_log(error) or checks.has_log(self.path, self._disk):
                raise
            self._still = True
            return self._ready(connect(self.path, "mode=ro&immutable=1"))

    def _ready(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            for name in ("trust_no_schema", "sync_always", "version"):
                connection.execute(QUERIES[name]).fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _settle(self, connection: sqlite3.Connection) -> None:
        """Bring an older database up to date, unless it may only be read."""
        try:
            self.query("log_ahead")
            if self.query("version")[0][0] < VERSION:
                self._migrate(connection)
        except sqlite3.OperationalError as error:
            if not needs_a_log(error):
                raise

    def _migrate(self, connection: sqlite3.Connection) -> None:
        def lead_on() -> None:
            for step in migrations()[self.query("version")[0][0] :]:
                for statement in step:
                    connection.execute(statement)

        self.write(lead_on)

    def close(self) -> None:
        """Let go of the file."""
        with self._guard:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        """Let go of a file that nobody has closed; there is nobody left to be told of trouble."""
        with suppress(BaseException):
            if self._connection is not None:
                with GATE:
                    self.close()

    # Asking and changing

    def query(self, name: str, **values: object) -> list[Any]:
        """Return the rows that a query of `queries.sql` finds, whoever else is at work."""
        with self._guard:
            connection = self._connection or self._open()
            return self._patiently(lambda: connection.execute(QUERIES[name], values).fetchall())

    def rows(self, name: str, **values: object) -> Iterator[Any]:
        """Return what a query finds row by row, up to where it fails, while nobody else writes."""
        connection = self._connection or self._open()
        return connection.execute(QUERIES[name], values)

    def write(self, work: Callable[[], T], end: str = "commit") -> T:
        """Do some work while nobody else writes; keep what it changed if all goes well, or none."""
        with self._guard:
            try:
                self._begin()
                self._writing = True
                done = work()
                self.query(end)
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._writing = False
            return done

    def _begin(self) -> None:
        for _ in range(_TRIES):
            self.follow()
            self.query("begin")
            if self._is_in_place():
                return
            self._roll_back()
        raise StoreError("store_busy", where=self.path)

    def _roll_back(self) -> None:
        connection = self._connection
        if connection is not None and connection.in_transaction:
            try:
                self.query("rollback")
            except sqlite3.Error:
                self.close()

    def _patiently(self, call: Callable[[], T]) -> T:
        """Do something that others may be in the way of, until they no longer are."""
        pause, end = _SHORT, 0.0
        while True:
            try:
                return call()
            except sqlite3.OperationalError as error:
                end = end or ticks() + self._patience
                if not is_busy(error) or ticks() >= end:
                    raise
            sleep(pause)
            pause = min(pause * 2, _LONG)

    # All at once

    def changed(self) -> int:
        """Return a number that is another one when somebody else has changed something."""
        return int(self.query("changed")[0][0])

    def copy(self, path: str) -> None:
        """Copy all pages, be they damaged, into a file that is there and empty."""
        with closing(connect(self.path, "mode=rw")) as own, closing(connect(path, "mode=rw")) as to:
            own.backup(to, progress=self._be_patient(), sleep=_LONG)

    def put_over(self, new: sqlite3.Connection, changed: int) -> None:
        """Let a new database take the place of this one, in one transaction.

        `Moved` if the number of changes is another by now; then all stays as it is.
        """
        be_patient = self._be_patient()

        def look(status: int, left: int, all_: int) -> None:
            be_patient(status, left, all_)
            if status == sqlite3.SQLITE_OK and not (  # from now on nobody else writes
                self.changed() == changed and self._is_in_place()
            ):
                raise Moved

        with self._guard, closing(connect(self.path, "mode=rw")) as over:
            over.execute(QUERIES["sync_always"])
            new.backup(over, pages=1, progress=look, sleep=_LONG)

    def _be_patient(self) -> Callable[[int, int, int], None]:
        """Return what ends a copying that others have been in the way of for long."""
        end = ticks() + self._patience

        def look(status: int, _left: int, _all: int) -> None:
            if status in BUSY and ticks() >= end:
                raise WriteFailed("database_locked", where=self.path)

        return look

    # Forking

    def let_go(self) -> bool:
        """Close the file before a fork, and let nobody open it; tell whether it could be done."""
        if not self._guard.acquire(timeout=_FORK_PATIENCE):
            return False
        if self._connection is not None and self._connection.in_transaction:
            self._guard.release()
            return False
        self.close()
        return True

    def go_on(self) -> None:
        """Let the file be opened again, in the process that forked."""
        self._guard.release()

    def begin_as_child(self, *, apart: bool) -> None:
        """Go on in a forked process; not with a file that its parent was using just then."""
        self._guard = RLock()
        if not apart:
            self._inherited = True
            _NOT_OURS.append(self._connection)  # even to close it would disturb the parent
            self._connection = None


_NOT_OURS: Final[list[object]] = []
_FILES: Final[WeakValueDictionary[int, DatabaseFile]] = WeakValueDictionary()
_APART: Final[dict[int, list[DatabaseFile]]] = {}  # let go of, by the thread that forks


def _files() -> list[DatabaseFile]:
    """Return all there are; other threads may be adding some meanwhile."""
    return [file for found in _FILES.valuerefs() if (file := found()) is not None]


def _before_fork() -> None:
    GATE.acquire()
    _APART[get_ident()] = [file for file in _files() if file.let_go()]


def _go_on_as_parent() -> None:
    for file in _APART.pop(get_ident(), ()):
        file.go_on()
    GATE.release()


def _begin_as_child() -> None:
    apart = _APART.pop(get_ident(), [])
    _APART.clear()
    for file in _files():
        file.begin_as_child(apart=file in apart)
    GATE.release()


os.register_at_fork(
    before=_before_fork, after_in_parent=_go_on_as_parent, after_in_child=_begin_as_child
)
