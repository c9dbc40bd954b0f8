"""What SQLite refuses, as errors of ours."""

from __future__ import annotations

import os
import sqlite3
from typing import Final

from outlast.errors import DamagedJournal, StoreError, WriteFailed

BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_NOT_THERE: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
_IN_DOUBT: Final = (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)
PROBLEMS: Final = (sqlite3.Error, OSError)


def code_of(error: Exception) -> int:
    """Return the kind of an error, without the kinds that there are of it."""
    return _full_code(error) & 0xFF


def _full_code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0)


def is_busy(error: Exception) -> bool:
    """Tell whether somebody else only has to finish first."""
    return code_of(error) in BUSY


def is_read_only(error: Exception) -> bool:
    """Tell whether we may read here and not write."""
    return code_of(error) == sqlite3.SQLITE_READONLY


def needs_a_log(error: sqlite3.Error) -> bool:
    """Tell whether the file cannot be read because no log can be made beside it."""
    return code_of(error) in _NOT_THERE


def unreadable(path: str, error: Exception) -> StoreError:
    """Return our error for what could not be read."""
    return _known(path, error) or StoreError("store_failed", where=path, problem=_said(error))


def unwritten(path: str, error: Exception) -> StoreError:
    """Return our error for what could not be written.

    A commit that could be written but not synced may be there after a crash all the same.
    """
    if is_read_only(error):
        return WriteFailed("not_writable", where=path)
    text = "write_unknown" if _full_code(error) in _IN_DOUBT else "write_failed"
    return _known(path, error) or WriteFailed(text, where=path, problem=_said(error))


def _said(error: Exception) -> str:
    return os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)


def _known(path: str, error: Exception) -> StoreError | None:
    if is_busy(error):
        return WriteFailed("database_locked", where=path)
    if code_of(error) == sqlite3.SQLITE_NOTADB:
        return StoreError("not_a_database", where=path)
    if code_of(error) in _DAMAGE:
        return DamagedJournal("database_damaged", path=path, problem=_said(error))
    return None
