"""Tools of an agent: built in, out of Python functions, of other packages."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import Meta, Struct

from outlast import AgentLoop, OutlastError
from outlast.agent.tools.choice import built_in_tools, collect_tools, installed_tools
from outlast.agent.tools.files.read import ReadFile
from outlast.config.settings import Limits
from outlast.context.tool import Tool
from outlast.language import explain
from outlast.testing import ScriptedModel
from outlast.tools import as_tool

NAMES = ["read_file", "write_file", "edit_file", "list_directory", "glob", "grep", "bash"]
LEVELS = ["read", "write", "write", "read", "read", "read", "execute"]


class Point(Struct):
    """A place."""

    x: int
    y: int = 0


def greet(
    name: Annotated[str, Meta(description="Whom.")],
    times: int = 1,
    *,
    tone: Literal["kind", "cold"] = "kind",
    tags: list[str] = [],  # noqa: B006 - as people write it
) -> str:
    """Greet somebody,
    as often as wanted.

    Only this paragraph is not told.
    """
    return f"{tone} {name} " * times + ",".join(tags)


def run(tool: Tool, **params: Any) -> str:
    return asyncio.run(tool.run(params))


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(OutlastError) as caught:
        call()
    return explain(caught.value)


def test_the_built_in_tools_are_these(tmp_path: Path) -> None:
    tools = built_in_tools(str(tmp_path))
    assert [tool.name for tool in tools] == NAMES
    assert [tool.level for tool in tools] == LEVELS


@pytest.mark.slow
def test_no_command_runs_longer_than_the_limits_say(tmp_path: Path) -> None:
    tool = built_in_tools(str(tmp_path), limits=Limits(tool_seconds=1))[-1]
    assert "after 1 s" in refused(lambda: run(tool, command="sleep 60"))


def shapes(schema: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    return [schema, *(shape for one in inner for shape in shapes(one))]


def test_x5_schemas_fit_both_dialects_and_are_small(tmp_path: Path) -> None:
    tools = built_in_tools(str(tmp_path))
    size = 0
    for tool in tools:
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
        assert set(tool.parameters.get("required", [])) <= set(tool.parameters["properties"])
        for shape in shapes(tool.parameters)[1:]:
            assert shape["type"] in ("string", "integer", "boolean")
        assert 0 < len(tool.description) < 120
        size += len(tool.description) + len(str(tool.parameters))
    assert size < 2_400


def test_a_function_becomes_a_tool() -> None:
    tool = as_tool(greet)
    assert tool.name == "greet"
    assert tool.description == "Greet somebody, as often as wanted."
    assert (tool.level, tool.settle({}), tool.permission_request({})) == (
        "execute",
        "unknown",
        None,
    )
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Whom."},
            "times": {"type": "integer", "default": 1},
            "tone": {"enum": ["cold", "kind"], "default": "kind"},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        },
        "required": ["name"],
        "additionalProperties": False,
    }
    assert run(tool, name="Ann", times=2, tone="cold") == "cold Ann cold Ann "


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, 'name: missing; send "…"'),
        ({"name": [3]}, 'name: expected string, got array; send "…"'),
        ({"name": "a", "times": "two"}, "times: expected integer, got string; send 3"),
        ({"name": "a", "tone": "warm"}, 'tone: expected one of "cold", "kind"'),
        ({"name": "a", "extra": 1}, "extra: unknown; expected name, times, tone, tags"),
        ({"tone": 1, "times": {"a": 1}}, 'name: missing; send "…"; tone: expected one of'),
    ],
)
def test_arguments_are_checked_and_the_model_is_told(params: dict[str, Any], said: str) -> None:
    tool = as_tool(greet)
    problem = refused(lambda: asyncio.run(tool.run(params)))
    assert problem.startswith("greet: ")
    assert said in problem


@pytest.mark.parametrize("empty", ["", None, [], {}])
def test_an_optional_argument_that_is_empty_has_its_default(empty: object) -> None:
    tool = as_tool(greet)
    assert run(tool, name="Ann", times=empty, tone=empty, tags=empty, other=empty) == "kind Ann "
    assert run(tool, name="Ann", times="2", tone="COLD", tags="x") == "cold Ann cold Ann x"
    asked: list[object] = []
    asking = as_tool(permission_request=asked.append)(greet)
    asking.permission_request({"name": 3, "times": empty})
    assert asked == [{"name": "3"}]


def test_any_result_becomes_text() -> None:
    async def later(when: datetime) -> dict[str, Any]:
        """Wait."""
        await asyncio.sleep(0)
        return {"year": when.year, "main": current_thread() is main_thread()}

    def place(at: Point) -> Point:
        return Point(at.y, at.x)

    def nothing() -> None:
        """Do nothing."""

    def where() -> bool:
        return current_thread() is main_thread()

    assert run(as_tool(later), when="2026-01-02T03:04:05Z") == '{"year":2026,"main":true}'
    tool = as_tool(place)
    assert tool.parameters["properties"]["at"] == {"$ref": "#/$defs/Point"}
    assert tool.parameters["$defs"]["Point"]["properties"]["x"] == {"type": "integer"}
    assert run(tool, at={"x": 1, "y": 2}) == '{"x":2,"y":1}'
    assert run(as_tool(nothing)) == "null"
    assert run(as_tool(where)) == "false", "a plain function runs in a thread"


def test_a_default_is_not_shared() -> None:
    def grow(found: list[int] = [1]) -> list[int]:  # noqa: B006 - as people write it
        found.append(2)
        return found

    tool = as_tool(grow)
    assert [run(tool), run(tool)] == ["[1,2]", "[1,2]"]


def test_a_decorator_says_more() -> None:
    @as_tool(name="peek-at", level="read", settle="not_done")
    def peek(key: str) -> str:
        """Peek."""
        return key

    @as_tool(settle=lambda params: "done" if params["n"] else "not_done")
    def count(n: int) -> int:
        return n

    assert (peek.name, peek.level, peek.settle({})) == ("peek-at", "read", "not_done")
    assert [count.settle({"n": n}) for n in (0, 1)] == ["not_done", "done"]
    assert count.description == ""


def test_a_function_that_no_schema_can_say_is_refused() -> None:
    def several(*names: str) -> None: ...
    def by_place(a: int, /) -> None: ...
    def rest(**more: int) -> None: ...
    def strange(a: Callable[[], None]) -> None: ...
    def unknown(a: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    for function in (several, by_place, rest, strange, unknown):
        said = refused(lambda f=function: as_tool(f))  # type: ignore[misc]
        assert said.startswith(f"{function.__name__}: a tool takes named parameters")
    assert "up to 64 letters" in refused(lambda: as_tool(lambda: None))


def test_two_tools_of_one_name_are_refused(tmp_path: Path) -> None:
    def bash() -> None:
        """Pretend."""

    assert [tool.name for tool in collect_tools([greet, *built_in_tools(str(tmp_path))])] == [
        "greet",
        *NAMES,
    ]
    said = "tools: two tools are named bash"
    assert refused(lambda: collect_tools([*built_in_tools(str(tmp_path)), bash])) == said
    assert refused(lambda: AgentLoop(model=ScriptedModel(()), tools=[bash, bash])) == said


@pytest.mark.parametrize("name", ["todo_write", "ask_user", "addTask", "plan_read"])
def test_r4_10_no_tool_takes_the_name_of_one_of_the_plans(name: str) -> None:
    tool = as_tool(name=name)(greet)
    said = refused(lambda: AgentLoop(model=ScriptedModel(()), tools=[tool]))
    assert said == f"tools: the plan already has a tool named {name}; give yours another name"


class Bare:
    """A tool that can be called, too."""

    name, description, level = "bare", "Nothing.", "read"
    parameters: ClassVar[dict[str, Any]] = {"type": "object", "properties": {}}

    def __call__(self, word: str) -> str:
        return word

    def permission_request(self, _params: object) -> None:
        return None

    async def run(self, _params: object) -> str:
        return "nothing"

    def settle(self, _params: object) -> Literal["unknown"]:
        return "unknown"


@pytest.mark.parametrize("wrong", ["bash", None, {"name": "x"}, 3, Bare, ReadFile, dict])
def test_r4_11_what_is_no_tool_is_refused(wrong: Any) -> None:
    said = refused(lambda: AgentLoop(model=ScriptedModel(()), tools=[wrong]))
    assert said.startswith("tools: expected tool, got ")


def test_r4_11_a_tool_that_can_be_called_is_a_tool_and_other_objects_are_none() -> None:
    bare = Bare()
    assert collect_tools([bare]) == (bare,)
    assert "a tool takes named parameters" in refused(lambda: as_tool(partial(greet, times=2)))
    wrongs: tuple[Any, ...] = (3, Point)
    for wrong in wrongs:
        said = refused(lambda w=wrong: as_tool(w))  # type: ignore[misc]
        assert said.startswith("function: expected function, got ")


def test_r4_11_a_tool_that_is_not_whole_says_what_it_lacks() -> None:
    class Half:
        name = "half"

        async def run(self, _params: object) -> str:
            return ""

    half: Any = Half()
    lacks = "description, parameters, level, permission_request, settle"
    assert refused(lambda: collect_tools([half])) == (
        f"tools: half is not a complete tool; it lacks {lacks}"
    )
    word: Any = "maybe"
    assert refused(lambda: as_tool(level=word)(greet)) == (
        "level: expected one of read, write, execute"
    )
    assert refused(lambda: as_tool(settle=word)(greet)).startswith("settle: expected one of done, ")


def test_r4_11_a_type_that_json_has_not_is_named_in_one_line() -> None:
    def look(where: Path) -> None: ...

    said = refused(lambda: as_tool(look))
    assert said.endswith("type <class 'pathlib.Path'> is not supported")
    assert "\n" not in said


PLUGIN = """
from outlast.tools import as_tool
print("loaded", __name__)
def hello(name: str) -> str:
    "Say hello."
    return f"hello {name}"
