"""Translate SQLite errors into `StoreError`."""

from __future__ import annotations

import sqlite3
from typing import Final

from outlast.errors import DamagedJournal, StoreError, WriteFailed
from outlast.system.disk import describe_error

BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_NO_WAL: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
_SYNC_FAILED: Final = (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)
IO_ERRORS: Final = (sqlite3.Error, OSError)


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


def read_error(path: str, error: Exception) -> StoreError:
    """Return the `StoreError` for a failed read."""
    return _typed_error(path, error) or StoreError(
        "store_failed", where=path, problem=describe_error(error)
    )


def write_error(path: str, error: Exception) -> StoreError:
    """Return the `StoreError` for a failed write.

    A commit that was written but not synced may still be there after a crash: `write_unknown`.
    """
    if is_read_only(error):
        return WriteFailed("not_writable", where=path)
    text = "write_unknown" if _full_code(error) in _SYNC_FAILED else "write_failed"
    return _typed_error(path, error) or WriteFailed(text, where=path, problem=describe_error(error))


def _typed_error(path: str, error: Exception) -> StoreError | None:
    if is_busy(error):
        return WriteFailed("database_locked", where=path)
    if error_code(error) == sqlite3.SQLITE_NOTADB:
        return StoreError("not_a_database", where=path)
    if error_code(error) in _DAMAGE:
        return DamagedJournal("database_damaged", path=path, problem=describe_error(error))
    return None
