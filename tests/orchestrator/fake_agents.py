"""Agents for tests: they do what a script says, and remember what they were asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from outlast.agent.work import Report, WorkResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.agent.work import WorkOrder, WorkProgress

    Work = Callable[[WorkOrder], Awaitable[WorkResult]]


async def succeed(order: WorkOrder) -> WorkResult:
    """Report success at once."""
    await asyncio.sleep(0)
    session = order.session or f"s-{order.task}"
    return WorkResult(Report("SUCCESS", session, f"did {order.name}"), session)


class FakeAgent:
    """An agent that works as `work` says."""

    name = "fake"

    def __init__(self, work: Work = succeed) -> None:
        self._work = work
        self.orders: list[WorkOrder] = []
        self.ended: list[str] = []
        self.busy = self.most_busy = 0

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        self.orders.append(order)
        self.busy += 1
        self.most_busy = max(self.busy, self.most_busy)
        progress.say(f"working on {order.name}\n")
        try:
            return await self._work(order)
        finally:
            self.busy -= 1

    async def settle(self, order: str, session: str) -> WorkResult | None:
        del order, session
        return None

    async def end_session(self, session: str) -> None:
        self.ended.append(session)
