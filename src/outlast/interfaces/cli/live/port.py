"""How people follow a loop at work: one of several views that are told what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from outlast.ports.events import Event


class View(Protocol):
    """Shows what a loop does, as it does it."""

    def tell(self, event: Event) -> None:
        """Take in what has happened."""

    def tick(self) -> None:
        """Bring up to date what changes by itself, such as how long something takes."""

    def resting(self) -> AbstractContextManager[None]:
        """Leave the terminal to somebody else for a while."""

    def close(self) -> None:
        """Show no more."""
