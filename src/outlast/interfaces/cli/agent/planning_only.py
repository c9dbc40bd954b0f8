"""A hook for an agent that may plan, and do nothing yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.tools.sets import NAMES
from outlast.ports.hook import HookResult
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.ports.effects import PlanView
    from outlast.ports.hook import AskedAlways, HookContext
    from outlast.texts import Language

_PLANNING: Final = frozenset(("add_tasks", "plan_read", "findings_write", "ask_user"))
_IN_FULL: Final = frozenset(("initializePlan", "addTask", "updateTask", "removeTask"))
_LOOKING: Final = frozenset(name for name in NAMES if name.startswith("get"))


def refusing_work(looking: Iterable[str], language: Language) -> AskedAlways:
    """Return a hook that lets an agent look with these tools and shape the plan, and no more."""
    allowed = _PLANNING.union(_IN_FULL, _LOOKING, looking)

    def refuse(context: HookContext, plan: PlanView | None) -> HookResult | None:  # noqa: ARG001 - called so
        if context.point == "pre_tool_use" and context.tool_name not in allowed:
            said = text("not_while_planning", language, tool=visible(context.tool_name))
            return HookResult(should_continue=False, inject_context=said, notification=said)
        return None

    return refuse
