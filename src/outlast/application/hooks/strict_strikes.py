"""Strict mode of the 3-strike rule (R4.07): what has failed so often is not done again.

It is allowed again once another call of the tool succeeds, the errors are cleared, or a person says
so. All of that is kept in the plan, so that it holds across restarts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context import injected
from outlast.application.hooks.params import params_digest
from outlast.application.hooks.strikes import tool_name
from outlast.domain.enact import receipt
from outlast.domain.loop_commands import ClearStrikes
from outlast.ports.hook import HookResult
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.hooks.scene import Scene


def refuse_struck(scene: Scene) -> HookResult | None:
    """Refuse a call that has struck out."""
    plan = scene.place.find() if scene.rules.strict else None
    if plan is None:
        return None
    tool = tool_name(scene.context)
    struck = plan.read(lambda state: state.ledger.struck.get(tool, ()))
    if params_digest(scene.context.tool_params) not in struck:
        return None
    return HookResult(
        should_continue=False,
        inject_context=injected.strike_refusal(tool, scene.language),
        notification=text("hook_struck_told", scene.language, tool=tool),
    )


def forgive(scene: Scene) -> None:
    """Allow a tool everything again once a call of it has succeeded."""
    plan = scene.place.find() if scene.succeeded else None
    if plan is not None:
        tool = tool_name(scene.context)
        if plan.read(lambda state: tool in state.ledger.struck):
            plan.commit((ClearStrikes(tool),), receipt)
