"""A way to reach a person who is not looking."""

from __future__ import annotations

from typing import Literal, Protocol

Occasion = Literal["question", "blocked", "finished", "budget"]


class Notifier(Protocol):
    """Tells a person that it is time to look."""

    def notify(self, occasion: Occasion, text: str) -> None:
        """Tell; what fails is logged and never raised."""
