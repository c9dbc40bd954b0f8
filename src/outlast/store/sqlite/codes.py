"""What the error codes of SQLite mean."""

from __future__ import annotations

import sqlite3
from typing import Final

BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_NO_WAL: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
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


def is_sync_failed(error: Exception) -> bool:
    """Return whether a commit was written, but perhaps not synced."""
    return _full_code(error) in _SYNC_FAILED
