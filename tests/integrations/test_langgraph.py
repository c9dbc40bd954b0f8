"""A plan in an agent of LangGraph, and in a deep agent."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from outlast import PlanManager
from tests.making import make_plan

pytestmark = pytest.mark.slow


def scripted(*replies: Any) -> Any:
    """Return a chat model that gives these replies and remembers what it was shown."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    class Scripted(GenericFakeChatModel):
        shown: list[list[Any]] = []  # noqa: RUF012 - a field, of its own in each
        offered: list[str] = []  # noqa: RUF012

        def bind_tools(self, tools: Sequence[Any], **_more: Any) -> Any:
            self.offered[:] = [
                tool["name"] if isinstance(tool, dict) else tool.name for tool in tools
            ]
            return self

        def _generate(self, messages: list[Any], *rest: Any, **more: Any) -> Any:
            self.shown.append(list(messages))
            return super()._generate(messages, *rest, **more)

    return Scripted(messages=iter(replies))


def calling(*calls: tuple[str, dict[str, Any]]) -> Any:
    from langchain_core.messages import AIMessage

    made = [{"name": n, "args": a, "id": f"c{i}"} for i, (n, a) in enumerate(calls)]
    return AIMessage("", tool_calls=made)


def test_the_plan_is_shown_in_every_request_and_kept_out_of_the_history() -> None:
    from langchain.agents import create_agent
    from langchain_core.messages import AIMessage

    from outlast.integrations.langgraph import PlanMiddleware

    plan = make_plan("a", "b", actor="agent")
    model = scripted(
        calling(("complete_task", {"task": 1, "result": "made"})),
        calling(("complete_task", {"task": 9, "result": ""})),
        AIMessage("enough"),
    )
    agent = create_agent(model, [], middleware=[PlanMiddleware(plan)])
    ended = asyncio.run(agent.ainvoke({"messages": [{"role": "user", "content": "go"}]}))
    assert [shown[-1].text.startswith("<plan>") for shown in model.shown] == [True] * 3
    assert not any(one.text.startswith("<plan>") for one in ended["messages"])
    answers = [one for one in ended["messages"] if one.type == "tool"]
    assert [(one.text, one.status) for one in answers] == [
        ("1/2 done. Now 2.", "success"),
        ("TASK_NOT_FOUND: Task with ID 9 not found", "error"),
    ]
    assert plan.task(1).actor == "agent"


def test_a_deep_agent_works_on_the_plan_and_keeps_its_own_tools() -> None:
    from deepagents import create_deep_agent
    from langchain_core.messages import AIMessage

    from outlast.integrations.langgraph import PlanMiddleware, plan_message, plan_tools

    plan = make_plan(actor="agent")
    model = scripted(
        calling(("add_tasks", {"tasks": ["a"]})),
        calling(("complete_task", {"task": 1, "result": "made"})),
        AIMessage("done"),
    )
    agent = create_deep_agent(model, middleware=[PlanMiddleware(plan)])
    agent.invoke({"messages": [{"role": "user", "content": "go"}]})
    assert plan.status == "completed"
    assert {"read_file", "complete_task"} <= set(model.offered)
    assert plan_message(plan, "zh").text == plan.context("zh")
    names = [tool.name for tool in plan_tools(plan, "full")]
    assert names == [tool["name"] for tool in plan.tools("mcp", "full")]


def test_a1_no_name_of_an_argument_breaks_a_graph() -> None:
    from outlast.integrations.langgraph import plan_tools

    [tool] = [one for one in plan_tools(make_plan("a")) if one.name == "plan_read"]
    for name in ("self", "config", "run_manager", "func"):
        said = f"INVALID_ARGUMENT: {name}: unknown argument; plan_read takes (includeCompleted?)"
        assert tool.invoke({name: 1}) == said
        assert asyncio.run(tool.ainvoke({name: 1})) == said
    assert "# Test things" in tool.invoke({})


def test_r2_02_a_function_of_plan_manager_is_a_tool_with_the_right_schema() -> None:
    from langchain_core.tools import StructuredTool

    manager = PlanManager()
    tool = StructuredTool.from_function(manager.fail_task, parse_docstring=True)
    schema = tool.tool_call_schema.model_json_schema()  # type: ignore[union-attr] # made of a function
    assert list(schema["properties"]) == ["task_id", "error_message", "should_retry"]
    assert schema["required"] == ["task_id", "error_message"]
    assert schema["properties"]["error_message"]["description"] == "What went wrong."
    add = StructuredTool.from_function(manager.addTask)
    assert add.invoke({"name": "Cook", "dependencies": []})["data"]["new_task"]["name"] == "Cook"
