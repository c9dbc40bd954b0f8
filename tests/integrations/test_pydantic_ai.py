"""A plan in an agent of pydantic-ai."""

import asyncio
from typing import TYPE_CHECKING

import pytest

from outlast import PlanManager
from tests.making import make_plan

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models.function import AgentInfo

pytestmark = pytest.mark.slow


def texts(messages: "list[ModelMessage]") -> list[str]:
    return [str(getattr(part, "content", "")) for one in messages for part in one.parts]


def test_the_plan_is_shown_in_every_request_and_kept_out_of_the_history() -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from outlast.integrations.pydantic_ai import PlanCapability

    requests: list[list[str]] = []

    def answer(messages: "list[ModelMessage]", info: "AgentInfo") -> "ModelResponse":
        requests.append(texts(messages))
        assert {tool.name for tool in info.function_tools} >= {"complete_task", "plan_read"}
        if "Current step: 1." in requests[-1][-1]:
            done = [ToolCallPart("complete_task", {"task": n, "result": ""}) for n in (1, 2, 9)]
            return ModelResponse(parts=done)
        return ModelResponse(parts=[TextPart("done")])

    plan = make_plan("a", actor="agent")
    plan.add("b", [1])
    plan.start()
    agent = Agent(FunctionModel(answer), capabilities=[PlanCapability(plan)])
    result = asyncio.run(agent.run("go"))
    assert [shown[-1].startswith("<plan>") for shown in requests] == [True, True]
    assert not any(text.startswith("<plan>") for text in texts(result.all_messages()))
    assert requests[1][-4:-1] == [
        "1/2 done. Now 2.",
        "2/2 done. The plan is complete.",
        "TASK_NOT_FOUND: Task with ID 9 not found",
    ]
    assert plan.status == "completed"


def test_every_tool_can_be_called_by_a_model_that_knows_only_the_schemas() -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    from outlast.integrations.pydantic_ai import PlanCapability

    plan = make_plan("one", actor="agent")
    agent = Agent(TestModel(), capabilities=[PlanCapability(plan, language="zh")])
    said = asyncio.run(agent.run("go")).output
    assert all(f'"{tool["name"]}":' in said for tool in plan.tools("mcp"))
    assert "Added 2, 0/2 done. Now 1." in said


def test_r2_02_a_function_of_plan_manager_is_a_tool_with_the_right_schema() -> None:
    from pydantic_ai import Tool

    manager = PlanManager()
    schema = Tool(manager.addTask).function_schema.json_schema
    names = ["name", "dependencies", "reasoning", "after_task_id", "description"]
    assert list(schema["properties"]) == names
    assert schema["properties"]["name"] == {
        "description": "What to do, in one line.",
        "type": "string",
    }
    assert schema["required"] == ["name"]
    numbers = {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}
    assert schema["properties"]["dependencies"]["anyOf"] == [numbers, {"type": "null"}]
    assert schema == Tool(manager.add_task).function_schema.json_schema
    choice = Tool(manager.getTaskList).function_schema.json_schema["properties"]["status_filter"]
    assert "blocked" in choice["anyOf"][0]["enum"]
