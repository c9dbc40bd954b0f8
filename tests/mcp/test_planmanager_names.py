"""A client of the package mcplanmanager keeps its tool names and arguments."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.mcp.clients import MODES, inside, run, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

both = pytest.mark.parametrize("mode", MODES)

# The tools of mcplanmanager 1.2.0 with their arguments. It counts tasks from 0, Outlast from 1.
CALLS: tuple[tuple[str, dict[str, Any], bool], ...] = (
    (
        "initializePlan",
        {
            "goal": "Tea",
            "tasks": [
                {"name": "Boil", "dependencies": [], "reasoning": "It has to be hot"},
                {"name": "Pour", "dependencies": ["Boil"], "reasoning": "Into the cup"},
                {"name": "Sweep", "dependencies": [], "reasoning": "Crumbs"},
            ],
        },
        True,
    ),
    ("getCurrentTask", {}, True),
    ("startNextTask", {}, True),
    ("getCurrentTask", {}, True),
    ("completeTask", {"task_id": 1, "result": "It boils"}, True),
    ("getExecutableTaskList", {}, True),
    ("startNextTask", {}, True),
    ("failTask", {"task_id": 2, "error_message": "No cup", "should_retry": True}, True),
    (
        "addTask",
        {"name": "Fetch", "dependencies": [1], "reasoning": "A cup", "after_task_id": 1},
        True,
    ),
    ("skipTask", {"task_id": 3, "reason": "It is clean"}, True),
    ("getTaskList", {"status_filter": "pending"}, True),
    ("getTaskList", {"status_filter": None}, True),
    ("getPlanStatus", {}, True),
    ("completeTask", {"task_id": 99, "result": ""}, False),
)
COMMANDS = {"loadPlan": "outlast import FILE", "dumpPlan": "outlast export"}


@both
def test_r2_the_tools_of_mcplanmanager_answer_as_documented(tmp_path: Path, mode: str) -> None:
    data: list[Mapping[str, Any]] = []

    async def talk() -> None:
        async with inside(tmp_path, mode, which="planmanager") as client:
            for name, arguments, success in CALLS:
                result = await client.call_tool(name, arguments)
                envelope: Any = result.structured_content
                assert (envelope["success"], result.is_error) == (success, not success)
                data.append(envelope.get("data", envelope.get("error")))

    run(talk())
    created, none, started, current, completed, ready, _, failed, added, skipped, *rest = data
    assert [task["name"] for task in created["tasks"]] == ["Boil", "Pour", "Sweep"]
    assert created["tasks"][1]["dependencies"] == [1]
    assert none is None
    assert started["task"] == current
    assert (current["id"], current["status"], current["name"]) == (1, "in_progress", "Boil")
    assert completed["task_id"] == 1
    assert [task["name"] for task in ready["executable_tasks"]] == ["Pour", "Sweep"]
    assert (failed["will_retry"], failed["retry_count"]) == (True, 1)
    assert (added["new_task"]["name"], added["new_task"]["dependencies"]) == ("Fetch", [1])
    assert skipped["task_id"] == 3
    pending, all_tasks, status, missing = rest
    assert [task["name"] for task in pending["tasks"]] == ["Fetch", "Pour"]
    assert [task["name"] for task in all_tasks["tasks"]] == ["Boil", "Fetch", "Pour", "Sweep"]
    assert (status["total_tasks"], status["completed_tasks"], status["skipped_tasks"]) == (4, 1, 1)
    assert missing["code"] == "TASK_NOT_FOUND"


def test_r2_names_in_snake_case_are_understood(tmp_path: Path) -> None:
    async def talk() -> None:
        async with inside(tmp_path, "legacy", which="planmanager") as client:
            assert not (await client.call_tool("get_plan_status", {})).is_error

    run(talk())


@both
def test_r2_the_dependency_tools_of_mcplanmanager_answer_as_documented(
    tmp_path: Path, mode: str
) -> None:
    async def talk() -> None:
        async with inside(tmp_path, mode, which="planmanager") as client:
            await client.call_tool(*CALLS[0][:2])
            edits = [
                {"task_id": 2, "action": "set", "dependencies": [3]},
                {"task_id": 3, "action": "update", "add": [1], "remove": []},
            ]
            result = await client.call_tool("editDependencies", {"edits": edits})
            assert result.structured_content is not None
            assert result.structured_content["data"] == [
                {"task_id": 2, "new_dependencies": [3]},
                {"task_id": 3, "new_dependencies": [1]},
            ]
            for arguments in ({}, {"format": "ascii"}, {"format": "tree"}):
                drawn = await text_of(client, "visualizeDependencies", **arguments)
                assert drawn == "○ 1 Boil\n└─ ○ 3 Sweep\n   └─ ○ 2 Pour\n"
            drawn = await text_of(client, "visualizeDependencies", format="mermaid")
            assert "t3 --> t2" in drawn
            prompt = await text_of(client, "generateContextPrompt")
            assert prompt.startswith("Goal: Tea\n")
            assert "Ready now: 1" in prompt

    run(talk())


@both
@pytest.mark.parametrize("tool", COMMANDS)
def test_a_tool_that_copies_a_whole_plan_is_refused_with_the_command_that_does(
    tmp_path: Path, mode: str, tool: str
) -> None:
    async def talk() -> None:
        async with inside(tmp_path, mode, which="planmanager") as client:
            with pytest.raises(MCPError) as refusal:
                await client.call_tool(tool, {})
            assert COMMANDS[tool] in str(refusal.value)

    run(talk())
