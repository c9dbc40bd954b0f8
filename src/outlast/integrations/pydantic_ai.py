"""A plan for a pydantic-ai agent: `Agent(model, capabilities=[PlanCapability(plan)])`."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import dataclass, replace
from typing import Any

from outlast.integrations import extra_missing
from outlast.language import Language
from outlast.plan.plan import Plan
from outlast.plan.tools import ToolSet

try:
    from pydantic_ai import FunctionToolset, RunContext, Tool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestContext
except ImportError as error:
    raise extra_missing(__name__, error) from error

__all__ = ["PlanCapability"]


@dataclass
class PlanCapability(AbstractCapability[Any]):
    """Adds the plan's tools, and shows the plan at the end of every request.

    The shown plan is not kept in the history: each request has the plan as it is then.
    """

    plan: Plan
    which: ToolSet = "default"
    language: Language = "en"

    def get_toolset(self) -> FunctionToolset[Any]:
        """Return the tools. Calls run one after the other, in the model's order."""
        return FunctionToolset([self._tool(spec) for spec in self.plan.tools("mcp", self.which)])

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Add the plan to the end of a request."""
        del ctx
        plan_text = await to_thread(self.plan.context, self.language, self.which)
        plan_message = ModelRequest(parts=[UserPromptPart(plan_text)])
        return replace(request_context, messages=[*request_context.messages, plan_message])

    def _tool(self, spec: dict[str, Any]) -> Tool[Any]:
        name = spec["name"]

        async def run(**arguments: object) -> str:
            # In a thread, because checks may run for minutes.
            call = {"name": name, "arguments": arguments}
            answer: Any = await to_thread(self.plan.handle, call)
            return str(answer["content"][0]["text"])

        schema = spec["inputSchema"]
        return Tool.from_schema(run, name, spec["description"], schema, sequential=True)
