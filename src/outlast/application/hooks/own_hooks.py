"""Hooks of a user's own: functions, or objects with a method for each point they care about."""

from __future__ import annotations

from inspect import iscoroutine
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.application.context.injected import hook_note
from outlast.ports.hook import HookResult

if TYPE_CHECKING:
    from outlast.ports.effects import PlanView
    from outlast.ports.hook import HookContext

_NOTIFICATION: Final = 500


def hook_name(hook: object) -> str:
    """Return what a hook is called when it is spoken of."""
    named: Any = hook if hasattr(hook, "__qualname__") else type(hook)
    return f"{named.__module__}:{named.__qualname__}".strip(":")


def asked(hook: object, context: HookContext, plan: PlanView | None) -> HookResult | None:
    """Ask a hook; what it says is marked as its words, and cut."""
    function: Any = getattr(hook, context.point, hook if callable(hook) else None)
    said = None if function is None else function(context, plan)
    if said is None:
        return None
    if not isinstance(said, HookResult):
        if iscoroutine(said):
            said.close()
        raise TypeError(type(said))
    return replace(
        said,
        inject_context=hook_note(hook_name(hook), said.inject_context)
        if said.inject_context
        else "",
        notification=said.notification[:_NOTIFICATION],
    )
