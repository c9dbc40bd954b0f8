"""The workspace lock: checks exclude the work that may change what they look at."""

from __future__ import annotations

from asyncio import get_running_loop
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from outlast.system.patterns import may_overlap

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncIterator

    from outlast.model.model import Task


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

    @asynccontextmanager
    async def for_work(self, files: tuple[str, ...] = (), task: int = 0) -> AsyncIterator[None]:
        """Hold files of the workspace together with others that work."""
        claim = _Claim(files, task, is_check=False)
        await self._acquire(claim)
        try:
            yield
        finally:
            self._release(claim)

    @asynccontextmanager
    async def for_checks(self, files: tuple[str, ...] = (), task: int = 0) -> AsyncIterator[None]:
        """Hold files of the workspace alone."""
        claim = _Claim(files, task, is_check=True)
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
