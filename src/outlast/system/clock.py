"""The machine's clock, and a fixed one for tests."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return seconds since some moment; unlike the time of day they never go back."""
    return time.monotonic()


def boot_time_ns() -> int:
    """Return when the machine was booted, in nanoseconds; the current time if that is unknown."""
    since = getattr(time, "CLOCK_BOOTTIME", None)
    return time.time_ns() - (0 if since is None else time.clock_gettime_ns(since))


def sleep(seconds: float) -> None:
    """Sleep."""
    time.sleep(seconds)


def new_plan_id() -> str:
    """Return a random id for a plan."""
    return f"plan_{os.urandom(6).hex()}"


def new_uuid() -> str:
    """Return a random UUID."""
    from uuid import uuid4

    return str(uuid4())


class FixedClock:
    """A clock that shows the same time until it is moved."""

    def __init__(self, moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        """Return the time it shows."""
        return self.moment

    def advance(self, seconds: float) -> None:
        """Move the clock on, or back with a negative number."""
        self.moment += timedelta(seconds=seconds)
