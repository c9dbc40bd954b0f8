"""R3.16: what the model is told about the tools of a run, whatever tools these are."""

from typing import Any

import pytest

from outlast.agent.agent_spec import Replan
from outlast.agent.effects import ReplanState
from outlast.agent.loops.replan_loop.requests import thought_request
from outlast.context.chat_model import ToolSpec
from outlast.model.model import Task
from outlast.model.replan_position import START

TEXT = {"type": "string"}


def tool(name: str, *required: str, **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return ToolSpec(name, f"Use\n{name}.", schema)


BASH = tool("bash", "command", command=TEXT, timeout={"type": "integer"})
WRITE = tool("write_file", "path", "content", path=TEXT, content=TEXT, mode=TEXT)
TODO = tool("todo", "input", input=TEXT)


def request(*tools: ToolSpec, item: Task | None = None) -> str:
    position = START.begin_first_list().align((1,) if item else (), ())
    state = ReplanState("Goal", position, (item,) if item else ())
    return "\n".join(
        each.text for each in thought_request(state, Replan(tools=tools, moment="now"))
    )


def test_r3_16_each_tool_is_described_with_its_input() -> None:
    text = request(BASH, WRITE, TODO)
    assert "- bash: Use bash. Input: command.\n" in text
    assert (
        "- write_file: Use write_file. Input: a JSON object with path, content, mode? "
        "(? is optional)." in text
    )
    assert "- todo: Use todo.\n" in text


@pytest.mark.parametrize(
    ("tools", "action"),
    [
        ((BASH, TODO), '{"tool": "todo", "input": "/todo list"}'),
        ((BASH,), '{"tool": "bash", "input": "…"}'),
        ((WRITE,), '{"tool": "write_file", "input": {"path": "…", "content": "…"}}'),
        ((), '{"tool": "…", "input": "…"}'),
    ],
)
def test_r3_16_the_example_names_a_tool_of_the_run(
    tools: tuple[ToolSpec, ...], action: str
) -> None:
    assert f'"next_action": {action}' in request(*tools)


def test_r3_16_what_a_person_wrote_about_an_item_is_shown() -> None:
    item = Task(1, "Buy milk", description="Two\nlitres", constraints="Cheap", expected="A receipt")
    assert "Buy milk\n> Two\n> litres\n> Cheap\n> A receipt" in request(TODO, item=item)
