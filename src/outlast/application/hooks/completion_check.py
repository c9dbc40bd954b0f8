"""Who wants to stop is told what the plan still has open (R4.08)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from outlast.application.context import injected
from outlast.ports.hook import HookResult
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene
    from outlast.domain.state import PlanState
    from outlast.texts import Language

_LISTED: Final = 20


def completion_check(scene: Scene) -> HookResult | None:
    """Hold up a stop while tasks are open; a plan that is paused or failed holds nobody up."""
    plan = scene.plan()
    return None if plan is None else plan.read(lambda state: _checked(state, scene.language))


def _checked(state: PlanState, language: Language) -> HookResult | None:
    if state.status == "completed":
        done = text("loop_completed", language, done=state.finished, total=len(state.tasks))
        return HookResult(notification=done)
    if not state.tasks or state.status in ("paused", "failed"):
        return None
    found: dict[str, list[str]] = {}
    left = (task for task in state.in_order() if not task.finished)
    for task in islice(left, _LISTED):
        found.setdefault(state.phases[task.phase].title, []).append(task.name)
    hidden = max(len(state.tasks) - state.finished - _LISTED, 0)
    return HookResult(
        should_continue=False,
        inject_context=injected.completion_check(tuple(found.items()), hidden, language),
        notification=text("hook_verify", language),
    )
