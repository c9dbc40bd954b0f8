"""The workspace watch: which files the attempts of a run changed that their tasks do not name.

It looks whenever an attempt begins or ends. What changed between two looks is the work of those who
worked meanwhile: of who names the file, else of all of them. What changes while nobody works is
nobody's.
"""

from __future__ import annotations

from asyncio import Lock
from functools import partial
from typing import TYPE_CHECKING

from outlast.language import visible
from outlast.model.commands import NoteFootprint
from outlast.model.limits import NAME_CHARACTERS
from outlast.model.model import FILES_KEPT
from outlast.system.patterns import is_below
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.runtime.workspace_port import FileStates, WorkspaceProbe


class Visit:
    """An attempt in the workspace: the files of its task, and the others that it may have changed.

    A task that names no files may change all of them.
    """

    def __init__(self, files: tuple[str, ...]) -> None:
        self.files, self.commit = files, ""
        self.outside: set[str] = set()
        self.is_shared = False

    def names(self, path: str) -> bool:
        """Return whether a path is one of the task's files."""
        return not self.files or is_below(path, self.files)


class WorkspaceWatch:
    """Watches one directory for all lanes of a run."""

    def __init__(self, probe: WorkspaceProbe) -> None:
        self._probe = probe
        self._visits: list[Visit] = []
        self._files: FileStates | None = None
        self._commit = ""
        self._lock = Lock()

    async def begin(self, files: tuple[str, ...]) -> Visit:
        """Begin to watch an attempt of a task with these files."""
        async with self._lock:
            visit = Visit(files)
            visit.commit = await self._look((*self._visits, visit))
            self._visits.append(visit)
            return visit

    async def end(self, visit: Visit, attempt: str) -> NoteFootprint | None:
        """End it; return what it left in the workspace, if anything is known."""
        async with self._lock:
            after = await self._look(self._visits)
            self._visits.remove(visit)
        outside = sorted(visit.outside)
        if not (outside or after or visit.commit):
            return None
        shown = tuple(visible(path)[:NAME_CHARACTERS] for path in outside[:FILES_KEPT])
        return NoteFootprint(attempt, visit.commit, after, shown, len(outside), visit.is_shared)

    async def _look(self, interested: Iterable[Visit]) -> str:
        """Find out whose work the changes since the last look are; return the commit of now.

        Files are looked at only if a task names some.
        """
        before, self._commit = self._commit, await call_in_pool(self._probe.read_commit)
        is_new = before != self._commit
        strays = await self._find_strays() if any(each.files for each in interested) else None
        if strays is None:
            self._files = None
        for visit in self._visits:
            visit.outside.update(strays or ())
            visit.is_shared |= len(self._visits) > 1 and bool(is_new or strays)
        return self._commit

    async def _find_strays(self) -> list[str] | None:
        """Return the changed files that no task names; None if the files cannot be listed."""
        before, self._files = self._files, await call_in_pool(self._probe.list_files)
        if self._files is None:
            return None
        if before is None or not self._visits:
            return []
        changed = await call_in_pool(partial(_changed_paths, before, self._files))
        return [path for path in changed if not any(each.names(path) for each in self._visits)]


def _changed_paths(before: FileStates, after: FileStates) -> list[str]:
    """Return the files that were added, changed or removed."""
    touched = [path for path, state in after.items() if before.get(path) != state]
    return [*touched, *(path for path in before if path not in after)]
