"""The clock and id ports, passed in so that tests control time and ids."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Returns the time."""

    def __call__(self) -> datetime:
        """Return the current time with its time zone."""


class NewId(Protocol):
    """Creates ids for plans."""

    def __call__(self) -> str:
        """Return a unique id of the form `plan_<random>`."""
