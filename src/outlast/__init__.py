"""Outlast: plans that outlast the context window."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing typing

if TYPE_CHECKING:
    from outlast.application.heartbeat import Heartbeat
    from outlast.application.plan.plan import Plan
    from outlast.application.proof.labels import Approval, ProofStatus
    from outlast.domain.budget import Budget, Spend
    from outlast.domain.changes import Commit
    from outlast.domain.commands import NewTask
    from outlast.domain.history.diff import Difference
    from outlast.domain.model import (
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
    from outlast.errors import OutlastError
    from outlast.interfaces.cli.render.tree import plan_tree
    from outlast.ports.person import Person
    from outlast.texts import explain
    from outlast.wiring.agents.loop import AgentLoop, RunResult, run
    from outlast.wiring.agents.plan_agent import LLM, CodingBridge, Orchestrator, Verdict
    from outlast.wiring.assistant.assistant import Assistant
    from outlast.wiring.async_plans import AsyncPlan
    from outlast.wiring.plan_list import list_plans
    from outlast.wiring.plan_manager import PlanManager
    from outlast.wiring.plans import create_plan, open_plan

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
    "LLM": "wiring.agents.plan_agent",
    "AgentLoop": "wiring.agents.loop",
    "Approval": "application.proof.labels",
    "Assistant": "wiring.assistant.assistant",
    "AsyncPlan": "wiring.async_plans",
    "Budget": "domain.budget",
    "Check": "domain.model",
    "CodingBridge": "wiring.agents.plan_agent",
    "Commit": "domain.changes",
    "Difference": "domain.history.diff",
    "ErrorRecord": "domain.model",
    "Finding": "domain.model",
    "Heartbeat": "application.heartbeat",
    "Interjection": "domain.model",
    "Lease": "domain.model",
    "NewTask": "domain.commands",
    "Orchestrator": "wiring.agents.plan_agent",
    "OutlastError": "errors",
    "Person": "ports.person",
    "Phase": "domain.model",
    "Plan": "application.plan.plan",
    "PlanManager": "wiring.plan_manager",
    "Progress": "domain.model",
    "ProofStatus": "application.proof.labels",
    "Question": "domain.model",
    "RunResult": "wiring.agents.loop",
    "Spend": "domain.budget",
    "Task": "domain.model",
    "Verdict": "wiring.agents.plan_agent",
    "create_plan": "wiring.plans",
    "explain": "texts",
    "list_plans": "wiring.plan_list",
    "open_plan": "wiring.plans",
    "plan_tree": "interfaces.cli.render.tree",
    "run": "wiring.agents.loop",
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
