"""The public names are a reviewed list: change it here and there, on purpose."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

import outlast
from outlast import changes, errors, testing

ROOT = Path(__file__).parents[2]
PUBLIC = [
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
    "LLM",
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
MODULES = [
    "agents",
    "assistant",
    "changes",
    "events",
    "hooks",
    "importers",
    "models",
    "plans",
    "sessions",
    "settings",
    "stores",
    "tools",
]
PUBLIC_MODULES = {"errors", "integrations", "testing", *MODULES}


def load(name: str) -> ModuleType:
    return importlib.import_module(f"outlast.{name}")


def test_the_public_names_are_these() -> None:
    assert sorted(outlast.__all__) == PUBLIC
    assert dir(outlast) == PUBLIC
    assert testing.__all__ == ["Fault", "FixedClock", "ModelServer", "ScriptedModel", "Turn"]


def test_every_public_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "modules.md").read_text(encoding="utf-8")
    section = re.compile(r"^## `outlast\.?(\w*)`\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    named = {name: set(re.findall(r"`(\w+)", text)) for name, text in section.findall(page)}
    assert set(PUBLIC) <= named[""]
    for module in MODULES:
        if module != "changes":
            assert set(load(module).__all__) <= named[module], module
    page = (ROOT / "docs" / "reference" / "testing.md").read_text(encoding="utf-8")
    assert [name for name in testing.__all__ if f"`{name}" not in page] == []


def test_every_public_name_can_be_loaded() -> None:
    for name in PUBLIC:
        assert getattr(importlib.reload(outlast), name)
    with pytest.raises(AttributeError):
        outlast.nothing  # noqa: B018 - looking it up is the test


def test_a_public_name_has_one_home() -> None:
    names = [name for module in (*MODULES, "errors", "testing") for name in load(module).__all__]
    assert sorted(set(names)) == sorted(names)
    assert set(names) & set(PUBLIC) == set()


def test_every_kind_of_change_is_public() -> None:
    kinds = {kind.__name__ for kind in get_args(changes.Change)}
    values = {"Conversation", "LoopCounters", "Prose"}
    assert set(changes.__all__) == {"Change", *kinds, *values}


def test_every_error_is_public() -> None:
    kinds = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert {*errors.__all__, "OutlastError"} == kinds


# What users read imports from the public modules alone.


def readers_pages() -> Iterator[Path]:
    yield from ROOT.glob("README*.md")
    yield from (ROOT / "docs").rglob("*.md")
    yield from (ROOT / "examples").rglob("*.py")


def modules_named_in(text: str) -> set[str]:
    """Return the parts of `outlast` that a text names, such as `outlast.events`; spans aside."""
    lines = (line for line in text.splitlines() if not line.startswith("| `outlast."))
    return set(re.findall(r"\boutlast\.([a-z_]\w*)", "\n".join(lines)))


def packages() -> set[str]:
    """Return the packages and modules of `outlast` that are not public."""
    here = {path.stem for path in (ROOT / "src" / "outlast").glob("[a-z]*")}
    return here - PUBLIC_MODULES


def test_no_page_and_no_example_names_a_package_that_is_not_public() -> None:
    assert {"documents", "model", "store"} <= packages()
    named = {
        str(page.relative_to(ROOT)): sorted(found)
        for page in readers_pages()
        if (found := modules_named_in(page.read_text(encoding="utf-8")) & packages())
    }
    assert named == {}
