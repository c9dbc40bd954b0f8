"""Outlast: plans that outlast the context window."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing typing

if TYPE_CHECKING:
    from outlast import errors
    from outlast.application.planning import Plan
    from outlast.domain.commands import NewTask
    from outlast.domain.model import Check, Phase, Progress, Task
    from outlast.errors import OutlastError
    from outlast.wiring import PlanManager, create_plan

    __version__: str

__all__ = [
    "Check",
    "NewTask",
    "OutlastError",
    "Phase",
    "Plan",
    "PlanManager",
    "Progress",
    "Task",
    "__version__",
    "create_plan",
    "errors",
]

_HOMES = {
    "Check": "domain.model",
    "NewTask": "domain.commands",
    "OutlastError": "errors",
    "Phase": "domain.model",
    "Plan": "application.planning",
    "PlanManager": "wiring",
    "Progress": "domain.model",
    "Task": "domain.model",
    "create_plan": "wiring",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used, so that `import outlast` costs nothing."""
    from importlib import import_module

    if name in _HOMES:
        value: object = getattr(import_module(f"outlast.{_HOMES[name]}"), name)
    elif name == "errors":
        value = import_module("outlast.errors")
    elif name == "__version__":
        value = import_module("importlib.metadata").version("outlast")
    else:
        raise AttributeError(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
