"""Try the agent of a run before its first task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.agent.events import Notified
from outlast.agent.outcomes import AgentTried
from outlast.agent.runtime.guards import shield
from outlast.language import text
from outlast.model.budget import NOTHING
from outlast.model.commands import Charge

if TYPE_CHECKING:
    from outlast.agent.runtime.lane import Lane


async def try_agent(lane: Lane) -> AgentTried:
    """Let the agent show that it can work here, unless it has done so today."""
    preflight, agent = lane.run.dependencies.preflight, lane.run.dependencies.agent
    if preflight is None or agent is None:
        return AgentTried()
    try:
        if not await preflight.is_needed():
            return AgentTried()
        lane.emit(Notified(text("preflight_begins", lane.run.language, agent=agent.name), "work"))
        result = await shield(preflight.run())
    except Exception as error:  # noqa: BLE001 - whatever an agent raises, it cannot work
        problem = lane.run.error_text(error)
    else:
        problem = result.error
        if result.spent != NOTHING:
            lane.defer(Charge(result.spent))
    if not problem:
        return AgentTried()
    return AgentTried(
        text("preflight_failed", lane.run.language, agent=agent.name, problem=problem)
    )
