"""An agenda in an SQLite file. Every call opens the file, so that nothing is held between calls."""

from __future__ import annotations

# ruff: noqa: TC003 - public signatures are read at run time
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

import msgspec

from outlast.assistant.agenda.calendar import last_reminder
from outlast.assistant.agenda.commands import (
    MOST_MINUTES,
    AddTodo,
    AgendaCommand,
    AppointmentCommand,
    CompleteTodo,
    DeleteAppointment,
    DeleteTodo,
    TodoCommand,
    UpdateTodo,
    decide_appointment,
    decide_todo,
)
from outlast.assistant.agenda.items import (
    Appointment,
    Recurrence,
    Reminder,
    TodoItem,
    todo_reminders,
)
from outlast.errors import LockTimeout, NewerFormat, StoreError
from outlast.language import times
from outlast.system.clock import now as system_now
from outlast.system.disk import Disk, describe_error
from outlast.system.sql_files import read_migrations, read_queries

Item = TodoItem | Appointment
_DISK: Final = Disk()
_QUERIES: Final = read_queries(__package__)
_MIGRATIONS: Final = read_migrations(__package__)
_APPLICATION: Final = 0x4F41474E  # "OAGN" in the header of the file
_PRIMARY_CODE: Final = 0xFF  # the other bits of an error code of SQLite are details
_DAY: Final = timedelta(days=1)
_REMEMBERED: Final = timedelta(days=365)  # so late may a killed task go on
_YEARS: Final = range(900, 3001)  # a reminder may be as long before as the calendar is
_SHOWN: Final = 100  # characters of a value that cannot be
_TODO_COMMANDS: Final = (AddTodo, UpdateTodo, CompleteTodo, DeleteTodo)


