"""The time and fresh ids, handed in so that a test can choose them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """Return the current time, with its zone."""


class NewId(Protocol):
    """Makes ids for plans."""

    def __call__(self) -> str:
        """Return an id of the form `plan_<random>` that nobody else has."""
