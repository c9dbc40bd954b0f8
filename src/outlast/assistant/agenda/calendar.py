"""When appointments happen, and which of them overlap.

An appointment that recurs keeps its time on the clock: a daily one at 09:00 is at 09:00 all year,
whenever the clocks of the zone are changed. So recurrence is computed in local time, and so is
whether two that recur overlap. One that happens once is compared by its moments.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, Final

from outlast.assistant.agenda.items import LAST_DAY, WITHOUT_END, Appointment, Occurrence, Reminder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MINUTE: Final = timedelta(minutes=1)
_DAY: Final = timedelta(days=1)  # no zone has ever changed its clocks by more


def local_midnight(day: date, zone: tzinfo) -> datetime:
    """Return the moment at which a day begins in a time zone."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def occurrences_between(
    appointments: Iterable[Appointment], begin: datetime, end: datetime, zone: tzinfo
) -> list[Occurrence]:
    """Return what is going on at any time from `begin` until before `end`, by start."""
    found = (each for item in appointments for each in _times_between(item, begin, end, zone))
    return sorted(found, key=lambda each: (each.start, each.appointment.id))


def _times_between(
    appointment: Appointment, begin: datetime, end: datetime, zone: tzinfo
) -> Iterator[Occurrence]:
    for number in _numbers_near(appointment, begin - appointment.length, end, zone):
        occurrence = _occurrence(appointment, number, zone)
        if occurrence.start < end and begin < occurrence.end:
            yield occurrence


def last_reminder(
    appointment: Appointment, after: datetime, until: datetime, zone: tzinfo
) -> Reminder | None:
    """Return the last reminder after a moment, until another one inclusive.

    Those before it are of no use by then.
    """
    if appointment.remind is None:
        return None
    lead = appointment.start - appointment.remind
    wanted = appointment.remind_start or appointment.remind
    for number in reversed(_numbers_near(appointment, after + lead, until + lead, zone)):
        occurrence = _occurrence(appointment, number, zone)
        at = occurrence.start - lead
        if after < at <= until:
            return Reminder(at, occurrence) if at >= wanted else None
    return None


def next_occurrence(appointment: Appointment, now: datetime, zone: tzinfo) -> Occurrence | None:
    """Return the time that is going on or comes next; None if the last one is over."""
    horizon = max(now, appointment.start) + (appointment.interval or _DAY)
    for number in _numbers_near(appointment, now - appointment.length, horizon, zone):
        occurrence = _occurrence(appointment, number, zone)
        if occurrence.end > now:
            return occurrence
    return None


def find_overlap(
    appointment: Appointment, others: Iterable[Appointment], zone: tzinfo
) -> tuple[Occurrence, Occurrence] | None:
    """Return the first time of an appointment that overlaps one of another, and that one.

    None if no two of them ever overlap.
    """
    overlaps = (
        _first_overlap(appointment, other, zone) for other in others if other.id != appointment.id
    )
    return next((each for each in overlaps if each is not None), None)


def overlaps_itself(appointment: Appointment) -> bool:
    """Return whether an appointment begins again before it is over."""
    return appointment.interval is not None and appointment.interval < appointment.length


def _local(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _occurrence(appointment: Appointment, number: int, zone: tzinfo) -> Occurrence:
    if not number or appointment.interval is None:
        return Occurrence(appointment.start, 0, appointment)
    local = _local(appointment.start, zone) + number * appointment.interval
    return Occurrence(local.replace(tzinfo=zone).astimezone(UTC), number, appointment)


def _numbers_near(appointment: Appointment, begin: datetime, end: datetime, zone: tzinfo) -> range:
    """Return the numbers of the times that may start between two moments, and of some others."""
    if appointment.interval is None:
        return range(1)
    start, interval = _local(appointment.start, zone), appointment.interval
    first = max(0, -((start - _local(begin, zone) + _DAY) // interval))
    after = max(first, (_local(end, zone) + _DAY - start) // interval + 1)
    times = appointment.times
    return range(first, after if times == WITHOUT_END else min(after, times))


def _first_overlap(
    one: Appointment, other: Appointment, zone: tzinfo
) -> tuple[Occurrence, Occurrence] | None:
    """Return the first time of `one` that overlaps one of `other`, and that one."""
    if other.interval is None:
        its = Occurrence(other.start, 0, other)
        own = next(_times_between(one, its.start, its.end, zone), None)
        return None if own is None else (own, its)
    if one.interval is None:
        overlap = _first_overlap(other, one, zone)
        return None if overlap is None else (overlap[1], overlap[0])
    cycles = (one.interval // _MINUTE, other.interval // _MINUTE)
    numbers = _first_overlap_by_clock(one, other, cycles, zone)
    if numbers is None:
        return None
    return _occurrence(one, numbers[0], zone), _occurrence(other, numbers[1], zone)


def _first_overlap_by_clock(
    one: Appointment, other: Appointment, cycles: tuple[int, int], zone: tzinfo
) -> tuple[int, int] | None:
    """Return the numbers of the first times of two that recur which overlap, by arithmetic.

    Counted in minutes from the first start of `other`, two times overlap if `one` starts fewer than
    its duration before, or fewer than the duration of `other` after it. `cycles` are the minutes
    from one start to the next.
    """
    start = _local(one.start, zone)
    ahead = (start - _local(other.start, zone)) // _MINUTE
    cycle, other_cycle = cycles
    skipped = max(0, -((ahead + one.duration - 1) // cycle))  # over before `other` ever starts
    last_minute = ahead + skipped * cycle + one.duration - 1
    widest = one.duration + other.duration - 2
    lowest = -last_minute % other_cycle
    more = (
        0
        if lowest + widest >= other_cycle
        else _first_multiple(cycle % other_cycle, other_cycle, lowest, lowest + widest)
    )
    if more is None:
        return None
    number = skipped + more
    other_number = max(0, -((other.duration - 1 - ahead - number * cycle) // other_cycle))
    for each, its_number in ((one, number), (other, other_number)):
        if each.times != WITHOUT_END and its_number >= each.times:
            return None
    return (number, other_number) if number * cycle <= _minutes_left(start) else None


def _minutes_left(start: datetime) -> int:
    return (datetime.combine(LAST_DAY, time()) - start) // _MINUTE


def _first_multiple(step: int, modulus: int, low: int, high: int) -> int | None:
    """Return the least number whose product with `step`, modulo `modulus`, is within bounds.

    It is found as quickly as a greatest common divisor is, and in the same way.
    """
    if not low:
        return 0
    if not step:
        return None
    number = -(-low // step)
    if number * step <= high:
        return number
    rounds = _first_multiple(modulus % step, step, -high % step, -low % step)
    return None if rounds is None else -(-(low + modulus * rounds) // step)
