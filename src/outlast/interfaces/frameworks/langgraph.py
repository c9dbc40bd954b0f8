"""A plan for a LangGraph agent: `create_agent(model, middleware=[PlanMiddleware(plan)])`.

The same middleware works with `deepagents.create_deep_agent`. For a graph of your own, use
`plan_tools(plan)` in its tool node and `plan_message(plan)` at the end of each request.
"""

from __future__ import annotations

from asyncio import to_thread
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, ToolException

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from langchain.agents.middleware import ModelRequest, ModelResponse

    from outlast.application.plan.plan import Plan
    from outlast.texts import Language


def plan_tools(plan: Plan, which: str = "default") -> list[BaseTool]:
    """Return the plan's tools; the model sees a refusal as a tool error."""
    specs = plan.tools("mcp", which)
    return [_PlanTool(plan=plan, args_schema=spec.pop("inputSchema"), **spec) for spec in specs]


def plan_message(plan: Plan, language: Language = "en", which: str = "default") -> HumanMessage:
    """Return the plan as it is now, for the end of a request. Do not keep it in the history."""
    return HumanMessage(plan.context(language, which))


class PlanMiddleware(AgentMiddleware[Any, Any, Any]):
    """Adds the plan's tools, and shows the plan at the end of every request."""

    def __init__(self, plan: Plan, which: str = "default", language: Language = "en") -> None:
        """Attach the plan to an agent."""
        super().__init__()
        self.tools = plan_tools(plan, which)
        self._plan, self._language, self._which = plan, language, which

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
        return await handler(self._with_plan(request))

    def _with_plan(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        message = plan_message(self._plan, self._language, self._which)
        return request.override(messages=[*request.messages, message])


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
