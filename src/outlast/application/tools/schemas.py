"""The table as the tool lists that model interfaces want."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from outlast.application.tools.table import TOOLS
from outlast.domain.limits import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.tools.table import Parameter, Tool

Json = dict[str, Any]


def tool_schemas(dialect: str, tools: Iterable[Tool] = TOOLS) -> list[Json]:
    """Return tools, all of R2 unless others are given, for `openai`, `anthropic` or `mcp`."""
    check_choice(dialect, "dialect", _DIALECTS)
    return [_DIALECTS[dialect](tool) for tool in tools]


def parameters(tool: Tool) -> Json:
    """Return the JSON Schema of a tool's arguments."""
    schema: Json = {
        "type": "object",
        "properties": {p.name: _property(p) for p in tool.parameters},
    }
    required = [p.name for p in tool.parameters if p.required]
    if required or not tool.lean:
        schema["required"] = required
    return schema if tool.lean else schema | {"additionalProperties": False}


def _property(parameter: Parameter) -> Json:
    schema = deepcopy(parameter.kind.schema)
    said = {"description": parameter.description} if parameter.description else {}
    return schema | said


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
