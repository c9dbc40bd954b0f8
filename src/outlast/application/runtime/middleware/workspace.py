"""What a tool may change: keep checks away meanwhile, and tell its edits from people's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.application.runtime.lane import CallNext, Lane
    from outlast.ports import effects as e


async def hold_workspace(effect: e.Act, lane: Lane, call_next: CallNext) -> e.Outcome:
    """Run a tool while no lane runs checks. It waits before its attempt begins, at no cost.

    What is in the plan's views by then was not changed by the tool.
    """
    async with lane.run.workspace.for_tool():
        await lane.run.sync_views()
        return await call_next(effect)


async def find_edits(effect: e.Act, lane: Lane, call_next: CallNext) -> e.Outcome:
    """Sync what changed in the plan's views while a tool ran, before its attempt can end.

    Such an edit may be the tool's, so that nobody is its author.
    """
    try:
        return await call_next(effect)
    finally:
        await lane.run.sync_views(during=effect.call.name)
