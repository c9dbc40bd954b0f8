"""The 2-action rule (R4.06): whoever has looked at a few things should note what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context import injected
from outlast.ports.hook import HookResult

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene

_NOTING: Final = "findings_write"


def view_reminder(scene: Scene) -> HookResult | None:
    """Count what was looked at; remind when it is enough, unless something was noted since."""
    tool, counts = scene.context.tool_name, scene.counts
    if not scene.succeeded:
        return None
    if tool == _NOTING:
        counts.views = 0
    if tool not in scene.rules.view_tools:
        return None
    counts.views += 1
    if counts.views < scene.rules.action_threshold:
        return None
    count, counts.views = counts.views, 0
    if scene.plan() is None:
        return None
    return HookResult(inject_context=injected.view_reminder(count, scene.language))
