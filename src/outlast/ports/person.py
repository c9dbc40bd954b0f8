"""A person who can be asked while a loop runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from outlast.domain.model import Question


class Person(Protocol):
    """Somebody who is there."""

    async def answer(self, question: Question) -> str | None:
        """Ask, wait and return the answer; None if nobody answers now."""
