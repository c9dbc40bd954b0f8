"""OUTLAST_PLAN: names the plan of a run or a check to the programs that it starts."""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE: Final = "OUTLAST_PLAN"
_find_key: ContextVar[Callable[[], str]] = ContextVar("find_key", default=str)


def set_plan_variable(find_key: Callable[[], str]) -> None:
    """Name the plan with this key to all programs that this task or thread starts from now on.

    The key is looked up for each program; while it is empty, none is named.
    """
    _find_key.set(find_key)


def named_plan_variable() -> dict[str, str]:
    """Return the variable that names the plan of this task or thread; none without a plan."""
    return plan_variable(_find_key.get()())


def plan_variable(key: str) -> dict[str, str]:
    """Return the variable that names a plan; none if an environment cannot hold the key."""
    try:
        is_possible = key and b"\0" not in os.fsencode(key)
    except UnicodeError:
        is_possible = False
    return {VARIABLE: key} if is_possible else {}
