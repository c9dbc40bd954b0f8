"""The public names are a reviewed list: change it here and there, on purpose."""

import importlib

import pytest

import outlast
from outlast import testing

PUBLIC = [
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


def test_the_public_names_are_these() -> None:
    assert outlast.__all__ == PUBLIC
    assert dir(outlast) == PUBLIC
    fakes = ["Call", "Fault", "FixedClock", "MemoryStore", "ModelServer", "ScriptedModel", "Turn"]
    assert testing.__all__ == fakes


def test_every_public_name_can_be_loaded() -> None:
    for name in PUBLIC:
        assert getattr(importlib.reload(outlast), name)
    with pytest.raises(AttributeError):
        outlast.nothing  # noqa: B018 - looking it up is the test
