"""The notification port: call a person back to the plan."""

from __future__ import annotations

from typing import Literal, Protocol

Occasion = Literal["question", "blocked", "finished", "budget"]


class Notifier(Protocol):
    """Notifies a person who is not watching."""

    def notify(self, occasion: Occasion, text: str) -> None:
        """Send a notification; log a failure and never raise it."""
