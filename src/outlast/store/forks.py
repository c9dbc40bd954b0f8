"""Forks: a child that shares its parent's files has neither its locks nor its threads.

Nor does it have the imports that those threads had begun. Python keeps their locks, so that a child
which imports the same module would wait for ever.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from _weakrefset import WeakSet  # that of `weakref`, without importing that
from typing import Any, Final, Protocol


class Forked(Protocol):
    """What has to know that it is in a child."""

    def reset_after_fork(self) -> None:
        """Let go of what belongs to the parent process."""


_OPEN: Final[WeakSet[Forked]] = WeakSet()


def reset_after_fork(store: Forked) -> None:
    """Let a store know, as long as it is in use."""
    _OPEN.add(store)


def forget_begun_imports(locks: dict[str, Any], modules: dict[str, Any], thread: int) -> None:
    """Let a thread, the only one there is, import again what others had begun to import.

    `locks` has a reference to the lock of each module that is being imported.
    """
    for name, reference in list(locks.items()):
        lock = reference()
        if lock is not None and lock.owner != thread:
            del locks[name]
            spec = getattr(modules.get(name), "__spec__", None)
            if getattr(spec, "_initializing", False):
                del modules[name]


def _after_fork_in_child() -> None:
    failure: BaseException | None = None
    for store in list(_OPEN):
        try:
            store.reset_after_fork()
        except BaseException as error:  # noqa: BLE001 - the others have to know all the same
            failure = error
    imports = sys.modules["_frozen_importlib"]  # there is no public way
    forget_begun_imports(getattr(imports, "_module_locks", {}), sys.modules, get_ident())
    if failure is not None:
        raise failure  # printed by Python; nobody can catch it


os.register_at_fork(after_in_child=_after_fork_in_child)
