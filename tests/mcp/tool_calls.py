"""A valid call of every tool of every set, in an order that works, with the answer to it."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from mcp.client.client import Client

from outlast.plan.tools.server_sets import ServerSet, tool_listing

Json = dict[str, Any]
TODOS: Final = [
    {"content": "Boil", "status": "completed", "activeForm": "Boiling"},
    {"content": "Pour", "status": "pending", "activeForm": "Pouring"},
]
FINDING: Final = {"category": "insight", "title": "Hot", "content": "It is hot"}
PATHS: Final = ("", "/brief", "/findings", "/errors", "/graph")


class ToolCall(NamedTuple):
    """A call, and what the answer has: a part of a line, or keys of the data of an envelope."""

    tool: str
    arguments: Json
    expected: str | Json | None


_NAMES: Final = {1: "Boil", 2: "Pour", 3: "Drink"}
_NEW: Final = [
    {"name": "Boil"},
    {"name": "Pour", "dependencies": ["Boil"]},
    {"name": "Drink", "dependencies": [2]},
]


def _task(number: int, status: str) -> Json:
    return {"id": number, "name": _NAMES[number], "status": status}


# Both sets of lines answer through a client that answers every question with yes.
CALLS: Final[dict[ServerSet, tuple[ToolCall, ...]]] = {
    "default": (
        ToolCall(
            "add_tasks", {"tasks": ["Boil", "Pour", "Stir", "Drink"], "goal": "Tea"}, "Added 1-4"
        ),
        ToolCall("set_progress", {"task": 1, "current": 1, "total": 2}, "1/2"),
        ToolCall(
            "fail_task", {"task": 1, "error": "No gas", "retry": True}, "Failed 1, retry 1 of 3"
        ),
        ToolCall("complete_task", {"task": 1, "result": "It boils"}, "1/4 done. Now 2."),
        ToolCall("skip_task", {"task": 3, "reason": "No sugar"}, "Skipped 3, 2/4"),
        ToolCall("findings_write", FINDING, "Finding saved"),
        ToolCall("todo_write", {"todos": TODOS}, "Todo"),
        ToolCall("plan_read", {"includeCompleted": True}, "- ● Boil (#1)"),
        ToolCall("plan_details", {"about": "findings"}, "It is hot"),
        ToolCall("ask_user", {"question": "Milk?"}, "The user answers: yes"),
        ToolCall("propose_goal", {"goal": "Green tea"}, "goal"),
        ToolCall("approve_checks", {}, "nothing to approve"),
    ),
    "planmanager": (
        ToolCall("initializePlan", {"goal": "Tea", "tasks": _NEW}, {"total": 3}),
        ToolCall("startNextTask", {}, {"task": _task(1, "in_progress")}),
        ToolCall("getCurrentTask", {}, _task(1, "in_progress")),
        ToolCall(
            "failTask",
            {"task_id": 1, "error_message": "No gas", "should_retry": True},
            {"task_id": 1, "will_retry": True, "retry_count": 1},
        ),
        ToolCall("completeTask", {"task_id": 1, "result": "It boils"}, {"task_id": 1}),
        ToolCall("reopenTask", {"task_id": 1, "reason": "Cold"}, {"task_id": 1}),
        ToolCall("skipTask", {"task_id": 1, "reason": "Iced tea"}, {"task_id": 1}),
        ToolCall(
            "addTask",
            {"name": "Wash", "dependencies": [3], "reasoning": "Clean", "after_task_id": 3},
            {"new_task": {"id": 4, "name": "Wash", "dependencies": [3]}},
        ),
        ToolCall(
            "updateTask",
            {"task_id": 4, "updates": {"name": "Wash up"}},
            {"updated_task": {"id": 4, "name": "Wash up"}},
        ),
        ToolCall("getTaskById", {"task_id": 2}, {"task": _task(2, "pending")}),
        ToolCall(
            "getTaskList",
            {"status_filter": "skipped"},
            {"tasks": [_task(1, "skipped")], "total": 4, "filtered": 1},
        ),
        ToolCall(
            "getExecutableTaskList", {}, {"executable_tasks": [_task(2, "pending")], "count": 1}
        ),
        ToolCall("getPlanStatus", {}, {"total_tasks": 4, "skipped_tasks": 1, "blocked_tasks": 2}),
        ToolCall(
            "editDependencies",
            {"edits": [{"task_id": 4, "action": "set", "dependencies": [2]}]},
            [{"task_id": 4, "new_dependencies": [2]}],  # type: ignore[arg-type]
        ),
        ToolCall("visualizeDependencies", {"format": "mermaid"}, "t2 --> t4"),
        ToolCall("generateContextPrompt", {}, "Ready now: 2"),
        ToolCall("removeTask", {"task_id": 4}, {"task_id": 4}),
        ToolCall("pausePlan", {}, {}),
        ToolCall("resumePlan", {}, {}),
        ToolCall("resetPlan", {}, {"reset_tasks": 3}),
    ),
    "todo": (
        ToolCall(
            "todo_write", {"todos": TODOS, "persist": True, "planTitle": "Tea"}, "Plan created"
        ),
        ToolCall("plan_read", {"includeCompleted": True}, "# Tea"),
        ToolCall("findings_write", FINDING, "Finding saved"),
    ),
}
SHOWN: Final[dict[ServerSet, dict[str, str]]] = {
    "default": {
        "": "- ● Boil (#1)",
        "/brief": "It boils",
        "/findings": "It is hot",
        "/errors": "there are none",
        "/graph": 't1["1: Boil"]',
    },
    "planmanager": {
        "": "- ○ Boil (#1)",
        "/brief": "Tea",
        "/findings": "none",
        "/errors": "there are none",
        "/graph": "t2 --> t3",
    },
    "todo": {
        "": "- ● Boil (#1)",
        "/brief": "It is hot",
        "/findings": "It is hot",
        "/errors": "there are none",
        "/graph": 't2["2: Pour"]',
    },
}


async def call_everything(client: Client, which: ServerSet, refused: Collection[str] = ()) -> None:
    """Call every tool of a set and read every resource."""
    listed = [tool.name for tool in (await client.list_tools()).tools]
    assert listed == [tool["name"] for tool in tool_listing(which)]
    assert sorted(listed) == sorted(call.tool for call in CALLS[which])
    for call in CALLS[which]:
        result: Any = await client.call_tool(call.tool, call.arguments)
        assert result.is_error == (call.tool in refused), (call, result)
        if not result.is_error:
            check_answer(call, result.structured_content, result.content[0].text)
    for path, part in SHOWN[which].items():
        contents: Any = (await client.read_resource(f"plan://current{path}")).contents[0]
        assert part in contents.text, (path, contents.text)


def check_answer(call: ToolCall, structured: Any, shown: str) -> None:
    """Check the answer to a call."""
    if isinstance(call.expected, str):
        assert structured == {"answer": shown}
        assert call.expected in shown, (call, shown)
    else:
        assert structured["success"] is True
        assert has_parts(structured["data"], call.expected), (call, structured)


def has_parts(value: Any, expected: Any) -> bool:
    """Return whether JSON has what is expected of it; objects may have more keys."""
    if isinstance(expected, dict):
        return all(has_parts(value[key], part) for key, part in expected.items())
    if isinstance(expected, list):
        return len(value) == len(expected) and all(map(has_parts, value, expected))
    return bool(value == expected)
