"""The files store: a plan in a directory, for any number of threads and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import StoreError, WriteFailed
from outlast.model.changes import Commit
from outlast.model.execute import execute
from outlast.model.state import PlanState
from outlast.store import journal
from outlast.store.files.journal_file import create_journal
from outlast.store.files.replica import JournalReplica
from outlast.store.shared_store import SharedStore
from outlast.system.disk import describe_error
from outlast.system.files import PRIVATE, SHARED

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Self

    from outlast.model.commands import CreatePlan
    from outlast.system.disk import Disk


class FilesStore(SharedStore):
    """One plan in a directory."""

    io_errors = (OSError,)
    _replica: JournalReplica

    def __init__(self, directory: str, disk: Disk, now: datetime, key: str = "") -> None:
        """Open a plan; what was repaired is in `notices`.

        `key` is the one it is stored under, which its journal need not know.
        """
        self.directory = directory
        self.disk = disk
        self._reset_process_state()
        try:
            self._replica = JournalReplica(directory, disk, now, key)
            self._register_for_fork()
        except OSError as error:
            raise self._read_error(error) from error

    @classmethod
    def create(  # noqa: PLR0913 - what a plan begins with
        cls,
        directory: str,
        disk: Disk,
        command: CreatePlan,
        *,
        author: str,
        now: datetime,
        shared: bool = False,
        person: str = "",
    ) -> Self:
        """Create a plan in an existing directory that has none; complete or not at all."""
        state = PlanState(now)
        changes = execute(state, (command,), now)
        lines = journal.write_header(command.key, shared=shared)
        lines += journal.write_commit(Commit(state.revision, now, author, changes, person=person))
        try:
            create_journal(directory, disk, lines, SHARED if shared else PRIVATE)
        except OSError as error:
            problem = describe_error(error)
            raise StoreError("store_failed", where=directory, problem=problem) from error
        return cls(directory, disk, now)

    @property
    def is_shared(self) -> bool:
        """Whether other users may read and write the plan."""
        return self._replica.journal.shared

    def _read_error(self, error: Exception) -> StoreError:
        return StoreError("store_failed", where=self.directory, problem=describe_error(error))

    def _write_error(self, error: Exception) -> StoreError:
        text = "write_unknown" if self._replica.journal.is_write_unknown else "write_failed"
        failure = WriteFailed(text, where=self.directory, problem=describe_error(error))
        failure.__cause__ = error
        return failure