class AgendaDatabase:
    """The `Agenda` of the user of this machine. Every failure of the file raises `StoreError`."""

    def __init__(
        self,
        path: str,
        clock: Callable[[], datetime] = system_now,
        zone: tzinfo = UTC,
        *,
        lock_seconds: float = 10.0,
    ) -> None:
        """Use a file, which is created on the first change.

        `zone` is that of the user. A change waits up to `lock_seconds` for other processes.
        """
        self._path, self._clock, self._zone = Path(path), clock, zone
        self._lock_seconds = lock_seconds

    def todos(self) -> dict[int, TodoItem]:
        """Return all todos by id."""
        with self._open_to_read() as connection:
            return {} if connection is None else _todos(connection)

    def appointments(self) -> dict[int, Appointment]:
        """Return all appointments by id."""
        with self._open_to_read() as connection:
            return {} if connection is None else _appointments(connection)

    def change(self, command: AgendaCommand, key: str = "") -> Item:
        """Carry out a command in one transaction, or return what it returned the first time.

        A key is remembered for a year.
        """
        with self._open_to_write() as connection:
            stored = connection.execute(_QUERIES["answer"], (key,)).fetchone() if key else None
            if stored is not None:
                kind: type[Item] = TodoItem if isinstance(command, _TODO_COMMANDS) else Appointment
                return msgspec.json.decode(stored[0], type=kind)
            now = self._clock()
            self._pass_time(connection, now)
            if isinstance(command, _TODO_COMMANDS):
                item: Item = _change_todo(connection, command, now)
            else:
                item = _change_appointment(connection, command, now, self._zone)
            if key:
                answer = msgspec.json.encode(item).decode()
                connection.execute(_QUERIES["save_answer"], (key, answer, times.write(now)))
                connection.execute(_QUERIES["forget_answers"], (times.write(now - _REMEMBERED),))
            return item

    def has_changed(self, key: str) -> bool:
        """Return whether a command was carried out under a key."""
        with self._open_to_read() as connection:
            if connection is None:
                return False
            return connection.execute(_QUERIES["answer"], (key,)).fetchone() is not None

    def claim_reminders(self, now: datetime) -> tuple[Reminder, ...]:
        """Return what has fallen due since the last call, at first since the file was created.

        Of an appointment that recurs only the last reminder is returned.
        """
        with self._open_to_read() as connection:
            if connection is None or not self._find_due(connection, now):
                return ()
        with self._open_to_write() as connection:
            due = self._find_due(connection, now)  # another process may have claimed them
            if due:
                connection.execute(_QUERIES["set_reminded"], (times.write(now),))
            return due

    def _pass_time(self, connection: sqlite3.Connection, now: datetime) -> None:
        """Let reminders begin now, unless some wait: a change makes none in the past."""
        if not self._find_due(connection, now) and _reminded_until(connection) < now:
            connection.execute(_QUERIES["set_reminded"], (times.write(now),))

    def _find_due(self, connection: sqlite3.Connection, now: datetime) -> tuple[Reminder, ...]:
        after = _reminded_until(connection)
        if after - now > _DAY:  # the clock was wrong the last time
            after = now - _DAY
        due = [*todo_reminders(_todos(connection).values(), after, now)]
        appointments = _appointments(connection).values()
        due += filter(None, (last_reminder(each, after, now, self._zone) for each in appointments))
        return tuple(sorted(due, key=lambda reminder: reminder.at))

    @contextmanager
    def _open_to_read(self) -> Iterator[sqlite3.Connection | None]:
        """Open the file for one look, its schema brought up to date; None if there is none."""
        with self._wrap_errors():
            if not self._check_file():
                yield None
                return
            with self._connect() as connection:
                connection.execute("BEGIN")
                if self._version(connection) < len(_MIGRATIONS):
                    connection.execute("ROLLBACK")
                    with self._open_to_write():
                        pass
                    connection.execute("BEGIN")
                yield connection

    @contextmanager
    def _open_to_write(self) -> Iterator[sqlite3.Connection]:
        """Open the file, bring its schema up to date, and work in one transaction."""
        with self._wrap_errors():
            if not self._check_file():
                _create_privately(self._path)
            with self._connect() as connection:
                connection.execute("BEGIN IMMEDIATE")
                self._migrate(connection)
                yield connection
                connection.execute("COMMIT")

    def _check_file(self) -> bool:
        """Return whether there is a file. Raises for anything else, such as a link or a pipe."""
        try:
            mode = self._path.lstat().st_mode
        except FileNotFoundError:
            return False
        if not S_ISREG(mode):
            raise StoreError("no_plain_file", where=str(self._path))
        return True

    def _migrate(self, connection: sqlite3.Connection) -> None:
        version = self._version(connection)
        for statements in _MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        if version < len(_MIGRATIONS):
            connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
        if not version:
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(_QUERIES["begin_reminding"], (times.write(self._clock()),))

    def _version(self, connection: sqlite3.Connection) -> int:
        """Return the version of the schema, 0 for an empty file. Raises for any other content."""
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute(_QUERIES["count_tables"]).fetchone()
        (foreign,) = connection.execute(_QUERIES["count_foreign"]).fetchone()
        if foreign or (application != _APPLICATION and tables):
            raise StoreError("agenda_not_ours", where=str(self._path))
        if version > len(_MIGRATIONS):
            raise NewerFormat("agenda_newer", where=str(self._path), version=version)
        return int(version)

    @contextmanager
    def _wrap_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
            raise self._explain(error) from error

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self._path, timeout=self._lock_seconds, isolation_level=None)
        with closing(connection):
            connection.execute("PRAGMA synchronous = EXTRA")  # the deletion of the journal too
            try:
                yield connection
            finally:
                connection.rollback()  # closing keeps the locks while an error refers to a cursor

    def _explain(self, error: Exception) -> StoreError:
        where = str(self._path)
        if isinstance(error, OSError):
            return StoreError("agenda_unusable", where=where, problem=describe_error(error))
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & _PRIMARY_CODE
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return LockTimeout("agenda_busy", where=where, seconds=self._lock_seconds)
        damaged = code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
        text = "agenda_damaged" if damaged else "agenda_unusable"
        return StoreError(text, where=where, problem=str(error))


def _reminded_until(connection: sqlite3.Connection) -> datetime:
    return _read_time(*connection.execute(_QUERIES["reminded_until"]).fetchone())


