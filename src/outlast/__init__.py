"""Outlast: plans that outlast the context window."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing typing

if TYPE_CHECKING:
    from outlast.agent.agent_loop import AgentLoop, RunResult, run
    from outlast.agent.people.person import Person
    from outlast.assistant.assistant import Assistant
    from outlast.console.render.tree import plan_tree
    from outlast.errors import OutlastError
    from outlast.language import explain
    from outlast.model.budget import Budget, Spend
    from outlast.model.changes import Commit
    from outlast.model.commands import NewTask
    from outlast.model.history.diff import Difference
    from outlast.model.model import (
        Check,
        ErrorRecord,
        Finding,
        Interjection,
        Lease,
        Phase,
        Progress,
        Question,
        Task,
    )
    from outlast.orchestrator.plan_agent import LLM, CodingBridge, Orchestrator, Verdict
    from outlast.plan.async_plan import AsyncPlan
    from outlast.plan.plan import Plan
    from outlast.plan.plan_list import list_plans
    from outlast.plan.plan_manager import PlanManager
    from outlast.plan.plans import create_plan, open_plan
    from outlast.proof.labels import Approval, ProofStatus
    from outlast.store.heartbeat import Heartbeat

    __version__: str

__all__ = [
    "LLM",
    "AgentLoop",
    "Approval",
    "Assistant",
    "AsyncPlan",
    "Budget",
    "Check",
    "CodingBridge",
    "Commit",
    "Difference",
    "ErrorRecord",
    "Finding",
    "Heartbeat",
    "Interjection",
    "Lease",
    "NewTask",
    "Orchestrator",
    "OutlastError",
    "Person",
    "Phase",
    "Plan",
    "PlanManager",
    "Progress",
    "ProofStatus",
    "Question",
    "RunResult",
    "Spend",
    "Task",
    "Verdict",
    "__version__",
    "create_plan",
    "explain",
    "list_plans",
    "open_plan",
    "plan_tree",
    "run",
]

_HOMES = {
    "LLM": "orchestrator.plan_agent",
    "AgentLoop": "agent.agent_loop",
    "Approval": "proof.labels",
    "Assistant": "assistant.assistant",
    "AsyncPlan": "plan.async_plan",
    "Budget": "model.budget",
    "Check": "model.model",
    "CodingBridge": "orchestrator.plan_agent",
    "Commit": "model.changes",
    "Difference": "model.history.diff",
    "ErrorRecord": "model.model",
    "Finding": "model.model",
    "Heartbeat": "store.heartbeat",
    "Interjection": "model.model",
    "Lease": "model.model",
    "NewTask": "model.commands",
    "Orchestrator": "orchestrator.plan_agent",
    "OutlastError": "errors",
    "Person": "agent.people.person",
    "Phase": "model.model",
    "Plan": "plan.plan",
    "PlanManager": "plan.plan_manager",
    "Progress": "model.model",
    "ProofStatus": "proof.labels",
    "Question": "model.model",
    "RunResult": "agent.agent_loop",
    "Spend": "model.budget",
    "Task": "model.model",
    "Verdict": "orchestrator.plan_agent",
    "create_plan": "plan.plans",
    "explain": "language",
    "list_plans": "plan.plan_list",
    "open_plan": "plan.plans",
    "plan_tree": "console.render.tree",
    "run": "agent.agent_loop",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used, so that `import outlast` costs nothing."""
    if name in _HOMES:
        home = __import__(f"outlast.{_HOMES[name]}", fromlist=[name])  # importlib costs too much
        value: object = getattr(home, name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("outlast")
    else:
        raise AttributeError(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
