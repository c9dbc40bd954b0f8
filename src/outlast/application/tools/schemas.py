"""Schemas: the tool table as OpenAI, Anthropic and MCP want it."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from outlast.application.tools.table import TOOLS
from outlast.domain.limits import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.tools.table import Parameter, PlanTool

Json = dict[str, Any]


def tool_schemas(dialect: str, tools: Iterable[PlanTool] = TOOLS) -> list[Json]:
    """Return the schemas of tools, by default those of R2, for `openai`, `anthropic` or `mcp`."""
    check_choice(dialect, "dialect", _DIALECTS)
    return [_DIALECTS[dialect](tool) for tool in tools]


def parameters_schema(tool: PlanTool) -> Json:
    """Return the JSON Schema of a tool's parameters."""
    schema: Json = {
        "type": "object",
        "properties": {p.name: _property(p) for p in tool.parameters},
    }
    required = [p.name for p in tool.parameters if p.is_required]
    if required or not tool.lean:
        schema["required"] = required
    return schema if tool.lean else schema | {"additionalProperties": False}


def _property(parameter: Parameter) -> Json:
    schema = deepcopy(parameter.kind.schema)
    description = {"description": parameter.description} if parameter.description else {}
    return schema | description


def _openai(tool: PlanTool) -> Json:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters_schema(tool),
    }
    return {"type": "function", "function": function}


def _anthropic(tool: PlanTool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": parameters_schema(tool),
    }


def _mcp(tool: PlanTool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": parameters_schema(tool),
    }


_DIALECTS: Final[dict[str, Callable[[PlanTool], Json]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "mcp": _mcp,
}
