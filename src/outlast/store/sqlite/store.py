"""The SQLite store: a plan in a database, for any number of threads and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.store.shared_store import SharedStore
from outlast.store.sqlite.codes import IO_ERRORS
from outlast.store.sqlite.errors import read_error, write_error
from outlast.store.sqlite.replica import RowReplica
from outlast.store.thread_lock import ThreadLock

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.errors import StoreError
    from outlast.store.sqlite.connection import DatabaseFile


class SqliteStore(SharedStore):
    """One plan of a database. A batch of commits is one transaction with one sync."""

    io_errors = IO_ERRORS
    _replica: RowReplica

    def __init__(self, file: DatabaseFile, key: str, now: datetime) -> None:
        """Open a plan; damage is reported in `notices`."""
        self.path, self.key = file.path, key
        self._file, self.disk = file, file.disk
        self._reset_process_state()
        file.add_user(self)
        try:
            self._replica = RowReplica(file, key, now)
        except BaseException as error:
            file.remove_user(self)
            if isinstance(error, IO_ERRORS):
                raise read_error(self.path, error) from error
            raise
        self._register_for_fork()

    def _reset_process_state(self) -> None:
        """Set up the lock; all stores of a database have the same, as they share a connection."""
        super()._reset_process_state()
        self._lock = ThreadLock(self._file.mutex())

    def close(self) -> None:
        """Commit what was submitted, and close the file if no other plan uses it."""
        try:
            super().close()
        finally:
            self._file.remove_user(self)

    def _read_error(self, error: Exception) -> StoreError:
        return read_error(self.path, error)

    def _write_error(self, error: Exception) -> StoreError:
        failure = write_error(self.path, error)
        failure.__cause__ = error
        return failure
