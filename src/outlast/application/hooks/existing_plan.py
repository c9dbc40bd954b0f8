"""A session that begins is told of the plan that it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context import injected
from outlast.application.context.injected import FoundPlan
from outlast.application.hooks.whereabouts import whereabouts
from outlast.ports.hook import HookResult
from outlast.texts import text, visible

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene
    from outlast.domain.state import PlanState


def existing_plan(scene: Scene) -> HookResult | None:
    """Tell of a plan that has not ended."""
    plan = scene.plan()
    if plan is None:
        return None

    def told(state: PlanState) -> HookResult | None:
        if state.status in ("completed", "failed"):
            return None
        paused = state.status == "paused"
        about = FoundPlan(state.title, state.goal, state.finished, len(state.tasks), paused)
        current = whereabouts(state, plan.actor)
        block = injected.existing_plan(about, current, scene.language)
        found = text("hook_found", scene.language, title=visible(state.title))
        return HookResult(inject_context=block, notification=found)

    return plan.read(told)
