"""A user's own hooks: functions, or objects with a method for each point that they handle."""

from __future__ import annotations

from inspect import iscoroutine
from typing import TYPE_CHECKING, Any, Final, get_args

from outlast.application.context.blocks import hook_note
from outlast.domain.limits import wrong_type_error
from outlast.ports.hook import HookResult, Point

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.ports.effects import PlanView
    from outlast.ports.hook import Hook, HookContext

_NOTIFICATION_CHARACTERS: Final = 500


def validate_hooks(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    """Return the hooks as a tuple; refuse classes, and objects that no point could call."""
    if isinstance(hooks, str) or not hasattr(hooks, "__iter__"):
        raise wrong_type_error("hooks", "array", hooks)
    given = tuple(hooks)
    for hook in given:
        is_callable = callable(hook) or any(hasattr(hook, point) for point in get_args(Point))
        if isinstance(hook, type) or not is_callable:
            raise wrong_type_error("hooks", "hook", hook)
    return given


def hook_name(hook: object) -> str:
    """Return the name of a hook for logs and notices."""
    owner: Any = hook if hasattr(hook, "__qualname__") else type(hook)
    return f"{owner.__module__}:{owner.__qualname__}".strip(":")


def call_hook(hook: object, context: HookContext, plan: PlanView | None) -> HookResult | None:
    """Call a hook; label its text with the hook's name, escape it and truncate it.

    Raise `TypeError` if the hook returns anything but a `HookResult` or None.
    """
    function: Any = getattr(hook, context.point, hook if callable(hook) else None)
    result = None if function is None else function(context, plan)
    if result is None:
        return None
    if not isinstance(result, HookResult):
        if iscoroutine(result):
            result.close()
        raise TypeError(type(result))
    injected, notification = result.inject_context, result.notification or ""
    for value, kind in ((result.should_continue, bool), (notification, str)):
        if not isinstance(value, kind):
            raise TypeError(type(value))
    return HookResult(
        should_continue=result.should_continue,
        inject_context=hook_note(hook_name(hook), injected) if injected else "",
        notification=notification[:_NOTIFICATION_CHARACTERS],
    )
