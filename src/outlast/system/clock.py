"""The machine's clock and its source of random ids, and a clock that stands still."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def ticks() -> float:
    """Return seconds since some moment; unlike the time of day they never go back."""
    return time.monotonic()


def moment() -> int:
    """Return the time as files are stamped with it, in nanoseconds."""
    return time.time_ns()


def booted() -> int:
    """Return when the machine was started, in nanoseconds; just now if nobody knows."""
    since = getattr(time, "CLOCK_BOOTTIME", None)
    return time.time_ns() - (0 if since is None else time.clock_gettime_ns(since))


def rest(seconds: float) -> None:
    """Do nothing for a while."""
    time.sleep(seconds)


def new_plan_id() -> str:
    """Return a fresh id for a plan."""
    return f"plan_{os.urandom(6).hex()}"


class FixedClock:
    """A clock that shows the same time until it is moved."""

    def __init__(self, moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        """Begin at a moment."""
        self.moment = moment

    def __call__(self) -> datetime:
        """Return the time it shows."""
        return self.moment

    def advance(self, seconds: float) -> None:
        """Move on, or back with a negative number."""
        self.moment += timedelta(seconds=seconds)
