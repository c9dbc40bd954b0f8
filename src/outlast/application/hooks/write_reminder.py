"""After a file was written the plan may be behind (R4.06)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context import injected
from outlast.ports.hook import HookResult

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene


def write_reminder(scene: Scene) -> HookResult | None:
    """Remind of the plan after a successful write."""
    written = scene.succeeded and scene.context.tool_name in scene.rules.write_tools
    if not written or scene.plan() is None:
        return None
    return HookResult(inject_context=injected.write_reminder(scene.language))
