"""The table as the tool lists that model interfaces want."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from outlast.application.toolset.table import TOOLS
from outlast.domain.limits import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.toolset.table import Tool

Json = dict[str, Any]


def tool_schemas(dialect: str) -> list[Json]:
    """Return all tools for `openai`, `anthropic` or `mcp`."""
    check_choice(dialect, "dialect", _DIALECTS)
    return [_DIALECTS[dialect](tool) for tool in TOOLS]


def parameters(tool: Tool) -> Json:
    """Return the JSON Schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {
            p.name: deepcopy(p.kind.schema) | {"description": p.description}
            for p in tool.parameters
        },
        "required": [p.name for p in tool.parameters if p.required],
        "additionalProperties": False,
    }


def _openai(tool: Tool) -> Json:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters(tool),
    }
    return {"type": "function", "function": function}


def _anthropic(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": parameters(tool),
    }


def _mcp(tool: Tool) -> Json:
    return {"name": tool.name, "description": tool.description, "inputSchema": parameters(tool)}


_DIALECTS: Final[dict[str, Callable[[Tool], Json]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "mcp": _mcp,
}
