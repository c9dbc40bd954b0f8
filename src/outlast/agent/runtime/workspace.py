"""The workspace of a run: who works or checks on which files, and which files the work changed.

Checks exclude the work that may change what they look at. The watch looks whenever an attempt
begins or ends. What changed between two looks is the work of those who worked meanwhile: of who
names the file, else of all of them. What changes while nobody works is nobody's.
"""

from __future__ import annotations

import os
from asyncio import Future, Lock, get_running_loop
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Final, Protocol

from outlast.language import visible
from outlast.model.commands import NoteFootprint
from outlast.model.limits import NAME_CHARACTERS
from outlast.model.model import FILES_KEPT, Task
from outlast.system.clock import monotonic
from outlast.system.git import read_commit
from outlast.system.patterns import IgnoredFiles, is_below, may_overlap
from outlast.system.threads import call_in_pool
from outlast.system.workspace_root import read_small_file

FileStates = Mapping[str, tuple[int, ...]]  # by path: equal as long as a file is not touched
_MOST_ENTRIES: Final = 50_000
_SECONDS: Final = 10.0
_IGNORE_BYTES: Final = 64 * 1024
_IGNORED: Final = (  # plans, git itself, and what programs keep for themselves
    *(".outlast", ".sessions", ".code-agent", ".git", "__pycache__", "node_modules", ".venv"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".coverage"),
)


def checked_files(task: Task) -> tuple[str, ...]:
    """Return the patterns of what the checks of a task look at; nothing stands for all files."""
    if not task.files:
        return ()
    return (*task.files, *task.protect, *(check.path for check in task.checks if check.path))


class _Claim:
    """A wish to work on some files, or to check them; no files stand for all."""

    def __init__(self, files: tuple[str, ...], task: int, *, is_check: bool) -> None:
        self.files, self.task, self.is_check = files, task, is_check

    def excludes(self, other: _Claim) -> bool:
        """Return whether the two may not be granted at the same time."""
        if not (self.is_check or other.is_check) or self.is_same_task(other):
            return False
        return may_overlap(self.files, other.files)

    def is_same_task(self, other: _Claim) -> bool:
        return self.task > 0 and self.task == other.task


class WorkspaceLock:
    """Any number of lanes may work; checks wait for work on their files, and keep it waiting.

    First come, first served among those that exclude each other; the others pass. What is done
    inside of the work on a task, like the tools of an agent, does not wait behind the checks that
    wait for this task.
    """

    def __init__(self) -> None:
        self._held: list[_Claim] = []
        self.checks_begun = 0
        self._queue: deque[tuple[_Claim, Future[None]]] = deque()

    @property
    def is_checking(self) -> bool:
        """Whether checks run now."""
        return any(claim.is_check for claim in self._held)

    def for_work(
        self, files: tuple[str, ...] = (), task: int = 0
    ) -> AbstractAsyncContextManager[None]:
        """Hold files of the workspace together with others that work."""
        return self._hold(_Claim(files, task, is_check=False))

    def for_checks(
        self, files: tuple[str, ...] = (), task: int = 0
    ) -> AbstractAsyncContextManager[None]:
        """Hold files of the workspace alone."""
        return self._hold(_Claim(files, task, is_check=True))

    @asynccontextmanager
    async def _hold(self, claim: _Claim) -> AsyncIterator[None]:
        await self._acquire(claim)
        try:
            yield
        finally:
            self._release(claim)

    async def _acquire(self, claim: _Claim) -> None:
        outer = next((held for held in self._held if held.is_same_task(claim)), None)
        if outer is not None:
            claim.files = outer.files
        waiting = [] if outer is not None else [other for other, _ in self._queue]
        if not any(other.excludes(claim) for other in (*self._held, *waiting)):
            self._grant(claim)
            return
        turn = get_running_loop().create_future()
        entry = (claim, turn)
        self._queue.insert(0 if outer is not None else len(self._queue), entry)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():  # it was our turn: pass it on
                self._release(claim)
            elif entry in self._queue:
                self._queue.remove(entry)
                self._wake()
            raise

    def _grant(self, claim: _Claim) -> None:
        self._held.append(claim)
        self.checks_begun += claim.is_check

    def _release(self, claim: _Claim) -> None:
        self._held.remove(claim)
        self._wake()

    def _wake(self) -> None:
        """Grant what nothing held and nothing that came earlier excludes."""
        waiting: deque[tuple[_Claim, Future[None]]] = deque()
        for claim, turn in self._queue:
            if turn.done():
                continue
            earlier = (other for other, _ in waiting)
            if any(other.excludes(claim) for other in (*self._held, *earlier)):
                waiting.append((claim, turn))
            else:
                self._grant(claim)
                turn.set_result(None)
        self._queue = waiting


class WorkspaceProbe(Protocol):
    """Looks at the directory in which agents work, and runs nothing in it."""

    def list_files(self) -> FileStates | None:
        """Return the files that people keep; None if there are too many, or they are unreadable."""

    def read_commit(self) -> str:
        """Return the git commit that is checked out; empty without one."""


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
