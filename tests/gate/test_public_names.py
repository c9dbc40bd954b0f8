"""The public names are a reviewed list: change it here and there, on purpose."""

import importlib

import pytest

import outlast
from outlast import testing

PUBLIC = [
    "Check",
    "Commit",
    "Difference",
    "Lease",
    "NewTask",
    "OutlastError",
    "Phase",
    "Plan",
    "PlanManager",
    "PlanningService",
    "Progress",
    "Task",
    "__version__",
    "create_plan",
    "open_plan",
]


def test_the_public_names_are_these() -> None:
    assert outlast.__all__ == PUBLIC
    assert dir(outlast) == PUBLIC
    assert testing.__all__ == ["Call", "FixedClock", "MemoryStore", "ScriptedModel", "Turn"]


def test_every_public_name_can_be_loaded() -> None:
    for name in PUBLIC:
        assert getattr(importlib.reload(outlast), name)
    with pytest.raises(AttributeError):
        outlast.nothing  # noqa: B018 - looking it up is the test
