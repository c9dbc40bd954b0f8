"""One thread at a time; whoever asks about a plan does not change it meanwhile."""

from __future__ import annotations

from _thread import RLock  # threading's own, without the cost of threading
from typing import TYPE_CHECKING, TypeVar

from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Turn:
    """The lock of a store's threads; what its holder does: being asked, or leading others."""

    __slots__ = ("asking", "leading", "lock")

    def __init__(self) -> None:
        """Begin with nobody's turn."""
        self.lock = RLock()
        self.asking = False
        self.leading = False

    def answer(self, question: Callable[..., T], *facts: object) -> T:
        """Let somebody look; they may ask again but not change anything. The lock is held."""
        before, self.asking = self.asking, True
        try:
            return question(*facts)
        finally:
            self.asking = before

    def is_asking(self) -> bool:
        """Tell whether it is the very thread that asks now which is being answered."""
        return self.asking and self.lock._is_owned()  # type: ignore[attr-defined]  # noqa: SLF001 - all that tells whose turn it is

    def refuse_in_question(self) -> None:
        """Refuse a change by the very thread that is being answered."""
        if self.asking and self.is_asking():
            raise InvalidStatus("commit_in_question")
