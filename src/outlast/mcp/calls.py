"""Run a tool that a model calls, on the plan that the server is about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.context.escape import quote
from outlast.errors import OutlastError
from outlast.mcp.resources import describe_unattached
from outlast.plan.tools.dispatch import refusal_outcome, run_tool
from outlast.plan.tools.server_sets import GOAL, TITLE, is_read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.mcp.served_plans import ServedPlans
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan
    from outlast.plan.tools.outcome import Outcome
    from outlast.plan.tools.table import PlanTool

Json = dict[str, Any]
_NAMES: Final = (GOAL, TITLE, "name", "title", "content")  # arguments that can name a plan


class ToolAnswer(Struct, frozen=True):
    """The answer to a call, as text and as JSON of the tool's output schema."""

    text: str
    structured: Json
    is_error: bool


def call_plan_tool(plans: ServedPlans, tool: PlanTool, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Run a tool. Without a plan, a call that leaves something in an empty one creates it."""
    notice = ""
    try:
        plan = plans.find(goal=_find_goal(tool, arguments))
        if plan is None:
            notice = describe_unattached(plans)
            outcome = _begin(plans, tool, dict(arguments))
        else:
            outcome = _run(plans, plan, tool, dict(arguments))
    except OutlastError as error:
        outcome = refusal_outcome(error, lean=tool.lean)
    return make_answer(tool, outcome, notice)


def make_answer(tool: PlanTool, outcome: Outcome, notice: str = "") -> ToolAnswer:
    """Return an outcome as text and as JSON, with a notice about the plans here if there is one."""
    if tool.lean:
        shown = "\n".join(filter(None, (outcome.text, notice)))
        return ToolAnswer(shown, {"answer": shown}, outcome.is_refused)
    structured = quote_strings(json.loads(outcome.text))
    if not notice:
        return ToolAnswer(outcome.text, structured, outcome.is_refused)
    structured["notice"] = notice
    return ToolAnswer(json.dumps(structured, ensure_ascii=False), structured, outcome.is_refused)


def _run(plans: ServedPlans, plan: Plan, tool: PlanTool, arguments: Json) -> Outcome:
    plans.bind(plan)
    outcome = run_tool(plan, tool, arguments)
    if not (outcome.is_refused or is_read(tool)):
        plans.bind(plan, is_changed=True)
    return outcome


def _begin(plans: ServedPlans, tool: PlanTool, arguments: Json) -> Outcome:
    """Run a tool without a plan; create one if the call leaves something in it.

    Of several calls at a time the first creates it, and the others find it.
    """
    goal = _find_goal(tool, arguments)
    begins = any(p.name == GOAL and not p.is_required for p in tool.parameters)
    given = goal if begins else ""  # any other tool sets the goal itself
    with plans.lock:
        plan = plans.find(goal=goal)
        if plan is None:
            scratch = plans.scratch(given, begun=begins)
            outcome = run_tool(scratch, tool, arguments)
            if outcome.is_refused or not scratch.core.read(lambda s: _has_content(s, given)):
                return outcome
            plan = plans.create(given, _find_name(arguments), begun=begins)
    return _run(plans, plan, tool, arguments)


def _find_goal(tool: PlanTool, arguments: Mapping[str, Any]) -> str:
    """Return the goal that a call names, or the title of the plan that it saves."""
    names = {parameter.name for parameter in tool.parameters}
    if GOAL in names:
        goal = arguments.get(GOAL)
    else:
        goal = arguments.get(TITLE) if TITLE in names and arguments.get("persist") else None
    return goal if isinstance(goal, str) else ""


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
