"""Look at the files of a workspace without reading them, and without running git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.system.clock import monotonic
from outlast.system.git import read_commit
from outlast.system.ignore_file import IgnoredFiles
from outlast.system.workspace_root import read_small_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.runtime.workspace_port import FileStates

_MOST_ENTRIES: Final = 50_000
_SECONDS: Final = 10.0
_IGNORE_BYTES: Final = 64 * 1024
_IGNORED: Final = (  # plans, git itself, and what programs keep for themselves
    *(".outlast", ".sessions", ".code-agent", ".git", "__pycache__", "node_modules", ".venv"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".coverage"),
)


class LocalWorkspace:
    """The directory `root`; what its `.gitignore` names at first is never listed.

    So nobody hides a file by ignoring it later.
    """

    def __init__(
        self,
        root: str,
        most: int = _MOST_ENTRIES,
        without: Iterable[str] = (),
        seconds: float = _SECONDS,
    ) -> None:
        """Take a directory; it is not listed if it has more entries than `most`, or takes longer.

        The directories `without` are left out: those through which an agent is told what to do.
        """
        self._root, self._most, self._seconds = os.path.realpath(root), most, seconds
        real = map(os.path.realpath, without)
        self._without = frozenset(os.path.relpath(path, self._root) for path in real)
        self._ignored: IgnoredFiles | None = None

    def list_files(self) -> FileStates | None:
        """Return when each file was changed last, which only root can forge.

        Links are not followed. None if there are too many files, or they are unreadable.
        """
        if self._ignored is None:
            ignore_file = read_small_file(f"{self._root}/.gitignore", _IGNORE_BYTES)
            self._ignored = IgnoredFiles(ignore_file, _IGNORED)
        try:
            return self._walk(self._ignored)
        except OSError:
            return None

    def read_commit(self) -> str:
        """Return the git commit that is checked out; empty without one."""
        return read_commit(self._root)

    def _walk(self, ignored: IgnoredFiles) -> FileStates | None:
        found, waiting, left = dict[str, tuple[int, ...]](), [""], self._most
        end = monotonic() + self._seconds  # patterns of a stranger may be slow
        while waiting:
            below = waiting.pop()
            try:
                entries = os.scandir(f"{self._root}/{below}")
            except OSError:  # it was removed meanwhile, is private, or too deep
                if not below:
                    raise
                continue
            with entries:
                for entry in entries:
                    left -= 1
                    if left < 0 or monotonic() > end:
                        return None
                    path = f"{below}/{entry.name}" if below else entry.name
                    if path in self._without or ignored.has(path):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(path)
                    elif (state := _state(entry)) is not None:
                        found[path] = state
        return found


def _state(entry: os.DirEntry[str]) -> tuple[int, ...] | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # it was removed meanwhile, or is too deep
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
