"""R3.03, R3.09: the one input of an action becomes the parameters of any tool."""

from typing import Any

import pytest

from outlast.agent.loops.replan_loop import contracts as tool_inputs
from outlast.agent.loops.replan_loop.contracts import KEY_FORMAT
from outlast.context.chat_model import ToolSpec

KEY = {"type": "string", "format": KEY_FORMAT}
TEXT = {"type": "string"}


def tool(required: tuple[str, ...] = (), **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return ToolSpec("tool", "A tool.", schema)


TODO = tool(("input",), input=TEXT, key=KEY)
READ = tool(("path",), path=TEXT, limit={"type": "integer"})
WRITE = tool(("path", "content"), path=TEXT, content=TEXT)
LIST = tool((), path=TEXT)
NOTHING = ToolSpec("tool", "A tool.", {"type": "object"})


@pytest.mark.parametrize(
    ("spec", "given", "params"),
    [
        (TODO, "/todo list", {"input": "/todo list", "key": "p#1"}),
        (TODO, '{"input": "/todo list"}', {"input": "/todo list", "key": "p#1"}),
        (TODO, '{"a": 1}', {"input": '{"a": 1}', "key": "p#1"}),
        (READ, "a.txt", {"path": "a.txt"}),
        (READ, '{"path": "a.txt", "limit": 3}', {"path": "a.txt", "limit": 3}),
        (READ, "[1]", {"path": "[1]"}),
        (WRITE, '{"path": "a", "content": "b"}', {"path": "a", "content": "b"}),
        (LIST, ".", {"path": "."}),
        (NOTHING, "{}", {}),
    ],
)
def test_r3_09_an_input_becomes_the_parameters_of_a_tool(
    spec: ToolSpec, given: str, params: dict[str, Any]
) -> None:
    assert tool_inputs.find_problem(spec, given) is None
    assert tool_inputs.read_params(spec, given, "p#1") == params


@pytest.mark.parametrize(
    ("spec", "given"),
    [
        (WRITE, "a.txt"),
        (WRITE, '{"path": "a"}'),
        (WRITE, "[" * 100_000),
        (TODO, {"input": "/todo list"}),
        (READ, {"file": "a.txt"}),
        (NOTHING, "x"),
    ],
)
def test_r3_03_an_input_that_is_not_the_tools_is_a_validation_failure(
    spec: ToolSpec, given: str | dict[str, Any]
) -> None:
    problem = tool_inputs.find_problem(spec, given)
    assert problem is not None
    assert problem.path == "next_action.input"
    for language in ("en", "zh"):
        assert "tool" in problem.explain(language)


def test_r3_03_an_object_is_taken_where_a_tool_has_several_parameters() -> None:
    given = {"path": "a", "content": "b"}
    assert tool_inputs.find_problem(WRITE, given) is None
    assert tool_inputs.find_problem(READ, {"path": "a"}) is None
    written = tool_inputs.write_input(given)
    assert tool_inputs.read_params(WRITE, written, "") == given


def test_a_model_is_not_told_about_the_key() -> None:
    assert list(tool_inputs.hide_keys(TODO).parameters["properties"]) == ["input"]
