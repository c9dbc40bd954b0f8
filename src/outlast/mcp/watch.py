"""Find out which of the watched resources have changed, whatever program changed the plan."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.errors import OutlastError
from outlast.mcp.resources import parse_address, read_resource
from outlast.plan.plan import Plan
from outlast.system.logs import LOG
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.language import Language
    from outlast.mcp.served_plans import ServedPlans
    from outlast.model.changes import Commit

_LOOK_SECONDS: Final = 1.0  # after which another plan may be the current one


class _Seen(Struct, frozen=True):
    """What a resource showed, of which plan at which revision; None if it could not be read."""

    plan: Plan | None
    mark: object
    shown: str | None


class ResourceWatch:
    """Reads the watched resources again after each commit to their plans, and once a second.

    The first is quick, the second notices that another plan has become the current one.
    """

    def __init__(
        self, plans: ServedPlans, language: Language, publish: Callable[[str], Awaitable[None]]
    ) -> None:
        """Call `publish` with the address of each resource that has changed."""
        self._plans, self._language, self._publish = plans, language, publish
        self._counts: Counter[str] = Counter()
        self._seen: dict[str, _Seen] = {}
        self._followed: dict[Plan, Callable[[], None]] = {}
        self._changed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    async def add(self, uri: str) -> None:
        """Watch a resource from now on."""
        self._loop = asyncio.get_running_loop()
        self._counts[uri] += 1
        if uri not in self._seen:
            seen = await call_in_thread(partial(self._look, uri, None))
            if self._counts[uri] > 0:  # else it was removed meanwhile
                self._seen.setdefault(uri, seen)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def remove(self, uri: str) -> None:
        """Watch a resource for one subscriber less."""
        self._counts[uri] -= 1
        if self._counts[uri] <= 0:
            del self._counts[uri]
            self._seen.pop(uri, None)

    async def close(self) -> None:
        """Watch nothing any more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self._seen.clear()
        self._unfollow()

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._changed.wait()
            self._changed.clear()
            for uri, before in list(self._seen.items()):
                seen = await call_in_thread(partial(self._look, uri, before))
                if self._seen.get(uri) is before and seen is not before:
                    self._seen[uri] = seen
                    if seen.shown != before.shown:
                        await self._report(uri)
            self._unfollow()

    async def _report(self, uri: str) -> None:
        try:
            await self._publish(uri)
        except Exception:
            LOG.exception("a change of %s could not be reported", uri)

    def _look(self, uri: str, before: _Seen | None) -> _Seen:
        """Return what a resource shows now; `before` itself if its plan has not changed since."""
        try:
            plan = self._plans.find(parse_address(uri).key)
            if plan is None:
                mark: object = None
            else:
                if plan not in self._followed:
                    self._followed[plan] = plan.history.subscribe(self._note)
                mark = plan.core.read(lambda state: (state.id, state.revision))
            if before is not None and (before.plan, before.mark) == (plan, mark):
                return before
            return _Seen(plan, mark, read_resource(self._plans, uri, self._language))
        except OutlastError as error:
            LOG.debug("%s: %s", uri, error)
        except Exception:
            if before is None or before.shown is not None:  # once, not every second
                LOG.exception("%s could not be read", uri)
        return _Seen(None, None, None)

    def _note(self, _commit: Commit) -> None:
        """Wake the watch; called by the thread that polls the plans."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._changed.set)

    def _unfollow(self) -> None:
        """Unsubscribe from plans that no watched resource shows."""
        used = [seen.plan for seen in self._seen.values()]
        for plan in list(self._followed):  # a copy: other threads add to it
            if plan not in used:
                try:
                    self._followed.pop(plan)()
                except Exception:
                    LOG.exception("a plan could not be unsubscribed from")
