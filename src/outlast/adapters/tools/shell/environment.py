"""The environment of a command: ours, without what looks like a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.formats.redact.engine import redact
from outlast.formats.redact.signs import NAME_SIGNS, small

if TYPE_CHECKING:
    from collections.abc import Mapping

_HARMLESS: Final = frozenset({"PWD", "OLDPWD"})


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that neither by their name nor by their value look like a secret."""
    return {name: value for name, value in environment.items() if _is_harmless(name, value)}


def _is_harmless(name: str, value: str) -> bool:
    if name in _HARMLESS:
        return True
    return not any(sign in small(name) for sign in NAME_SIGNS) and redact(value) == value
