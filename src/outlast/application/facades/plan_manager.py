"""`PlanManager` (R2): the plan as functions for a model, which return errors as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.application.plan.plan import Plan
from outlast.application.tools.arguments import check_arguments
from outlast.application.tools.envelope import Envelope, refusal
from outlast.application.tools.table import TOOLS
from outlast.domain.limits import wrong_type_error
from outlast.errors import InvalidArgument, OutlastError

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.tools.table import PlanTool


class PlanManager:
    """Every function of the tool table, in camelCase and snake_case, over one plan."""

    def __init__(self, plan: Plan, *, actor: str = "agent") -> None:
        """Serve a plan on behalf of an actor."""
        if not isinstance(plan, Plan):
            raise wrong_type_error("plan", "Plan", plan)
        self.plan = plan.acting_as(actor)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole plan as `meta`, `state` and `tasks`."""
        from outlast.formats.json import manager_render

        return self.plan.read(manager_render.render)

    def call(self, name: object, arguments: object) -> Envelope:
        """Run the tool that a model names, with the arguments object it gives."""
        try:
            tool, named = _find(name), check_arguments(arguments)
        except OutlastError as error:
            return refusal(error)
        return _METHODS[tool.name](self, **named)

    @staticmethod
    def tool_schemas(dialect: str) -> list[dict[str, Any]]:
        """Return the schemas of the tools for `openai`, `anthropic` or `mcp`."""
        from outlast.application.tools.schemas import tool_schemas

        return tool_schemas(dialect)


def _find(name: object) -> PlanTool:
    tool = _BY_NAME.get(name) if type(name) is str else None
    if tool is None:
        if type(name) is not str:
            raise wrong_type_error("name", "string", name)
        from difflib import get_close_matches

        nearest = get_close_matches(name[:100], _BY_NAME, 1, 0) or [TOOLS[0].name]
        raise InvalidArgument("tool_unknown", argument="name", nearest=nearest[0])
    return tool


def _method(tool: PlanTool, name: str) -> Callable[..., Envelope]:
    def method(self: PlanManager, /, *positional: object, **named: object) -> Envelope:
        try:
            return {"success": True, "data": tool.handler(self.plan, *tool.read(positional, named))}
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
