"""Before a critical tool runs, the agent is told what it has done wrong with it (R4.05)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context import injected
from outlast.ports.hook import HookResult

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene


def error_history(scene: Scene) -> HookResult | None:
    """Tell the errors that a critical tool made lately."""
    tool, plan = scene.context.tool_name, scene.plan()
    if plan is None or tool not in scene.rules.critical_tools:
        return None
    errors = plan.errors(tool)
    if not errors:
        return None
    return HookResult(inject_context=injected.error_history(tool, errors, scene.language))
