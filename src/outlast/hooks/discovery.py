"""Load custom hooks by their names in the settings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

from outlast.errors import InvalidSetting
from outlast.hooks.custom import validate_hooks
from outlast.system.plugins import find_plugin, instance_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.context.plan_view import PlanView
    from outlast.hooks.port import Hook, HookContext

GROUP: Final = "outlast.hooks"


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
