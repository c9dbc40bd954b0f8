"""A plan for a LangGraph agent: `create_agent(model, middleware=[PlanMiddleware(plan)])`.

A graph of your own uses `plan_tools` and, at the end of each request, `plan_message`.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable
from typing import Any

from outlast.integrations import extra_missing
from outlast.language import Language
from outlast.plan.plan import Plan
from outlast.plan.tools import ToolSet

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.messages import HumanMessage
    from langchain_core.tools import BaseTool, ToolException
except ImportError as error:
    raise extra_missing(__name__, error) from error

__all__ = ["PlanMiddleware", "plan_message", "plan_tools"]


def plan_tools(plan: Plan, which: ToolSet = "default") -> list[BaseTool]:
    """Return the plan's tools; the model sees a refusal as a tool error."""
    specs = plan.tools("mcp", which)
    return [_PlanTool(plan=plan, args_schema=spec.pop("inputSchema"), **spec) for spec in specs]


def plan_message(plan: Plan, language: Language = "en", which: ToolSet = "default") -> HumanMessage:
    """Return the plan as it is now, for the end of a request. Do not keep it in the history."""
    return HumanMessage(plan.context(language, which))


class PlanMiddleware(AgentMiddleware[Any, Any]):
    """Adds the plan's tools, and shows the plan at the end of every request."""

    def __init__(self, plan: Plan, which: ToolSet = "default", language: Language = "en") -> None:
        super().__init__()
        self.tools = plan_tools(plan, which)
        self._message: Callable[[], HumanMessage] = lambda: plan_message(plan, language, which)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Add the plan to the end of a request."""
        return handler(self._with_plan(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Add the plan to the end of a request."""
        return await handler(await to_thread(self._with_plan, request))

    def _with_plan(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        return request.override(messages=[*request.messages, self._message()])


class _PlanTool(BaseTool):
    """Runs the calls of one tool; an argument may have any name, even `self`."""

    plan: Any
    handle_tool_error: bool = True

    def _run(self, /, **arguments: object) -> str:
        answer: Any = self.plan.handle({"name": self.name, "arguments": arguments})
        message = str(answer["content"][0]["text"])
        if answer["isError"]:
            raise ToolException(message)
        return message

    async def _arun(self, /, **arguments: object) -> str:
        return await to_thread(self._run, **arguments)
