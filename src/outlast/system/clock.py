"""The machine's clock and time zone, and a fixed clock for tests."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol

from outlast.errors import InvalidSetting


class Clock(Protocol):
    """Returns the time."""

    def __call__(self) -> datetime:
        """Return the current time with its time zone."""


class NewId(Protocol):
    """Creates ids for plans."""

    def __call__(self) -> str:
        """Return a unique id of the form `plan_<random>`."""


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return seconds since some moment; unlike the time of day they never go back nor jump.

    While the machine sleeps they stand still: the programs whose time they limit sleep as well, and
    nobody is charged a night in which nothing was done.
    """
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


def find_zone(name: str = "") -> tzinfo:
    """Return a time zone by its name, such as `Europe/Berlin`; without one that of the system.

    Raises `InvalidSetting` for a name that this machine does not know.
    """
    if not name:
        return SystemZone()
    from zoneinfo import ZoneInfo, available_timezones

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        from difflib import get_close_matches

        close = get_close_matches(name[:100], sorted(available_timezones()), 3, 0.5)
        raise InvalidSetting(
            "time_zone_unknown",
            setting="assistant.time_zone",
            value=name[:100],
            known=close or ["Europe/Berlin", "Asia/Shanghai", "UTC"],
        ) from error


class SystemZone(tzinfo):
    """The time zone of the system, as its C library knows it; summer time included."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return how far the clocks are ahead of UTC at a local time."""
        return None if moment is None else _local(moment).utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return None: the C library does not tell how much of the offset is summer time."""
        del moment
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the short name, such as `CET`."""
        return None if moment is None else _local(moment).tzname()

    def fromutc(self, moment: datetime) -> datetime:
        """Return the local time at a moment; `fold` tells the second 02:30 from the first."""
        local = moment.replace(tzinfo=UTC).astimezone()
        first = local.replace(tzinfo=self)
        return first.replace(fold=int(self.utcoffset(first) != local.utcoffset()))


def _local(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None).astimezone()
