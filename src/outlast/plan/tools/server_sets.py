"""The tools of a server: sets of the one table, with what every answer of a tool looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from msgspec.structs import replace

from outlast.errors import ToolFailed
from outlast.model.limits import check_text
from outlast.plan.tools.arguments import TEXT
from outlast.plan.tools.compact import COMPACT, LOOP_TOOLS, RequestedTask, add_tasks
from outlast.plan.tools.graph_tools import GRAPH_TOOLS
from outlast.plan.tools.schemas import parameters_schema
from outlast.plan.tools.table import TOOLS, Parameter, PlanTool

if TYPE_CHECKING:
    from outlast.plan.plan import Plan
    from outlast.plan.tools.arguments import Ref

Json = dict[str, Any]
ServerSet = Literal["default", "planmanager", "todo"]
SERVER_SETS: Final[tuple[ServerSet, ...]] = get_args(ServerSet)
APPROVE_CHECKS: Final = "approve_checks"
GOAL: Final = "goal"
TITLE: Final = "planTitle"
_TODO_TOOLS: Final = ("todo_write", "plan_read", "findings_write")
_READS: Final = ("plan_read", "plan_details", "visualizeDependencies", "generateContextPrompt")


def _add_tasks(
    plan: Plan, tasks: tuple[RequestedTask, ...], insert_after: Ref | None, goal: str
) -> str:
    """Add tasks; a plan without a goal gets the given one, any other keeps its own."""
    if check_text(goal, GOAL) and not plan.goal:
        plan.edit(goal=goal)
    return add_tasks(plan, tasks, insert_after)


def _approve_checks(_plan: Plan) -> str:
    """Fail: only a server knows whether its client can ask a person."""
    raise ToolFailed("tool_missing", tool=APPROVE_CHECKS)


def _with_goal(tool: PlanTool) -> PlanTool:
    """Let the call that creates a plan give it a goal; in a loop a person has given it one."""
    goal = Parameter(GOAL, TEXT, "What a new plan is to achieve.", "")
    return replace(tool, handler=_add_tasks, parameters=(*tool.parameters, goal))


# A server asks people through its client, and answers these itself.
ASKING_TOOLS: Final = (
    *LOOP_TOOLS,
    PlanTool(
        APPROVE_CHECKS,
        "Ask the user to approve the checks and commands of the plan, so that they can run.",
        _approve_checks,
        lean=True,
    ),
)
_SETS: Final[dict[ServerSet, tuple[PlanTool, ...]]] = {
    "default": (
        *(_with_goal(tool) if tool.handler is add_tasks else tool for tool in COMPACT),
        *ASKING_TOOLS,
    ),
    "planmanager": (*TOOLS, *GRAPH_TOOLS),
    "todo": tuple(tool for name in _TODO_TOOLS for tool in COMPACT if tool.name == name),
}
_LINE: Final = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
}
_ENVELOPE: Final = {
    "type": "object",
    "properties": {"success": {"type": "boolean"}, "data": {}, "error": {"type": "object"}},
    "required": ["success"],
}


def server_tools(which: ServerSet) -> dict[str, PlanTool]:
    """Return the tools of a set by every name that they are called by, their own names first."""
    tools = {tool.name: tool for tool in _SETS[which]}
    return tools | {tool.snake_name: tool for tool in _SETS[which]}


def tool_listing(which: ServerSet) -> list[Json]:
    """Return the tools of a set as an MCP server lists them."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": parameters_schema(tool),
            "outputSchema": _LINE if tool.lean else _ENVELOPE,
            "annotations": {"readOnlyHint": is_read(tool), "openWorldHint": False},
        }
        for tool in _SETS[which]
    ]


def is_read(tool: PlanTool) -> bool:
    """Return whether a tool only reads the plan."""
    return tool.name in _READS or tool.name.startswith("get")
