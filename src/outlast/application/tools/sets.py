"""Which tools a model is shown, and which tool a name means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.tools.compact import ASK_USER, COMPACT
from outlast.application.tools.schemas import parameters
from outlast.application.tools.table import TOOLS, Tool
from outlast.domain.limits import check_choice
from outlast.ports.model import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT: Final = "default"
SETS: Final[dict[str, tuple[Tool, ...]]] = {DEFAULT: COMPACT, "full": TOOLS}
_ASKING: Final = tuple(tool for tool in COMPACT if tool.name == ASK_USER)
NAMES: Final = tuple(tool.name for tools in SETS.values() for tool in tools)
_RUNNABLE: Final = {tool.name: tool for tool in (*COMPACT, *TOOLS) if tool.name != ASK_USER}


def tool_set(which: str) -> tuple[Tool, ...]:
    """Return the tools of a set: `default` or `full`."""
    return SETS[check_choice(which, "which", SETS)]


def runnable(tools: Iterable[Tool]) -> list[Tool]:
    """Return the tools that a plan can run by itself; asking a person is left to a loop."""
    return [tool for tool in tools if tool.name in _RUNNABLE]


def find_tool(name: object) -> Tool | None:
    """Return the tool of the plan that has this name, in either set."""
    return _RUNNABLE.get(name) if type(name) is str else None


def plan_tool_specs(which: str = DEFAULT) -> tuple[ToolSpec, ...]:
    """Return the tools of a set as a loop tells a model of them; asking a person is in each."""
    tools = {tool.name: tool for tool in (*tool_set(which), *_ASKING)}
    return tuple(ToolSpec(name, tool.description, parameters(tool)) for name, tool in tools.items())
