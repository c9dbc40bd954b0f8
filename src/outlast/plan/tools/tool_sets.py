"""Tool sets: the tools a model is offered, their schemas, and what a call of one would do."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, get_args

from msgspec.structs import replace

from outlast.context.chat_model import Call, ToolSpec
from outlast.errors import InvalidArgument, OutlastError
from outlast.model.limits import check_choice, wrong_type_error
from outlast.model.plan_costs import has_work_started
from outlast.plan.tools import Dialect, ToolSet
from outlast.plan.tools.compact import COMPACT, DETAILS, LOOP_TOOLS, open_tasks
from outlast.plan.tools.manager_tools import TOOLS
from outlast.plan.tools.plan_tool import Parameter, PlanTool, check_arguments
from outlast.plan.tools.todo_write import match_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.context.tool import Tool
    from outlast.model.state import PlanState

Json = dict[str, Any]
DEFAULT: Final = "default"
_PREFIX: Final = re.compile(r"[A-Za-z0-9_-]{0,32}")
SETS: Final[dict[ToolSet, tuple[PlanTool, ...]]] = {DEFAULT: COMPACT, "full": (*TOOLS, DETAILS)}
_LOOP_TOOLS: Final = tuple(tool.name for tool in LOOP_TOOLS)
_TOOLS_WITHOUT_PLAN_CHANGE: Final = frozenset(
    ("plan_read", "plan_details", "findings_write", *_LOOP_TOOLS)
)
_RUNNABLE: Final = {tool.name: tool for tools in SETS.values() for tool in tools}
NAMES: Final = (*_RUNNABLE, *_LOOP_TOOLS)
_TODO_WRITE: Final = "todo_write"
_ADD_TASKS: Final = "add_tasks"
LIST_TOOLS: Final = (
    _ADD_TASKS,
    _TODO_WRITE,
    "addTask",
    "updateTask",
    "removeTask",
    "resetPlan",
    "initializePlan",
)


def tool_schemas(dialect: Dialect, tools: Iterable[PlanTool] = TOOLS) -> list[Any]:
    """Return the schemas of tools, by default those of R2, as an SDK takes them.

    `openai` is for chat completions, `openai-responses` for the Responses API. The items are
    dicts, typed as `Any` because every SDK has types of its own for them.
    """
    check_choice(dialect, "dialect", get_args(Dialect))
    return [_DIALECTS[dialect](tool) for tool in tools]


def parameters_schema(tool: PlanTool) -> Json:
    """Return the JSON Schema of a tool's parameters."""
    schema: Json = {"type": "object", "properties": {p.name: _property(p) for p in tool.parameters}}
    required = [p.name for p in tool.parameters if p.is_required]
    if required or not tool.lean:
        schema["required"] = required
    return schema if tool.lean else schema | {"additionalProperties": False}


def _property(parameter: Parameter) -> Json:
    schema = deepcopy(parameter.kind.schema)
    description = {"description": parameter.description} if parameter.description else {}
    return schema | description


def _spec(tool: PlanTool, schema_key: str) -> Json:
    return {"name": tool.name, "description": tool.description, schema_key: parameters_schema(tool)}


_DIALECTS: Final[dict[Dialect, Callable[[PlanTool], Json]]] = {
    "openai": lambda tool: {"type": "function", "function": _spec(tool, "parameters")},
    # Without `strict` the Responses API makes every parameter required.
    "openai-responses": lambda tool: {
        "type": "function",
        **_spec(tool, "parameters"),
        "strict": False,
    },
    "anthropic": lambda tool: _spec(tool, "input_schema"),
    "gemini": lambda tool: _spec(tool, "parametersJsonSchema"),
    "mcp": lambda tool: _spec(tool, "inputSchema"),
}


def tool_set(which: ToolSet) -> tuple[PlanTool, ...]:
    """Return the tools of a set: `default` or `full`."""
    return SETS[check_choice(which, "which", SETS)]


def runnable_tools(which: ToolSet, prefix: str = "") -> list[PlanTool]:
    """Return the tools of a set, with a prefix before their names."""
    check_prefix(prefix)
    return [replace(tool, name=f"{prefix}{tool.name}") for tool in tool_set(which)]


def find_tool(name: object, prefix: str = "") -> PlanTool | None:
    """Return the plan's tool of this name, in either set; `prefix` stands before all names."""
    if type(name) is not str or not name.startswith(prefix):
        return None
    return _RUNNABLE.get(name.removeprefix(prefix))


def check_prefix(prefix: object) -> str:
    """Accept what may stand before the names of tools."""
    if type(prefix) is not str:
        raise wrong_type_error("prefix", "str", prefix)
    if not _PREFIX.fullmatch(prefix):
        raise InvalidArgument("tool_prefix_wrong", argument="prefix")
    return prefix


def plan_tool_specs(which: ToolSet = DEFAULT) -> tuple[ToolSpec, ...]:
    """Return the tools of a set as a loop offers them to a model, and those of the loop itself."""
    return tuple(
        ToolSpec(tool.name, tool.description, parameters_schema(tool))
        for tool in (*tool_set(which), *LOOP_TOOLS)
    )


def tool_specs(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """Return the descriptions of tools for a model."""
    return tuple(ToolSpec(tool.name, tool.description, tool.parameters) for tool in tools)


def is_plan_change(call: Call) -> bool:
    """Return whether this call of a plan tool changes the plan."""
    is_read = call.name in _TOOLS_WITHOUT_PLAN_CHANGE or call.name.startswith("get")
    return not is_read and bool(call.params.get("persist", call.name != _TODO_WRITE))


def is_replan(state: PlanState, call: Call) -> bool:
    """Return whether a call would change the task list after work has begun.

    A todo list and `add_tasks` do if they have an item that the plan does not have.
    """
    tool = find_tool(call.name) if call.name in LIST_TOOLS else None
    if tool is None or not has_work_started(state):
        return False
    return tool.name not in (_TODO_WRITE, _ADD_TASKS) or _adds_tasks(state, tool, call.params)


def _adds_tasks(state: PlanState, tool: PlanTool, params: object) -> bool:
    try:
        items, persist, *_ = tool.read_call(check_arguments(params))
    except OutlastError:  # the call will be refused
        return False
    if tool.name == _ADD_TASKS:
        known = open_tasks(state)
        return any(task.name not in known for task in items)
    return persist and None in match_tasks(state, items)
