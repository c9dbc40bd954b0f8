"""Run a loop as the one runner of its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.wrappers.listening import inform
from outlast.ports import effects as e
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from outlast.application.planning import Plan
    from outlast.domain.model import Lease
    from outlast.texts import Language


async def holding(
    plan: Plan,
    seconds: int,
    work: Callable[[Lease], Awaitable[e.Stopped]],
    listener: Callable[[e.Event], object] | None = None,
    language: Language = "en",
) -> e.Stopped:
    """Hold the plan while a loop runs, and give it back however that ends.

    Refused while another runner holds it. A loop that is taken over, since it was silent for too
    long, stops at its next change, which is not made.
    """
    with plan.hold_plan(seconds) as held:
        try:
            return await work(held.lease)
        except e.Overtaken:
            stopped = e.Stopped(plan.status, "overtaken", text("loop_overtaken", language))
    inform(listener, stopped)
    return stopped
