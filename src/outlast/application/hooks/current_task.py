"""Before something that matters, the plan is read again and the task in progress told (R4.05)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context import injected
from outlast.application.hooks.whereabouts import whereabouts
from outlast.ports.hook import HookResult

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene


def current_task(scene: Scene) -> HookResult | None:
    """Tell the task in progress, before a critical tool and before a conversation is cut."""
    tool = scene.context.tool_name
    if scene.context.point == "pre_tool_use" and tool not in scene.rules.critical_tools:
        return None
    plan = scene.plan()
    found = None if plan is None else plan.read(lambda state: whereabouts(state, plan.actor))
    if found is None:
        return None
    return HookResult(inject_context=injected.current_task(*found, scene.language))
