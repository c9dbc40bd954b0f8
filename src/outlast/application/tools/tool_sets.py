"""Tool sets: which tools a model is offered, and which tool a name means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.tools.compact import ASK_USER, COMPACT
from outlast.application.tools.schemas import parameters_schema
from outlast.application.tools.table import TOOLS, PlanTool
from outlast.domain.limits import check_choice
from outlast.ports.model import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT: Final = "default"
SETS: Final[dict[str, tuple[PlanTool, ...]]] = {DEFAULT: COMPACT, "full": TOOLS}
_ASK_TOOLS: Final = tuple(tool for tool in COMPACT if tool.name == ASK_USER)
NAMES: Final = tuple(tool.name for tools in SETS.values() for tool in tools)
_RUNNABLE: Final = {tool.name: tool for tool in (*COMPACT, *TOOLS) if tool.name != ASK_USER}


def tool_set(which: str) -> tuple[PlanTool, ...]:
    """Return the tools of a set: `default` or `full`."""
    return SETS[check_choice(which, "which", SETS)]


def runnable_tools(tools: Iterable[PlanTool]) -> list[PlanTool]:
    """Return the tools that a plan can run without a loop: all but `ask_user`."""
    return [tool for tool in tools if tool.name in _RUNNABLE]


def find_tool(name: object) -> PlanTool | None:
    """Return the plan's tool of this name, in either set."""
    return _RUNNABLE.get(name) if type(name) is str else None


def plan_tool_specs(which: str = DEFAULT) -> tuple[ToolSpec, ...]:
    """Return the tools of a set as a loop offers them to a model, `ask_user` included."""
    tools = {tool.name: tool for tool in (*tool_set(which), *_ASK_TOOLS)}
    return tuple(
        ToolSpec(name, tool.description, parameters_schema(tool)) for name, tool in tools.items()
    )
