"""The public names are a reviewed list: change it here and there, on purpose."""

import importlib
from pathlib import Path

import pytest

import outlast
from outlast import testing

ROOT = Path(__file__).parents[2]
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


def test_every_public_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    table = page.partition("## Public names")[2].partition("###")[0]
    assert [name for name in PUBLIC if f"`{name}`" not in table] == []
    page = (ROOT / "docs" / "reference" / "testing.md").read_text(encoding="utf-8")
    assert [name for name in testing.__all__ if f"`{name}" not in page] == []


def test_every_public_name_can_be_loaded() -> None:
    for name in PUBLIC:
        assert getattr(importlib.reload(outlast), name)
    with pytest.raises(AttributeError):
        outlast.nothing  # noqa: B018 - looking it up is the test
