"""Translate SQLite errors into `StoreError`."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from errno import EIO
from typing import Final

from outlast.errors import DamagedJournal, StoreError, WriteFailed
from outlast.store.sqlite.connection import (
    FORK_GATE,
    QUERIES,
    connect,
    error_code,
    is_busy,
    is_read_only,
    is_sync_failed,
)
from outlast.system.disk import describe_error

_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)


def read_error(path: str, error: Exception) -> StoreError:
    """Return the `StoreError` for a failed read."""
    return _typed_error(path, error) or StoreError(
        "store_failed", where=path, problem=_problem(error)
    )


def write_error(path: str, error: Exception) -> StoreError:
    """Return the `StoreError` for a failed write.

    A commit that was written but not synced may still be there after a crash: `write_unknown`.
    """
    if is_read_only(error):
        return WriteFailed("not_writable", where=path)
    text = "write_unknown" if is_sync_failed(error) else "write_failed"
    return _typed_error(path, error) or WriteFailed(text, where=path, problem=_problem(error))


def _typed_error(path: str, error: Exception) -> StoreError | None:
    if is_busy(error):
        return WriteFailed("database_locked", where=path)
    if error_code(error) == sqlite3.SQLITE_NOTADB:
        return StoreError("not_a_database", where=path)
    if error_code(error) in _DAMAGE and not _is_failed_read(path, error):
        return DamagedJournal("database_damaged", path=path, problem=describe_error(error))
    return None


def _problem(error: Exception) -> str:
    """Return what went wrong; a database that is whole after all could not be read."""
    is_called_malformed = error_code(error) == sqlite3.SQLITE_CORRUPT
    return os.strerror(EIO) if is_called_malformed else describe_error(error)


def _is_failed_read(path: str, error: Exception) -> bool:
    """Return whether SQLite calls a database malformed only because a read failed.

    It does so in queries. A copy of the pages fails with the true error, or can be checked without
    another read.
    """
    if error_code(error) != sqlite3.SQLITE_CORRUPT:
        return False
    try:
        with FORK_GATE, closing(connect(path, "mode=rw")) as own, closing(_scratch()) as copy:
            own.backup(copy)
            return copy.execute(QUERIES["quick_check"]).fetchall() == [("ok",)]
    except sqlite3.Error as failure:
        return error_code(failure) == sqlite3.SQLITE_IOERR


def _scratch() -> sqlite3.Connection:
    """Return a database in memory, which SQLite continues in a temporary file if it is large."""
    return sqlite3.connect("")
