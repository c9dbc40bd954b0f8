"""Points in time as text: ISO 8601 in UTC, and local times for models."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final


def write(moment: datetime) -> str:
    """Write a time as `2024-01-01T00:00:00Z`, with as many digits as it has."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def write_seconds(moment: datetime) -> str:
    """Write a time without fractions of a second."""
    return write(moment.replace(microsecond=0))


def write_milliseconds(moment: datetime) -> str:
    """Write a time with exactly three digits after the second."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def write_local(moment: datetime) -> str:
    """Write a time in its own zone, with the day of the week, as a model should read it."""
    at, offset = moment.isoformat(" ", "minutes")[:16], moment.isoformat(" ", "minutes")[16:]
    return f"{at} ({_DAYS[moment.weekday()]}), UTC{offset}"


def read(value: object) -> datetime | None:
    """Read ISO 8601 or seconds (or milliseconds) since 1970; None for anything else."""
    try:
        if type(value) is str:
            moment = datetime.fromisoformat(value)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        if type(value) is int or type(value) is float:
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


_MILLISECONDS: Final = 100_000_000_000
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
