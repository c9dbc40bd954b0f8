"""`graph`."""

from pathlib import Path

import pytest

from outlast import create_plan
from tests.cli.processes import json_of, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        for name in "abc":
            plan.add(name)
        plan.add_phase("Later on")
    return tmp_path


def test_r2_10_the_dependencies_are_drawn(workspace: Path) -> None:
    stdout_of(workspace, "edit", "3", "--needs", "1")
    assert stdout_of(workspace, "graph") == "○ 1 a\n└─ ○ 3 c\n○ 2 b\n"
    assert "t1 --> t3" in stdout_of(workspace, "graph", "--format", "mermaid")
    assert "t1 -> t3;" in stdout_of(workspace, "graph", "--format", "dot")
    shape = json_of(workspace, "graph", "--format", "dot")
    assert (shape["format"], shape["plan"]["key"]) == ("dot", "ship")
    assert (shape["groups"], shape["critical_path"]) == ([[1, 2], [3]], [1, 3])


def test_r2_10_a_plan_without_tasks_has_no_graph(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    assert stdout_of(tmp_path, "graph") == "The plan has no tasks; add some first\n"
    assert json_of(tmp_path, "graph")["graph"] == ""
