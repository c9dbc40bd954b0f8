"""Before a conversation is cut down, what was learned is told once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.findings import findings_summary
from outlast.ports.hook import HookResult

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene


def learned(scene: Scene) -> HookResult | None:
    """Tell the titles of what was learned."""
    plan = scene.plan()
    said = "" if plan is None else findings_summary(plan.findings(), scene.language)
    return HookResult(inject_context=said) if said else None
