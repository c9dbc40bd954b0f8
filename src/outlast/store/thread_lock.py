"""The lock that lets one thread at a time use a store, and keeps reads from committing."""

from __future__ import annotations

from _thread import RLock  # the lock of `threading`, without importing that
from typing import TYPE_CHECKING, TypeVar

from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Callable

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")


class ThreadLock:
    """A store's mutex, and whether its holder runs a read. Stores may share a mutex."""

    __slots__ = ("is_reading", "mutex")

    def __init__(self, mutex: RLock | None = None) -> None:
        self.mutex = RLock() if mutex is None else mutex
        self.is_reading = False

    def run_read(self, question: Callable[..., T], *facts: object) -> T:
        """Call a function that may read again but not commit. The caller holds the mutex."""
        before, self.is_reading = self.is_reading, True
        try:
            return question(*facts)
        finally:
            self.is_reading = before

    def guard(self, compose: Callable[[S, U], None]) -> Callable[[S, U], None]:
        """Return the maker of a commit's commands as one that may read, but not commit."""
        return lambda state, attempt: self.run_read(compose, state, attempt)

    def is_inside_read(self) -> bool:
        """Return whether the calling thread is inside a read."""
        return self.is_reading and self.mutex._is_owned()  # type: ignore[attr-defined]  # noqa: SLF001 - the only way to learn the owner

    def refuse_inside_read(self) -> None:
        """Raise `InvalidStatus` if the calling thread is inside a read."""
        if self.is_reading and self.is_inside_read():
            raise InvalidStatus("commit_in_question")
