"""A run that may only plan: it reads, adds tasks, and changes nothing else."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.hooks.port import HookContext, HookFunction, HookResult
from outlast.language import Language, text, visible
from outlast.plan.tools.tool_sets import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.agent_spec import AgentSpec
    from outlast.agent.runtime.run import Resources
    from outlast.context.plan_view import PlanView

# It has nothing to recover and nothing to finish.
_HOOKS: Final = {
    "session_start": False,
    "on_stop": False,
    "user_prompt": True,
    "pre_tool_use": True,
}
_PLANNING: Final = frozenset(
    ("add_tasks", "plan_read", "plan_details", "findings_write", "ask_user")
)
_PLAN_MANAGER_NAMES: Final = frozenset(("initializePlan", "addTask", "updateTask", "removeTask"))
_READING: Final = frozenset(name for name in NAMES if name.startswith("get"))


def restrict_to_planning(spec: AgentSpec, resources: Resources) -> tuple[AgentSpec, Resources]:
    """Leave a run what it needs to read and plan; a hook tells its model."""
    settings = spec.settings
    quiet = replace(settings, hooks=replace(settings.hooks, **_HOOKS))
    reading = tuple(tool for tool in resources.tools if tool.level == "read")
    hook = planning_only_hook((tool.name for tool in reading), spec.language)
    hooks = (*resources.hooks, hook)
    return replace(spec, settings=quiet), dataclasses.replace(resources, tools=reading, hooks=hooks)


def planning_only_hook(read_tools: Iterable[str], language: Language) -> HookFunction:
    """Return a hook that tells the model to plan, and refuses tools that do anything else."""
    allowed = _PLANNING.union(_PLAN_MANAGER_NAMES, _READING, read_tools)

    def guard(context: HookContext, plan: PlanView | None) -> HookResult | None:  # noqa: ARG001 - called so
        if context.point == "user_prompt":
            return HookResult(inject_context=text("plan_only", language))
        if context.point == "pre_tool_use" and context.tool_name not in allowed:
            refusal = text("not_while_planning", language, tool=visible(context.tool_name))
            return HookResult(should_continue=False, inject_context=refusal, notification=refusal)
        return None

    return guard
