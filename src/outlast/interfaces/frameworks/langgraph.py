"""A plan for an agent of LangGraph: `create_agent(model, middleware=[PlanMiddleware(plan)])`.

The same middleware goes into `deepagents.create_deep_agent`. A graph of one's own takes
`plan_tools(plan)` for its tool node and `plan_message(plan)` at the end of each request.
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
    """Return the plan's tools; a refusal is an error that the model is told of."""
    specs = plan.tools("mcp", which)
    return [_PlanTool(plan=plan, args_schema=spec.pop("inputSchema"), **spec) for spec in specs]


def plan_message(plan: Plan, language: Language = "en", which: str = "default") -> HumanMessage:
    """Return the plan as it is now, to be shown at the end of a request and not kept."""
    return HumanMessage(plan.context(language, which))


class PlanMiddleware(AgentMiddleware[Any, Any, Any]):
    """Offers the plan's tools and shows the plan in every request, as the user's last words."""

    def __init__(self, plan: Plan, which: str = "default", language: Language = "en") -> None:
        """Ride on a plan."""
        super().__init__()
        self.tools = plan_tools(plan, which)
        self._plan, self._language, self._which = plan, language, which

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Put the plan at the end of a request."""
        return handler(self._shown(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Put the plan at the end of a request."""
        return await handler(self._shown(request))

    def _shown(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        shown = plan_message(self._plan, self._language, self._which)
        return request.override(messages=[*request.messages, shown])


class _PlanTool(BaseTool):
    """Carries the calls of one tool out; an argument may have any name, `self` included."""

    plan: Any
    handle_tool_error: bool = True

    def _run(self, /, **arguments: object) -> str:
        answer: Any = self.plan.handle({"name": self.name, "arguments": arguments})
        said = str(answer["content"][0]["text"])
        if answer["isError"]:
            raise ToolException(said)
        return said

    async def _arun(self, /, **arguments: object) -> str:
        return await to_thread(self._run, **arguments)
