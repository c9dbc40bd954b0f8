"""Agents that work inside a run: with its model, tools and budget, on lanes of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from outlast.agent.effects import Delegate
from outlast.agent.loop_agent import LoopAgent
from outlast.plan.tools.tool_sets import tool_specs

if TYPE_CHECKING:
    from outlast.agent.effects import Attempted, Loop
    from outlast.agent.runtime.lane import Lane
    from outlast.agent.work import WorkOrder, WorkResult


def uses_lane(effect: Attempted, lane: Lane) -> bool:
    """Return whether an effect is the work of an agent whose calls are attempts of their own.

    Their time is limited and charged, so that it is neither limited nor charged once more.
    """
    return isinstance(effect, Delegate) and isinstance(lane.run.dependencies.agent, LoopAgent)


async def work_on_lane(agent: LoopAgent, order: WorkOrder, parent: Lane) -> WorkResult:
    """Let an agent carry out an order; with the permission to read only it gets no other tools."""
    tools = parent.run.dependencies.tools
    if order.permissions == "read":
        tools = tuple(tool for tool in tools if tool.level == "read")
    loop, lane = agent.loop(order, tool_specs(tools)), parent.open_lane(order.task, "")
    had_slot = parent.hand_over_to(lane)
    try:
        result = await _drive(loop, lane)
    finally:
        loop.close()
        try:
            await lane.finish()
        finally:
            lane.close()
    if had_slot:
        await parent.take_slot()
    return result


async def _drive(loop: Loop[WorkResult], lane: Lane) -> WorkResult:
    step = partial(next, loop)
    while True:
        try:
            effect = step()
        except StopIteration as end:
            result: WorkResult = end.value
            return result
        step = partial(loop.send, await lane.perform(effect))
