"""What the file of a project may not set (A10): a project may come from anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MODELS: Final = ("anthropic:", "openai:", "ollama:")
_NEVER: Final = ("hooks.python", "prices")  # code that runs; what a budget is measured by
_SECTIONS: Final = ("notify.", "permissions.", "tools.")
_SPENDING: Final = ("budget.", "limits.", "loop.max_iterations")


def may_set(key: str, value: object, before: Mapping[str, object]) -> bool:
    """Tell whether a project's file may set this; `before` is what the user has set.

    It cannot bring code or commands along, name a model that answers from an address or a file of
    its own, or let more be spent than the user allows.
    """
    if key in _NEVER or key.startswith(_SECTIONS):
        return False
    if key == "loop.model":
        return isinstance(value, str) and value.startswith(_MODELS) and "://" not in value
    if key.startswith(_SPENDING):
        return _at_most(value, before.get(key))
    return True


def _at_most(value: object, limit: object) -> bool:
    if not isinstance(limit, int | float):
        return True
    return isinstance(value, int | float) and value <= limit
