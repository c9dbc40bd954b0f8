"""Tool sets: which tools a model is offered, and which tool a name means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.context.chat_model import ToolSpec
from outlast.errors import InvalidArgument
from outlast.model.limits import check_choice, wrong_type_error
from outlast.plan.tools.compact import COMPACT, DETAILS, LOOP_TOOLS
from outlast.plan.tools.schemas import parameters_schema
from outlast.plan.tools.table import TOOLS, PlanTool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.context.chat_model import Call
    from outlast.context.tool import Tool
    from outlast.plan.tools import ToolSet

DEFAULT: Final = "default"
_PREFIX: Final = re.compile(r"[A-Za-z0-9_-]{0,32}")
SETS: Final[dict[ToolSet, tuple[PlanTool, ...]]] = {DEFAULT: COMPACT, "full": (*TOOLS, DETAILS)}
_LOOP_TOOLS: Final = tuple(tool.name for tool in LOOP_TOOLS)
_TOOLS_WITHOUT_PLAN_CHANGE: Final = frozenset(
    ("plan_read", "plan_details", "findings_write", *_LOOP_TOOLS)
)
_RUNNABLE: Final = {tool.name: tool for tools in SETS.values() for tool in tools}
NAMES: Final = (*_RUNNABLE, *_LOOP_TOOLS)


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
    return not is_read and bool(call.params.get("persist", call.name != "todo_write"))
