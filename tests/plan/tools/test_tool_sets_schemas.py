"""R2.02: one table of tools, from which everything else is made."""

import pytest

from outlast import PlanManager
from outlast.errors import InvalidArgument
from outlast.plan.tools.manager_tools import TOOLS
from outlast.plan.tools.tool_sets import parameters_schema
from scripts.make_stub import MANAGER, manager_stub
from tests.making import make_plan


def test_r2_02_the_stub_matches_the_table() -> None:
    assert MANAGER.read_text(encoding="utf-8") == manager_stub(), "run ./dev stub"


def test_r2_02_schemas_in_every_dialect() -> None:
    expected = [parameters_schema(tool) for tool in TOOLS]
    openai = PlanManager.tool_schemas("openai")
    assert [tool["function"]["parameters"] for tool in openai] == expected
    assert [tool["input_schema"] for tool in PlanManager.tool_schemas("anthropic")] == expected
    assert [tool["inputSchema"] for tool in PlanManager.tool_schemas("mcp")] == expected
    responses = PlanManager.tool_schemas("openai-responses")
    assert [tool["parameters"] for tool in responses] == expected
    assert {(tool["type"], tool["strict"]) for tool in responses} == {("function", False)}
    gemini = PlanManager.tool_schemas("gemini")
    assert [tool["parametersJsonSchema"] for tool in gemini] == expected
    assert {tool["type"] for tool in openai} == {"function"}
    names = [tool["name"] for tool in PlanManager.tool_schemas("mcp")]
    assert names == [tool.name for tool in TOOLS]
    dialects = "openai, openai-responses, anthropic, gemini, mcp"
    with pytest.raises(InvalidArgument, match=f"dialect: expected one of {dialects}"):
        PlanManager.tool_schemas("cobol")  # type: ignore[arg-type]


def test_r2_02_every_caller_gets_a_schema_of_its_own() -> None:
    first = PlanManager.tool_schemas("mcp")
    for tool in PlanManager.tool_schemas("mcp"):
        for schema in tool["inputSchema"]["properties"].values():
            schema.get("items", schema)["type"] = "broken"
    assert PlanManager.tool_schemas("mcp") == first


def test_r2_02_a_schema_says_what_is_needed() -> None:
    add = next(tool for tool in TOOLS if tool.name == "addTask")
    assert parameters_schema(add) == {
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "maxLength": 1000,
                "description": "What to do, in one line.",
            },
            "dependencies": {
                "type": "array",
                "items": {"type": ["integer", "string"]},
                "description": "Tasks that must be finished first.",
            },
            "reasoning": {"type": "string", "description": "Why it is needed."},
            "after_task_id": {
                "type": ["integer", "string"],
                "description": "Task to insert it after in the list.",
            },
            "description": {
                "type": "string",
                "description": "More about it, in any number of lines.",
            },
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_every_handle_on_a_plan_sees_the_same_plan() -> None:
    plan = make_plan("a")
    manager = PlanManager(plan, actor="agent")
    plan.add("b")
    manager.startNextTask()
    assert plan.task(1).actor == "agent"
    assert plan.current() is None
    assert plan.revision == manager.plan.revision