class Bell:
    name = "ring"; description = "Ring."; level = "execute"
    parameters = {"type": "object", "properties": {}, "additionalProperties": False}
    def permission_request(self, params): return None
    async def run(self, params): return "rung"
    def settle(self, params): return "unknown"
"""
USER = """
import asyncio
from outlast import AgentLoop
from outlast.config.settings import Settings, Tools
from outlast.errors import InvalidArgument
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn
from outlast.agent.tools.choice import installed_tools
print([tool.name for tool in installed_tools([])])
tools = installed_tools(["hello", "bell"])
print([tool.name for tool in tools], asyncio.run(tools[0].run({"name": "Ann"})))
try:
    installed_tools(["bad"])
except InvalidArgument as error:
    print(error)

model = ScriptedModel([Turn("hello Ann", "Good"), Turn(calls=(Call("hello", {"name": "Ann"}),))])
def again(settings, *tools):
    return AgentLoop(model=model, tools=tools, settings=settings, enable_planning=False)
known = Settings(tools=Tools(enabled=("hello", "bell")))
print(asyncio.run(again(known).run("Say hello")).text)
try:
    again(known, tools[0])
except InvalidArgument as error:
    print(error)
"""


BAD = "bad: the package of this tool cannot be loaded:"


def test_a10_a_package_is_loaded_only_when_the_user_has_named_its_tool(tmp_path: Path) -> None:
    about = tmp_path / "plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[outlast.tools]\nhello = plugin:hello\nbell = plugin:Bell\nbad = nowhere:x\n"
    )
    (tmp_path / "plugin.py").write_text(PLUGIN)
    shown = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", USER],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": str(tmp_path)},
        text=True,
    )
    assert shown.stdout.splitlines() == [
        "[]",
        "loaded plugin",
        "['hello', 'ring'] hello Ann",
        f"{BAD} ModuleNotFoundError: No module named 'nowhere'",
        "Good",
        "tools: two tools are named hello",
    ]


def test_an_entry_that_is_not_there_is_said() -> None:
    assert installed_tools([]) == ()
    assert refused(lambda: installed_tools(["nothing-like-it"])).startswith(
        "nothing-like-it: no installed package provides a tool of this name"
    )
