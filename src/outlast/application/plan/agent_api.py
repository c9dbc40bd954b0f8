"""A plan for the agent that people already have: tools to offer, calls to carry out, a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.application.plan.advance import Advancing
from outlast.domain.limits import check_choice
from outlast.domain.model import PERSON

if TYPE_CHECKING:
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

_AGENT: Final = "agent"
_LANGUAGES: Final = ("en", "zh")
_NAMED: Final = {
    "default": {"add": "add_tasks", "complete": "complete_task"},
    "full": {"add": "addTask", "complete": "completeTask"},
}


class Riding(Advancing):
    """The part of `outlast.Plan` that rides along in somebody else's agent."""

    __slots__ = ()

    def tools(self, dialect: str = "openai", which: str = "default") -> list[dict[str, Any]]:
        """Return the plan's tools as `openai`, `anthropic` or `mcp` wants them described.

        `which` is the compact `default` set, or `full`: all functions of `PlanManager`.
        """
        from outlast.application.tools.schemas import tool_schemas
        from outlast.application.tools.sets import runnable, tool_set

        return tool_schemas(dialect, runnable(tool_set(which)))

    def context(self, language: Language = "en", which: str = "default") -> str:
        """Return where the plan stands, for a model: a short block, however large the plan is.

        It is the same, byte by byte, until the plan changes. `which` is the set of tools that the
        model is offered, which the block speaks of.
        """
        from outlast.application.context.plan_block import plan_block
        from outlast.application.plan.view import view

        check_choice(language, "language", _LANGUAGES)
        named = _NAMED[check_choice(which, "which", _NAMED)]
        actor = self._rider().actor
        seen = self.read(lambda state: view(state, actor))
        return plan_block(seen, language, _foot(seen), **named)

    def owns(self, call: object) -> bool:
        """Tell whether a model's tool call is for this plan."""
        from outlast.application.tools.dialects import read_call
        from outlast.application.tools.sets import find_tool

        return find_tool(read_call(call).name) is not None

    def handle(self, call: object) -> dict[str, Any] | str:
        """Carry a model's tool call out and return the answer that goes back to the model.

        It takes calls as the SDKs of OpenAI and Anthropic give them, MCP's parameters, and
        `outlast.testing.Call`; what is wrong with a call is said in the answer.
        """
        from outlast.application.tools.dialects import read_call
        from outlast.application.tools.dispatch import call_tool

        read = read_call(call)
        return read.answer(call_tool(self._rider(), read.name, read.arguments))

    def _rider(self) -> Riding:
        """Return a handle that acts for the agent: a model is never taken for a person."""
        return self.acting_as(_AGENT) if self.actor == PERSON else self


def _foot(plan: PlanView) -> str:
    """Return the text that says how to go on."""
    if plan.status == "paused":
        return "riding_paused"
    if not plan.total:
        return "riding_empty"
    if plan.ended:
        return "riding_ended"
    return "riding_foot" if plan.current else "riding_next"
