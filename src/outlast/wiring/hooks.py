"""Hooks of a user's own, by their names in the settings."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final, NoReturn

from outlast.application.hooks.own_hooks import checked
from outlast.errors import InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.ports.effects import PlanView
    from outlast.ports.hook import Hook, HookContext

GROUP: Final = "outlast.hooks"


def find_hooks(names: Iterable[str]) -> tuple[Hook, ...]:
    """Return the hooks with these names: `module:function`, or the name of an entry point.

    One that cannot be found stays in its place and fails there, which is said like any failure.
    """
    return tuple(map(_found, names))


def _found(name: str) -> Hook:
    try:
        loaded: Any = _loaded(name) if ":" in name else _entry_point(name)
        (hook,) = checked((loaded() if isinstance(loaded, type) else loaded,))
    except Exception as error:  # noqa: BLE001 - whatever a user's module does when it is loaded
        return _Missing(name, error)
    return hook


def _loaded(name: str) -> object:
    module, _, attribute = name.partition(":")
    found: object = import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def _entry_point(name: str) -> object:
    known = entry_points(group=GROUP)
    if name not in known.names:
        raise InvalidSetting("hook_missing", name=name, known=sorted(known.names))
    return known[name].load()


class _Missing:
    """A hook that cannot be asked."""

    def __init__(self, name: str, why: Exception) -> None:
        self.__module__, self.__qualname__ = "", name
        self._why = why

    def __call__(self, _context: HookContext, _plan: PlanView | None) -> NoReturn:
        raise self._why.with_traceback(None)  # else it grows each time
