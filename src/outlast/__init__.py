"""Outlast: plans that outlast the context window."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing typing

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.config.settings import Settings
    from outlast.domain.budget import Budget
    from outlast.domain.changes import Commit
    from outlast.domain.commands import NewTask
    from outlast.domain.history.diff import Difference
    from outlast.domain.model import Check, Lease, Phase, Progress, Task
    from outlast.errors import OutlastError
    from outlast.ports.hook import HookContext, HookResult
    from outlast.wiring.agent import AgentLoop, run
    from outlast.wiring.plan_manager import PlanManager
    from outlast.wiring.planning_service import PlanningService
    from outlast.wiring.plans import create_plan, open_plan
    from outlast.wiring.tools import as_tool

    __version__: str

__all__ = [
    "AgentLoop",
    "Budget",
    "Check",
    "Commit",
    "Difference",
    "HookContext",
    "HookResult",
    "Lease",
    "NewTask",
    "OutlastError",
    "Phase",
    "Plan",
    "PlanManager",
    "PlanningService",
    "Progress",
    "Settings",
    "Task",
    "__version__",
    "as_tool",
    "create_plan",
    "open_plan",
    "run",
]

_HOMES = {
    "AgentLoop": "wiring.agent",
    "Budget": "domain.budget",
    "Check": "domain.model",
    "Commit": "domain.changes",
    "Difference": "domain.history.diff",
    "HookContext": "ports.hook",
    "HookResult": "ports.hook",
    "Lease": "domain.model",
    "NewTask": "domain.commands",
    "OutlastError": "errors",
    "Phase": "domain.model",
    "Plan": "application.plan.plan",
    "PlanManager": "wiring.plan_manager",
    "PlanningService": "wiring.planning_service",
    "Progress": "domain.model",
    "Settings": "config.settings",
    "Task": "domain.model",
    "as_tool": "wiring.tools",
    "create_plan": "wiring.plans",
    "open_plan": "wiring.plans",
    "run": "wiring.agent",
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
