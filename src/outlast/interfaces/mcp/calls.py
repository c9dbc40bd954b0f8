"""Run a tool that a model calls, on the plan that the server is about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.application.context.escape import quote
from outlast.application.tools.dispatch import refusal_outcome, run_tool
from outlast.application.tools.server_sets import GOAL
from outlast.errors import OutlastError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.application.tools.outcome import Outcome
    from outlast.application.tools.table import PlanTool
    from outlast.domain.state import PlanState
    from outlast.wiring.mcp.served_plans import ServedPlans

Json = dict[str, Any]
_NAMES: Final = (GOAL, "planTitle", "name", "title", "content")  # arguments that can name a plan


class ToolAnswer(Struct, frozen=True):
    """The answer to a call, as text and as JSON of the tool's output schema."""

    text: str
    structured: Json
    is_error: bool


def call_plan_tool(plans: ServedPlans, tool: PlanTool, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Run a tool. Without a plan, a call that leaves something in an empty one creates it."""
    try:
        outcome = _run(plans, tool, dict(arguments))
    except OutlastError as error:
        outcome = refusal_outcome(error, lean=tool.lean)
    return make_answer(tool, outcome)


def make_answer(tool: PlanTool, outcome: Outcome) -> ToolAnswer:
    """Return an outcome as text and as JSON."""
    structured = {"answer": outcome.text} if tool.lean else quote_strings(json.loads(outcome.text))
    return ToolAnswer(outcome.text, structured, outcome.is_refused)


def _run(plans: ServedPlans, tool: PlanTool, arguments: Json) -> Outcome:
    begins = any(p.name == GOAL and not p.is_required for p in tool.parameters)
    given = arguments.get(GOAL) if begins else None
    goal = given if isinstance(given, str) else ""
    plan = plans.find(goal=goal)
    if plan is not None:
        return run_tool(plan, tool, arguments)
    scratch = plans.scratch(goal, begun=begins)
    outcome = run_tool(scratch, tool, arguments)
    if outcome.is_refused or not scratch.core.read(lambda state: _has_content(state, goal)):
        return outcome
    return run_tool(plans.create(goal, _find_name(arguments), begun=begins), tool, arguments)


def _has_content(state: PlanState, goal: str) -> bool:
    """Return whether a call has left anything in a plan that had a goal at most."""
    notes = state.notes
    return bool(state.tasks or state.goal != goal or notes.findings or notes.errors)


def _find_name(arguments: object) -> str:
    """Return the first text among the arguments that can name a plan."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, list):
        return next(filter(None, map(_find_name, arguments)), "")
    if not isinstance(arguments, dict):
        return ""
    named = (arguments[name] for name in _NAMES if isinstance(arguments.get(name), str))
    lists = (_find_name(value) for value in arguments.values() if isinstance(value, list))
    return next(filter(None, (*named, *lists)), "")


def quote_strings(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Escape every string in JSON: names of tasks come from outside."""
    if isinstance(value, str):
        return quote(value, len(value))
    if isinstance(value, dict):
        return {key: quote_strings(item) for key, item in value.items()}
    return [quote_strings(item) for item in value] if isinstance(value, list) else value
