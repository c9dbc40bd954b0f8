"""Agents that carry out tasks: find one by its name, let it work, or write your own."""

from outlast.formats.mailbox.report_file import Report
from outlast.ports.agent import Agent, AgentSetup, WorkOrder, WorkProgress, WorkResult
from outlast.wiring.agents.coding_agents import find_agent
from outlast.wiring.agents.orchestrator import OrchestratorLoop

__all__ = [
    "Agent",
    "AgentSetup",
    "OrchestratorLoop",
    "Report",
    "WorkOrder",
    "WorkProgress",
    "WorkResult",
    "find_agent",
]
