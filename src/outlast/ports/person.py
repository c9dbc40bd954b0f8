"""The person port: ask a person while a loop runs."""

from __future__ import annotations

from typing import Protocol

from outlast.domain.model import Question


class Person(Protocol):
    """A person who can answer questions."""

    async def answer(self, question: Question) -> str | None:
        """Ask, wait and return the answer; None if the person does not answer now.

        After an answer that does not fit, the same question is asked again: its text then says
        which answers do.
        """
