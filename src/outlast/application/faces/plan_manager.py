"""`PlanManager` (R2): the plan as functions for a model, which answer and never raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.application.plan.plan import Plan
from outlast.application.tools.envelope import Envelope, named_only, refusal
from outlast.application.tools.table import TOOLS
from outlast.domain.limits import wrong_type
from outlast.errors import InvalidArgument, OutlastError

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.tools.table import Tool


class PlanManager:
    """Every function of the tool table, in camelCase and snake_case, over one plan."""

    def __init__(self, plan: Plan, *, actor: str = "agent") -> None:
        """Serve a plan, acting in somebody's name."""
        if not isinstance(plan, Plan):
            raise wrong_type("plan", "Plan", plan)
        self.plan = plan.acting_as(actor)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole plan as `meta`, `state` and `tasks`."""
        from outlast.formats.json import manager

        return self.plan.read(manager.write)

    def call(self, name: object, arguments: object) -> Envelope:
        """Run the tool that a model names, with the arguments object it gives."""
        try:
            tool, named = _find(name), named_only(arguments)
        except OutlastError as error:
            return refusal(error)
        return _METHODS[tool.name](self, **named)

    @staticmethod
    def tool_schemas(dialect: str) -> list[dict[str, Any]]:
        """Return the tools as `openai`, `anthropic` or `mcp` wants them described."""
        from outlast.application.tools.schemas import tool_schemas

        return tool_schemas(dialect)


def _find(name: object) -> Tool:
    tool = _BY_NAME.get(name) if type(name) is str else None
    if tool is None:
        if type(name) is not str:
            raise wrong_type("name", "string", name)
        from difflib import get_close_matches

        nearest = get_close_matches(name[:100], _BY_NAME, 1, 0) or [TOOLS[0].name]
        raise InvalidArgument("tool_unknown", argument="name", nearest=nearest[0])
    return tool


def _method(tool: Tool, name: str) -> Callable[..., Envelope]:
    def method(self: PlanManager, /, *given: object, **named: object) -> Envelope:
        try:
            return {"success": True, "data": tool.handler(self.plan, *tool.read(given, named))}
        except OutlastError as error:
            return refusal(error)

    method.__name__ = name
    method.__qualname__ = f"PlanManager.{name}"
    method.__doc__ = tool.description
    return method


_BY_NAME = {tool.name: tool for tool in TOOLS} | {tool.snake_name: tool for tool in TOOLS}

_METHODS = {name: _method(tool, name) for name, tool in _BY_NAME.items()}

for _name, _function in _METHODS.items():
    setattr(PlanManager, _name, _function)
