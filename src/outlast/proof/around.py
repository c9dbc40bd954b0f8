"""What a program does while checks run, which may take minutes: such as letting a lock go."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

_around: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "around checks", default=nullcontext
)


@contextmanager
def surround_checks(around: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """Enter what `around` returns whenever this task or thread runs checks in here."""
    token = _around.set(around)
    try:
        yield
    finally:
        _around.reset(token)


def while_checks_run() -> AbstractContextManager[None]:
    """Return what to enter while checks run, or while the files that they are about are read."""
    return _around.get()()
