"""R0.14: `context` prints what an agent must know, for any other agent."""

from pathlib import Path

import pytest

from outlast import create_plan
from tests.cli.processes import json_of, outlast, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Build the shop.\nIn German.", "shop", actor="agent") as plan:
        plan.add("Draw it", description="On paper")
        plan.add("Build it")
        plan.start(1)
        plan.complete(1, "in plan.svg")
        plan.notes.add_finding("code", "Where", "In shop.py")
    stdout_of(tmp_path, "say", "Use euros")
    return tmp_path


def test_r0_11_the_plan_block_names_the_commands_that_change_the_plan(workspace: Path) -> None:
    assert stdout_of(workspace, "context") == (
        "<plan>\n"
        "Current plan:\n"
        "- Goal: Build the shop. In German.\n"
        "- Progress: 1/2 steps done\n"
        "- Current step: none\n"
        "2. ⏸ Build it (to do)\n"
        "You have no step in progress: do the next one that can start, then call `outlast done N` "
        "with its number.\n"
        "</plan>\n"
    )
    stdout_of(workspace, "start", "2", "--as", "bob")
    assert "- 当前步骤: 2. Build it (2/2)\n" in stdout_of(
        workspace, "context", "--as", "bob", "--lang", "zh"
    )
    assert "2. ⏳ Build it (bob works on it)\n" in stdout_of(workspace, "context")


def test_r0_14_the_brief_is_printed_with_everything(workspace: Path) -> None:
    brief = stdout_of(workspace, "context", "--brief")
    assert brief.startswith("Current task: Build the shop.\n  In German.\nProgress: 1/2")
    for known in ("\n1. Use euros\n", "\n1. in plan.svg\n", "\n1. On paper\n", "Where: In shop.py"):
        assert known in brief
    assert json_of(workspace, "brief")["context"] == brief.rstrip("\n")
    assert stdout_of(workspace, "brief", "--lang", "zh").startswith("当前任务: Build the shop.\n")


def test_r0_14_what_the_brief_leaves_out_is_shown_by_the_command_that_it_names(
    workspace: Path,
) -> None:
    (workspace / "outlast.toml").write_text("[loop]\nbrief_tokens = 800\n")
    stdout_of(workspace, "note", "It has " + "many words and " * 400 + "an end")
    brief = stdout_of(workspace, "context", "--brief", "--plan", "shop")
    call = "outlast context findings --page P --plan shop"
    assert f"- `{call}`, pages P begin with 1, 2" in brief
    command = call.replace("P ", "2 ", 1).split()[1:]
    assert stdout_of(workspace, *command).startswith("Findings, page 2 of 3\n")


def test_r0_14_whole_texts_are_printed(workspace: Path) -> None:
    assert stdout_of(workspace, "context", "1") == (
        "Task 1, page 1 of 1\n\n1. ✓ Draw it\n  description: On paper\n  result: in plan.svg\n"
    )
    assert "Where\n  In shop.py\n" in stdout_of(workspace, "context", "findings", "--page", "1")
    assert "human: Use euros" in stdout_of(workspace, "context", "messages")
    stdout_of(workspace, "add", "</plan>")
    assert "&lt;/plan>" in stdout_of(workspace, "context", "tasks")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("tasks", "--page", "2"), "Tasks has 1 page"),
        (("poems",), "expected the number of a task, or one of goal, tasks, findings"),
        (("9",), "Task with ID 9 not found"),
        (("tasks", "--brief"), "--brief"),
        (("--page", "2"), "ABOUT"),
    ],
)
def test_r0_14_a_page_that_does_not_exist_is_refused(
    workspace: Path, arguments: tuple[str, ...], problem: str
) -> None:
    run = outlast(workspace, "context", *arguments)
    assert run.returncode != 0
    assert problem in run.stderr
