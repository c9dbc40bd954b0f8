"""Whose turn it is: one thread at a time, and a question may ask again but not change the plan."""

from __future__ import annotations

from _thread import RLock  # threading's own, without the cost of threading
from typing import TYPE_CHECKING, TypeVar

from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.state import PlanState

T = TypeVar("T")


class Turn:
    """A lock that knows whether its holder is answering a question."""

    def __init__(self) -> None:
        """Begin with nobody's turn."""
        self.lock = RLock()
        self._asking = False

    def answer(self, question: Callable[[PlanState], T], state: PlanState) -> T:
        """Answer a question; the lock is held."""
        before, self._asking = self._asking, True
        try:
            return question(state)
        finally:
            self._asking = before

    def refuse_in_question(self) -> None:
        """Refuse to change the plan that a question is being answered about."""
        if self._asking:
            raise InvalidStatus("commit_in_question")
