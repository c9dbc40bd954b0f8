"""The transcript of a run: the exact exchange between a loop, its model and its tools.

It is written beside the plan, without blocking the event loop.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.plan.plan import Plan

_MAX_PENDING: Final = 100  # entries, while there is no stored plan to write them beside


class Transcript(Protocol):
    """Appends entries and reads the last ones back; the plan does not depend on them."""

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry, redacted and truncated; log a failure and never raise it."""

    def tail(self) -> list[dict[str, Any]]:
        """Return the last entries, oldest first, as far as they can be read."""


class TranscriptWriter:
    """Keeps entries until a thread has written them, and until there is a plan to write beside."""

    def __init__(self, transcript_of: Callable[[Plan], Transcript | None]) -> None:
        """Write to the transcript that `transcript_of` returns for a stored plan."""
        self._transcript_of = transcript_of
        self._pending: list[dict[str, Any]] = []
        self._cached: tuple[Plan, Transcript | None] | None = None
        self._plan: Plan | None = None
        self._writing: asyncio.Task[None] | None = None

    def write(self, plan: Plan, entry: dict[str, Any], *, is_scratch: bool) -> None:
        """Write an entry, and those that waited; keep it while the plan is a scratch plan."""
        self._pending.append(entry)
        self._plan = None if is_scratch else plan
        if is_scratch:
            del self._pending[:-_MAX_PENDING]
        elif self._writing is None:
            self._writing = asyncio.get_running_loop().create_task(self._write_pending())

    async def finish(self) -> None:
        """Wait until everything is written."""
        if self._writing is not None:
            await asyncio.wait((self._writing,))  # of all lanes: none may cancel it

    async def _write_pending(self) -> None:
        try:
            while self._pending and (plan := self._plan) is not None:
                entries, self._pending = self._pending, []
                await call_in_pool(partial(self._add, plan, entries))
        finally:
            self._writing = None

    def _add(self, plan: Plan, entries: list[dict[str, Any]]) -> None:
        transcript = self._transcript(plan)
        if transcript is not None:
            for entry in entries:
                transcript.add(entry)

    def _transcript(self, plan: Plan) -> Transcript | None:
        if self._cached is None or self._cached[0] is not plan:
            self._cached = plan, self._transcript_of(plan)
        return self._cached[1]
