"""The workspace lock: checks exclude tools, which may change what the checks look at."""

from __future__ import annotations

from asyncio import get_running_loop
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncIterator


class WorkspaceLock:
    """Any number of lanes may run tools, or one may run checks. First come, first served."""

    def __init__(self) -> None:
        self._tools = 0  # lanes that run a tool; -1: one runs checks
        self._queue: deque[tuple[bool, Future[None]]] = deque()

    @asynccontextmanager
    async def for_tool(self) -> AsyncIterator[None]:
        """Hold the workspace together with other tools."""
        await self._acquire(exclusive=False)
        try:
            yield
        finally:
            self._tools -= 1
            self._wake()

    @asynccontextmanager
    async def for_checks(self) -> AsyncIterator[None]:
        """Hold the workspace alone."""
        await self._acquire(exclusive=True)
        try:
            yield
        finally:
            self._tools = 0
            self._wake()

    async def _acquire(self, *, exclusive: bool) -> None:
        if not self._queue and self._is_free(exclusive=exclusive):
            self._take(exclusive=exclusive)
            return
        turn = get_running_loop().create_future()
        entry = (exclusive, turn)
        self._queue.append(entry)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():  # it was our turn: pass it on
                self._tools = 0 if exclusive else self._tools - 1
            elif entry in self._queue:
                self._queue.remove(entry)
            self._wake()
            raise

    def _wake(self) -> None:
        while self._queue and self._is_free(exclusive=self._queue[0][0]):
            exclusive, turn = self._queue.popleft()
            if not turn.done():
                self._take(exclusive=exclusive)
                turn.set_result(None)

    def _is_free(self, *, exclusive: bool) -> bool:
        return self._tools == 0 if exclusive else self._tools >= 0

    def _take(self, *, exclusive: bool) -> None:
        self._tools = -1 if exclusive else self._tools + 1
