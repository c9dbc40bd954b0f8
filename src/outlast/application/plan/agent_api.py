"""A plan inside another agent: tools to offer, tool calls to handle, a block for the prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.application.plan.advance import AdvanceVerbs
from outlast.domain.limits import check_choice
from outlast.domain.model import PERSON

if TYPE_CHECKING:
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

_AGENT: Final = "agent"
_LANGUAGES: Final = ("en", "zh")
_TOOL_NAMES: Final = {
    "default": {"add": "add_tasks", "complete": "complete_task"},
    "full": {"add": "addTask", "complete": "completeTask"},
}


class AgentApi(AdvanceVerbs):
    """Give a plan to an agent that has a loop of its own. A mixin of `outlast.Plan`."""

    __slots__ = ()

    def tools(self, dialect: str = "openai", which: str = "default") -> list[dict[str, Any]]:
        """Return the schemas of the plan's tools for `openai`, `anthropic` or `mcp`.

        `which` is the compact `default` set, or `full`: all functions of `PlanManager`.
        """
        from outlast.application.tools.schemas import tool_schemas
        from outlast.application.tools.tool_sets import runnable_tools, tool_set

        return tool_schemas(dialect, runnable_tools(tool_set(which)))

    def context(self, language: Language = "en", which: str = "default") -> str:
        """Return the plan block for a model, short however large the plan is.

        Its bytes are the same until the plan changes, so that prompt caches hold. `which` is the
        set of tools that the model was offered; the block names those tools.
        """
        from outlast.application.context.plan_block import plan_block
        from outlast.application.plan.plan_view import plan_view

        check_choice(language, "language", _LANGUAGES)
        names = _TOOL_NAMES[check_choice(which, "which", _TOOL_NAMES)]
        actor = self._as_agent().actor
        view = self.read(lambda state: plan_view(state, actor))
        return plan_block(view, language, _foot_key(view), **names)

    def owns(self, call: object) -> bool:
        """Return whether a model's tool call names one of the plan's tools."""
        from outlast.application.tools.dialects import parse_call
        from outlast.application.tools.tool_sets import find_tool

        return find_tool(parse_call(call).name) is not None

    def handle(self, call: object) -> dict[str, Any] | str:
        """Run a model's tool call and return the answer in the call's own dialect.

        Accepts calls of the OpenAI and Anthropic SDKs, parameters of MCP, and
        `outlast.testing.Call`. Errors in a call are part of the answer, not raised.
        """
        from outlast.application.tools.dialects import parse_call
        from outlast.application.tools.dispatch import call_tool

        parsed = parse_call(call)
        return parsed.answer(call_tool(self._as_agent(), parsed.name, parsed.arguments))

    def _as_agent(self) -> AgentApi:
        """Return a handle for an agent: what a model does never counts as a person's doing."""
        return self.acting_as(_AGENT) if self.actor == PERSON else self


def _foot_key(plan: PlanView) -> str:
    """Return the key of the text that tells the model what to do next."""
    if plan.status == "paused":
        return "agent_paused"
    if not plan.total:
        return "agent_empty"
    if plan.has_ended:
        return "agent_ended"
    return "agent_foot" if plan.current else "agent_next"
