"""The workspace port: what agents change while they work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

FileStates = Mapping[str, tuple[int, ...]]  # by path: equal as long as a file is not touched


class WorkspaceProbe(Protocol):
    """Looks at the directory in which agents work, and runs nothing in it."""

    def list_files(self) -> FileStates | None:
        """Return the files that people keep; None if there are too many, or they are unreadable."""

    def read_commit(self) -> str:
        """Return the git commit that is checked out; empty without one."""