def _create_privately(path: Path) -> None:
    """Create the file for the user alone; SQLite would let others read it."""
    missing = [each for each in path.parents if not each.exists()]
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    for directory in (path, *missing):
        _DISK.sync_directory(str(directory.parent))


def _change_todo(connection: sqlite3.Connection, command: TodoCommand, now: datetime) -> TodoItem:
    (last,) = connection.execute(_QUERIES["last_todo"]).fetchone()
    todo = decide_todo(command, _todos(connection), last + 1, now)
    if isinstance(command, DeleteTodo):
        connection.execute(_QUERIES["delete_todo"], (todo.id,))
    else:
        connection.execute(_QUERIES["save_todo"], _todo_row(todo))
    return todo


def _change_appointment(
    connection: sqlite3.Connection, command: AppointmentCommand, now: datetime, zone: tzinfo
) -> Appointment:
    (last,) = connection.execute(_QUERIES["last_appointment"]).fetchone()
    appointment = decide_appointment(command, _appointments(connection), last + 1, now, zone)
    if isinstance(command, DeleteAppointment):
        connection.execute(_QUERIES["delete_appointment"], (appointment.id,))
    else:
        connection.execute(_QUERIES["save_appointment"], _appointment_row(appointment))
    return appointment


def _todos(connection: sqlite3.Connection) -> dict[int, TodoItem]:
    rows = connection.execute(_QUERIES["todos"])
    return {row[0]: TodoItem(*_read_row(_TODO_COLUMNS, row)) for row in rows}


def _todo_row(todo: TodoItem) -> tuple[object, ...]:
    return tuple(map(_write_value, msgspec.structs.astuple(todo)))


def _appointments(connection: sqlite3.Connection) -> dict[int, Appointment]:
    rows = connection.execute(_QUERIES["appointments"])
    return {row[0]: _read_appointment(row) for row in rows}


def _read_appointment(row: tuple[object, ...]) -> Appointment:
    *before, interval, count, recurs, remind_start = row
    appointment = Appointment(*_read_row(_APPOINTMENT_COLUMNS, before))
    if interval is not None:
        recurrence = Recurrence(_read_minutes(interval), _read_number(count), bool(recurs))
        appointment = msgspec.structs.replace(appointment, recurrence=recurrence)
    return msgspec.structs.replace(appointment, remind_start=_read_maybe(remind_start))


def _appointment_row(appointment: Appointment) -> tuple[object, ...]:
    *before, recurrence, remind_start = msgspec.structs.astuple(appointment)
    recurs = (None, None, None) if recurrence is None else msgspec.structs.astuple(recurrence)
    return tuple(map(_write_value, (*before, *recurs, remind_start)))


def _write_value(value: object) -> object:
    return times.write(value) if isinstance(value, datetime) else value


# What the file holds, which any program may have written


def _read_row(columns: Sequence[Callable[[object], Any]], row: Sequence[object]) -> Iterator[Any]:
    """Yield the values of the first fields of an item, in their order."""
    return (read(value) for read, value in zip(columns, row, strict=True))


def _read_maybe(value: object) -> datetime | None:
    return None if value is None else _read_time(value)


def _read_time(value: object) -> datetime:
    moment = times.read(value) if isinstance(value, str) else None
    if moment is None or moment.year not in _YEARS:
        raise _damage(value)
    return moment


def _read_minutes(value: object) -> int:
    minutes = _read_number(value)
    if not 0 < minutes <= MOST_MINUTES:
        raise _damage(value)
    return minutes


def _read_number(value: object) -> int:
    if not isinstance(value, int):
        raise _damage(value)
    return value


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise _damage(value)
    return value


def _damage(value: object) -> sqlite3.DataError:
    return sqlite3.DataError(repr(value)[:_SHOWN])


# How the columns are read, in the order of the fields.
_NAMED: Final = (_read_number, _read_text, _read_time)
_TODO_COLUMNS: Final = (*_NAMED, _read_text, _read_number, _read_maybe, _read_maybe, _read_maybe)
_APPOINTMENT_COLUMNS: Final = (*_NAMED, _read_time, _read_minutes, _read_maybe)
