"""R0.14: the views of a plan can be read with the file tools; nothing else of it can."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from outlast import create_plan
from tests.agent.tools.run_tool import WITH_PATH, refusal, run_tool

if TYPE_CHECKING:
    from pathlib import Path

PLAN = ".outlast/plans/ship"
CLOSED = ("journal.jsonl", "snapshot.json", "transcript.jsonl", "task_plan.md.bak")


@pytest.fixture
def home(work: Path) -> Path:
    with create_plan(work, "Ship it", "ship") as plan:
        plan.add("Build the wall")
        plan.notes.add_finding("architecture", "Use bricks", "They are red.")
    directory = work / PLAN
    for name in CLOSED:
        (directory / name).write_text("Build secretly\n")
    (directory / "linked.md").symlink_to(work.parent / "secret.txt")
    (work / ".outlast/archive/old").mkdir(parents=True)
    (work / ".outlast/archive/old/deliverable.md").write_text("Build was fine\n")
    return directory


def test_r0_14_views_can_be_read(home: Path, work: Path) -> None:
    for name in ("task_plan.md", "findings.md"):
        shown = (home / name).read_text()
        assert run_tool(work, "read_file", path=f"{PLAN}/{name}") == shown
        assert run_tool(work, "read_file", path=str(home / name)) == shown
        assert run_tool(work, "read_file", path=f"./{PLAN}/{name}") == shown


def test_r0_14_views_can_be_listed(home: Path, work: Path) -> None:
    assert home.is_dir()
    assert run_tool(work, "list_directory", path=PLAN).splitlines() == [
        "findings.md",
        "task_plan.md",
    ]
    assert run_tool(work, "list_directory", path=".outlast").splitlines() == ["archive/", "plans/"]
    assert ".outlast" not in run_tool(work, "list_directory")


def test_r0_14_views_can_be_searched(home: Path, work: Path) -> None:
    assert home.is_dir()
    found = run_tool(work, "grep", pattern="Build", path=".outlast").splitlines()
    assert [line.partition(":")[0] for line in found] == [
        ".outlast/archive/old/deliverable.md",
        f"{PLAN}/task_plan.md",
    ]
    assert "red" in run_tool(work, "grep", pattern="red", path=f"{PLAN}/findings.md")
    assert run_tool(work, "grep", pattern="Build") == "(nothing found)"
    views = f"{PLAN}/findings.md\n{PLAN}/task_plan.md"
    assert run_tool(work, "glob", pattern=f"{PLAN}/*") == views
    assert run_tool(work, "glob", pattern="*", path=PLAN) == views
    assert run_tool(work, "glob", pattern=".outlast/**/*.md").endswith(views)
    assert run_tool(work, "glob", pattern="**") == "(nothing found)"


TOOLS = ("read_file", "grep", "write_file", "edit_file")


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        *((tool, name) for tool in TOOLS for name in (*CLOSED, "linked.md")),
        *((tool, "") for tool in TOOLS if tool != "grep"),  # which searches the views there
    ],
)
def test_r0_14_everything_else_of_a_plan_is_closed(
    home: Path, work: Path, tool: str, name: str
) -> None:
    before = {file.name: file.lstat() for file in home.iterdir()}
    said = refusal(work, tool, **WITH_PATH[tool](f"{PLAN}/{name}"))
    assert "the files of plans" in said
    assert {file.name: file.lstat() for file in home.iterdir()} == before


@pytest.mark.parametrize("tool", ["write_file", "edit_file"])
def test_r0_14_no_tool_writes_a_view(home: Path, work: Path, tool: str) -> None:
    before = (home / "task_plan.md").read_bytes()
    said = refusal(work, tool, **WITH_PATH[tool](f"{PLAN}/task_plan.md"))
    assert said.endswith("only the plan's own tools may change the files of plans")
    assert (home / "task_plan.md").read_bytes() == before


def test_f10_a_link_named_like_a_view_is_not_followed(home: Path, work: Path) -> None:
    (home / "errors.md").symlink_to(work.parent / "secret.txt")
    os.mkfifo(home / "deliverable.md")
    for name in ("errors.md", "deliverable.md"):
        assert "expected a regular file" in refusal(work, "read_file", path=f"{PLAN}/{name}")
        assert "expected a regular file" in refusal(
            work, "grep", pattern="secret", path=f"{PLAN}/{name}"
        )
    assert "errors.md" not in run_tool(work, "list_directory", path=PLAN)


def test_a_view_that_is_asked_for_by_its_name_alone_is_pointed_out(home: Path, work: Path) -> None:
    assert home.is_dir()
    assert refusal(work, "read_file", path="task_plan.md") == (
        f"task_plan.md: there is no such file; did you mean {PLAN}/task_plan.md?"
    )
    (work / ".outlast/archive/old/task_plan.md").touch()
    assert refusal(work, "read_file", path="task_plan.md").endswith(
        f"did you mean {PLAN}/task_plan.md, .outlast/archive/old/task_plan.md?"
    )
    assert refusal(work, "read_file", path="errors.md") == "errors.md: No such file or directory"
