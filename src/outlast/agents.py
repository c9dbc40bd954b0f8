"""Agents that carry out tasks: find one by its name, let it work, or write your own."""

from outlast.agent.agent_spec import AgentSpec, Delegation, PlanRef, Replan, ToolLoop
from outlast.agent.work import Agent, AgentSetup, Report, WorkOrder, WorkProgress, WorkResult
from outlast.orchestrator.known_agents import Orchestrate, find_agent
from outlast.orchestrator.orchestrator_loop import OrchestratorLoop

__all__ = [
    "Agent",
    "AgentSetup",
    "AgentSpec",
    "Delegation",
    "Orchestrate",
    "OrchestratorLoop",
    "PlanRef",
    "Replan",
    "Report",
    "ToolLoop",
    "WorkOrder",
    "WorkProgress",
    "WorkResult",
    "find_agent",
]
