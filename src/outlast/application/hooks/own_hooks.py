"""Hooks of a user's own: functions, or objects with a method for each point they care about."""

from __future__ import annotations

from inspect import iscoroutine
from typing import TYPE_CHECKING, Any, Final, get_args

from outlast.application.context.injected import hook_note
from outlast.domain.limits import wrong_type
from outlast.ports.hook import HookResult, Point

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.ports.effects import PlanView
    from outlast.ports.hook import Hook, HookContext

_NOTIFICATION: Final = 500


def checked(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    """Return hooks; what could never be asked at any point is refused, and so is a class."""
    if isinstance(hooks, str) or not hasattr(hooks, "__iter__"):
        raise wrong_type("hooks", "array", hooks)
    found = tuple(hooks)
    for hook in found:
        asks = callable(hook) or any(hasattr(hook, point) for point in get_args(Point))
        if isinstance(hook, type) or not asks:
            raise wrong_type("hooks", "hook", hook)
    return found


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
    told, notice = said.inject_context, said.notification or ""
    for value, kind in ((said.should_continue, bool), (notice, str)):
        if not isinstance(value, kind):
            raise TypeError(type(value))
    return HookResult(
        should_continue=said.should_continue,
        inject_context=hook_note(hook_name(hook), told) if told else "",
        notification=notice[:_NOTIFICATION],
    )
