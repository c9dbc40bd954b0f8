"""A user's own hooks: functions, or objects with a method for each point that they handle.

They are given as objects, or loaded by their names in the settings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NoReturn, get_args

from outlast.context.blocks import hook_note
from outlast.errors import InvalidArgument, InvalidSetting
from outlast.hooks.port import Hook, HookContext, HookResult, Point
from outlast.language import visible
from outlast.model.limits import wrong_type_error
from outlast.system.plugins import find_plugin, instance_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.context.plan_view import PlanView

_NOTIFICATION_CHARACTERS: Final = 500
GROUP: Final = "outlast.hooks"


def validate_hooks(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    """Return the hooks as a tuple; refuse those that cannot be called with (context, plan).

    A hook that can never work must not look like one that objects to nothing.
    """
    if isinstance(hooks, str) or not hasattr(hooks, "__iter__"):
        raise wrong_type_error("hooks", "list", hooks)
    accepted = tuple(hooks)
    for hook in accepted:
        functions = [] if isinstance(hook, type) else _all_functions(hook)
        if not functions:
            raise wrong_type_error("hooks", "hook", hook)
        if not all(map(_takes_context_and_plan, functions)):
            raise InvalidArgument("hook_signature", argument="hooks", name=visible(hook_name(hook)))
    return accepted


def _all_functions(hook: object) -> list[Any]:
    methods = [getattr(hook, point) for point in get_args(Point) if hasattr(hook, point)]
    return [*methods, hook] if callable(hook) else methods


def _takes_context_and_plan(function: object) -> bool:
    from inspect import isasyncgenfunction, isgeneratorfunction, signature

    if not callable(function) or isgeneratorfunction(function) or isasyncgenfunction(function):
        return False
    try:
        signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # a builtin that does not tell its signature
        return True
    return True


def hook_name(hook: object) -> str:
    """Return the name of a hook for logs and notices."""
    owner: Any = hook if hasattr(hook, "__qualname__") else type(hook)
    return f"{owner.__module__}:{owner.__qualname__}".strip(":")


def hook_function(hook: object, point: Point) -> Callable[..., Any]:
    """Return what a hook has for a point: its method, else the hook itself."""
    function: Callable[..., Any] = getattr(hook, point, hook if callable(hook) else _do_nothing)
    return function


def _do_nothing(_context: HookContext, _plan: PlanView | None) -> None:
    """Stand in for the method of a point that an object does not handle."""


def is_async(function: Callable[..., Any]) -> bool:
    """Return whether a call returns a coroutine; also for an object with an async `__call__`."""
    from inspect import iscoroutinefunction

    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)


def check_result(hook: object, result: object) -> HookResult | None:
    """Label the text of a hook's result with the hook's name, escape it and truncate it.

    Raise `TypeError` if the result is anything but a valid `HookResult` or None.
    """
    if result is None:
        return None
    if not isinstance(result, HookResult):
        raise TypeError(type(result))
    injected, notification = result.inject_context or "", result.notification or ""
    for value, kind in ((result.should_continue, bool), (injected, str), (notification, str)):
        if not isinstance(value, kind):
            raise TypeError(type(value))
    name = hook_name(hook)
    return HookResult(
        should_continue=result.should_continue,
        inject_context=hook_note(name, injected) if injected else "",
        notification=notification[:_NOTIFICATION_CHARACTERS],
        refused_by="" if result.should_continue else name,
    )


def find_hooks(names: Iterable[str]) -> tuple[Hook, ...]:
    """Load hooks by name: `module:function`, or an entry point.

    A hook that cannot be loaded is replaced by one that raises the reason when it is called, so
    that it is reported like any failing hook.
    """
    return tuple(map(_load_hook, names))


def _load_hook(name: str) -> Hook:
    def missing(known: list[str]) -> InvalidSetting:
        return InvalidSetting("hook_missing", name=name, known=known)

    try:
        loaded = _import_object(name) if ":" in name else find_plugin(GROUP, name, missing).load()
        (hook,) = validate_hooks((instance_of(loaded),))
    except Exception as error:  # noqa: BLE001 - a user's module may raise anything while it is imported
        return _BrokenHook(name, error)
    return hook


def _import_object(name: str) -> object:
    module, _, attribute = name.partition(":")
    target: object = import_module(module)
    for part in attribute.split("."):
        target = getattr(target, part)
    return target


class _BrokenHook:
    """Stands in for a hook that could not be loaded, and raises the reason."""

    def __init__(self, name: str, why: Exception) -> None:
        self.__module__, self.__qualname__ = "", name
        self._why = why

    def __call__(self, _context: HookContext, _plan: PlanView | None) -> NoReturn:
        raise self._why.with_traceback(None)  # the traceback would grow with each call
