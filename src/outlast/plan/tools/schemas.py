"""Schemas: the tool table as OpenAI, Anthropic, Gemini and MCP want it."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, get_args

from outlast.model.limits import check_choice
from outlast.plan.tools import Dialect
from outlast.plan.tools.table import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.plan.tools.table import Parameter, PlanTool

Json = dict[str, Any]


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


def _openai(tool: PlanTool) -> Json:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters_schema(tool),
    }
    return {"type": "function", "function": function}


def _responses(tool: PlanTool) -> Json:
    # Without `strict` the Responses API makes every parameter required.
    return {"type": "function", **_openai(tool)["function"], "strict": False}


def _gemini(tool: PlanTool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": parameters_schema(tool),
    }


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


_DIALECTS: Final[dict[Dialect, Callable[[PlanTool], Json]]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
}
