"""Forks: a child that shares its parent's files has neither its locks nor its threads."""

from __future__ import annotations

import os
from typing import Final, Protocol
from weakref import WeakSet


class Forked(Protocol):
    """What has to know that it is in a child."""

    def reset_after_fork(self) -> None:
        """Let go of what belongs to the parent process."""


_OPEN: Final[WeakSet[Forked]] = WeakSet()


def reset_after_fork(store: Forked) -> None:
    """Let a store know, as long as it is in use."""
    _OPEN.add(store)


def _after_fork_in_child() -> None:
    for store in list(_OPEN):
        store.reset_after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
