"""The protocols for a person: ask one while a loop runs, and call one back who is not watching."""

from __future__ import annotations

from typing import Literal, Protocol

from outlast.model.model import Question

Occasion = Literal["question", "blocked", "finished", "budget"]


class Person(Protocol):
    """A person who can answer questions."""

    async def answer(self, question: Question) -> str | None:
        """Ask, wait and return the answer; None if the person does not answer now.

        After an answer that does not fit, the same question is asked again: its text then says
        which answers do.
        """


class Notifier(Protocol):
    """Notifies a person who is not watching."""

    def notify(self, occasion: Occasion, text: str) -> None:
        """Send a notification; log a failure and never raise it."""
