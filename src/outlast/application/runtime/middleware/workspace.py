"""Keep tools and checks apart: a check looks at what tools may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.application.runtime.lane import CallNext, Lane
    from outlast.ports import effects as e


async def hold_workspace(effect: e.Act, lane: Lane, call_next: CallNext) -> e.Outcome:
    """Run a tool while no lane runs checks. It waits before its attempt begins, at no cost."""
    async with lane.run.workspace.for_tool():
        return await call_next(effect)
