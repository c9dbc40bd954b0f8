"""R3.10: when appointments happen, and that no two overlap."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outlast.assistant.agenda.calendar import (
    find_overlap,
    last_reminder,
    local_midnight,
    next_occurrence,
    occurrences_between,
    overlaps_itself,
)
from outlast.assistant.agenda.items import WITHOUT_END, Appointment, Recurrence

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
BEIRUT = ZoneInfo("Asia/Beirut")
MINUTE = timedelta(minutes=1)


def appointment(
    *,
    start: int = 0,
    duration: int = 60,
    interval: int = 0,
    times: int = WITHOUT_END,
    remind: int | None = None,
) -> Appointment:
    """Return an appointment that starts so many minutes from now."""
    return Appointment(
        1,
        "Meet",
        NOW + start * MINUTE,
        NOW,
        duration,
        None if remind is None else NOW + (start - remind) * MINUTE,
        Recurrence(interval, times) if interval else None,
    )


def starts(appointments: list[Appointment], begin: int, end: int) -> list[tuple[int, int]]:
    found = occurrences_between(appointments, NOW + begin * MINUTE, NOW + end * MINUTE, UTC)
    return [((each.start - NOW) // MINUTE, each.appointment.id) for each in found]


def test_r3_10_an_appointment_is_shown_while_it_is_going_on() -> None:
    once = appointment(duration=30)
    assert starts([once], 0, 1) == starts([once], 29, 40) == starts([once], -5, 1) == [(0, 1)]
    assert starts([once], 30, 60) == starts([once], -10, 0) == []


def test_r3_10_a_recurring_appointment_happens_as_often_as_it_says() -> None:
    daily = appointment(interval=1440, times=3)
    assert starts([daily], 0, 10_000) == [(0, 1), (1440, 1), (2880, 1)]
    assert starts([appointment(interval=1440)], 14_000, 18_000) == [
        (14_400, 1),
        (15_840, 1),
        (17_280, 1),
    ]
    off = appointment(interval=1440).recurrence
    assert off is not None
    stopped = Appointment(1, "x", NOW, NOW, recurrence=Recurrence(1440, is_on=False))
    assert starts([stopped], 0, 10_000) == [(0, 1)]


def test_r3_10_the_next_time_is_the_one_that_is_not_over() -> None:
    daily = appointment(interval=1440, times=3, duration=30)
    for moment, expected in ((-5, 0), (0, 0), (29, 0), (30, 1440), (2909, 2880), (2910, None)):
        found = next_occurrence(daily, NOW + moment * MINUTE, UTC)
        assert (None if found is None else (found.start - NOW) // MINUTE) == expected
    assert next_occurrence(appointment(), NOW + 61 * MINUTE, UTC) is None
    for later in (appointment(start=99_999), appointment(start=99_999, interval=1440)):
        coming = next_occurrence(later, NOW, UTC)
        assert coming is not None
        assert coming.start == later.start


def reminded(each: Appointment, after: int, until: int) -> int | None:
    found = last_reminder(each, NOW + after * MINUTE, NOW + until * MINUTE, UTC)
    return None if found is None else (found.at - NOW) // MINUTE


def test_r3_10_reminders_recur_and_only_the_last_missed_one_is_of_use() -> None:
    daily = appointment(start=100, interval=1440, remind=10)
    assert reminded(daily, 0, 89) is None
    assert [reminded(daily, 0, until) for until in (90, 1529, 1530, 3000)] == [90, 90, 1530, 2970]
    assert reminded(daily, 90, 1529) is None, "each comes once"
    assert reminded(appointment(start=100, interval=1440, times=2, remind=10), 0, 9999) == 1530
    assert reminded(appointment(start=100, remind=10), 0, 9999) == 90
    assert reminded(appointment(), -1, 9999) is None


def test_r3_10_no_reminder_comes_before_it_is_wanted() -> None:
    daily = appointment(start=100, interval=1440, remind=10)
    late = Appointment(
        1, "x", daily.start, NOW, 60, daily.remind, daily.recurrence, NOW + 91 * MINUTE
    )
    assert (reminded(late, 0, 1000), reminded(late, 0, 2000)) == (None, 1530)


def test_r3_10_every_minute_of_years_is_no_burden() -> None:
    """A reminder each minute, and a computer that was off for twenty years."""
    busy = appointment(duration=1, interval=1, remind=0)
    assert reminded(busy, 0, 20 * 365 * 1440) == 20 * 365 * 1440


BEFORE_SUMMER = datetime(2026, 3, 28, 9, tzinfo=BERLIN).astimezone(UTC)


def test_r3_10_a_daily_appointment_keeps_its_time_when_the_clocks_are_changed() -> None:
    daily = Appointment(1, "x", BEFORE_SUMMER, NOW, 60, BEFORE_SUMMER - MINUTE, Recurrence(1440))
    begin, end = (local_midnight(date(2026, month, 1), BERLIN) for month in (1, 12))
    found = occurrences_between([daily], begin, end, BERLIN)
    assert {each.start.astimezone(BERLIN).hour for each in found} == {9}
    assert {each.start.hour for each in found} == {7, 8}
    assert len(found) == (date(2026, 12, 1) - date(2026, 3, 28)).days
    for each in found:
        assert next_occurrence(daily, each.start, BERLIN) == each
        reminder = last_reminder(daily, each.start - 2 * MINUTE, each.start, BERLIN)
        assert reminder is not None
        assert (reminder.at, reminder.item) == (each.start - MINUTE, each)


def test_r3_10_a_time_that_is_skipped_comes_as_much_later() -> None:
    start = datetime(2026, 3, 28, 2, 30, tzinfo=BERLIN).astimezone(UTC)
    daily = Appointment(1, "x", start, NOW, 15, None, Recurrence(1440))
    begin, end = (local_midnight(date(2026, 3, day), BERLIN) for day in (28, 31))
    shown = [
        f"{each.start.astimezone(BERLIN):%d %H:%M}"
        for each in occurrences_between([daily], begin, end, BERLIN)
    ]
    assert shown == ["28 02:30", "29 03:30", "30 02:30"]


@pytest.mark.parametrize("month", [3, 10])
def test_r3_10_a_day_of_23_or_25_hours_shows_all_that_is_in_it(month: int) -> None:
    day = date(2026, month, {3: 29, 10: 25}[month])
    begin, end = local_midnight(day, BERLIN), local_midnight(day + timedelta(days=1), BERLIN)
    assert (end - begin) // timedelta(hours=1) == {3: 23, 10: 25}[month]
    first, last = (Appointment(1, "x", at, NOW, 1) for at in (begin, end - MINUTE))
    out = [Appointment(2, "x", at, NOW, 1) for at in (begin - MINUTE, end)]
    found = occurrences_between([first, last, *out], begin, end, BERLIN)
    assert [each.appointment for each in found] == [first, last]


def test_r3_10_a_day_begins_at_midnight_or_where_the_clocks_jump_to() -> None:
    assert local_midnight(date(2026, 1, 2), BERLIN) == datetime(2026, 1, 1, 23, tzinfo=UTC)
    jump = local_midnight(date(2026, 3, 29), BEIRUT)  # there is no midnight that day
    assert f"{jump.astimezone(BEIRUT):%d %H:%M}" == "29 01:00"
    assert f"{(jump - MINUTE).astimezone(BEIRUT):%d %H:%M}" == "28 23:59"


def test_r3_10_leap_days_are_days() -> None:
    start = datetime(2028, 2, 28, 9, tzinfo=BERLIN).astimezone(UTC)
    daily = Appointment(1, "x", start, NOW, 60, None, Recurrence(1440, 3))
    begin, end = (local_midnight(date(2028, month, 1), BERLIN) for month in (2, 4))
    days = [each.start.day for each in occurrences_between([daily], begin, end, BERLIN)]
    assert days == [28, 29, 1]


def test_r3_10_what_begins_again_before_it_is_over_overlaps_itself() -> None:
    assert overlaps_itself(appointment(duration=61, interval=60))
    assert not overlaps_itself(appointment(duration=60, interval=60))
    assert not overlaps_itself(appointment(duration=600))


SMALL = st.builds(
    lambda start, duration, interval, times: appointment(
        start=start, duration=min(duration, interval or duration), interval=interval, times=times
    ),
    st.integers(0, 60),
    st.integers(1, 12),
    st.integers(0, 24),
    st.sampled_from([WITHOUT_END, 2, 3, 7]),
)


def minutes(each: Appointment) -> list[tuple[int, int]]:
    """Return when it begins and ends each time, for longer than the pattern of two takes."""
    start = (each.start - NOW) // MINUTE
    step = (each.recurrence or Recurrence(1)).interval
    count = 700 // step if each.times == WITHOUT_END else each.times
    return [(start + n * step, start + n * step + each.duration) for n in range(count)]


@given(SMALL, SMALL)
@example(appointment(interval=6, duration=1), appointment(start=3, interval=4, duration=1))
@example(appointment(interval=7, duration=1), appointment(start=50, interval=7, duration=1))
def test_r3_10_an_overlap_is_found_exactly_if_there_is_one(
    one: Appointment, two: Appointment
) -> None:
    other = Appointment(2, "two", two.start, NOW, two.duration, None, two.recurrence)
    expected = [
        begin
        for begin, end in minutes(one)
        if any(begin < its_end and its_begin < end for its_begin, its_end in minutes(other))
    ]
    found = find_overlap(one, [one, other], UTC)
    assert (found is not None) == bool(expected)
    if found is not None:
        own, its = found
        assert (own.appointment, its.appointment) == (one, other)
        assert own.start == NOW + expected[0] * MINUTE, "the first one"
        assert own.start < its.end
        assert its.start < own.end
        assert ((its.start - NOW) // MINUTE, (its.end - NOW) // MINUTE) in minutes(other)


def test_r3_10_an_overlap_of_huge_numbers_is_found_at_once() -> None:
    one = appointment(duration=1, interval=527_039)
    other = Appointment(2, "y", NOW + MINUTE, NOW, 1, None, Recurrence(527_040, 1_000_000))
    assert find_overlap(one, [other], UTC) is None, "the first is in half a million years"
    minutely = appointment(duration=1, interval=2)
    assert find_overlap(minutely, [other], UTC) is None, "one at even minutes, one at odd ones"
    odd = Appointment(2, "y", NOW + MINUTE, NOW, 1, None, Recurrence(527_039, 1_000_000))
    found = find_overlap(minutely, [odd], UTC)
    assert found is not None
    assert found[1].number == 1


def test_r3_10_an_overlap_counts_by_the_clock_on_the_wall() -> None:
    daily = Appointment(1, "x", BEFORE_SUMMER, NOW, 60, None, Recurrence(1440))
    summer = datetime(2026, 7, 1, 9, tzinfo=BERLIN).astimezone(UTC)
    for hours, overlaps in ((-1, False), (0, True), (1, False)):
        at = summer + timedelta(hours=hours)
        found = find_overlap(Appointment(2, "y", at, NOW), [daily], BERLIN)
        assert (found is not None) == overlaps


@pytest.mark.parametrize(
    ("day", "start", "duration", "other_start", "overlaps"),
    [
        ("2027-03-28", "01:30", 60, "03:00", True),  # until 03:30: there is no 02:30
        ("2027-03-28", "01:30", 30, "03:00", False),
        ("2027-10-31", "02:00", 120, "03:00", False),  # the hour from 02:00 comes twice
        ("2027-10-31", "02:00", 121, "03:00", True),
    ],
)
def test_r3_10_an_overlap_on_the_day_of_a_clock_change_counts_by_real_minutes(
    day: str, start: str, duration: int, other_start: str, *, overlaps: bool
) -> None:
    at, other_at = (
        datetime.fromisoformat(f"{day} {each}").replace(tzinfo=BERLIN).astimezone(UTC)
        for each in (start, other_start)
    )
    one, other = Appointment(1, "x", at, NOW, duration), Appointment(2, "y", other_at, NOW)
    recurs = Recurrence(1440, 400)
    began = datetime(2027, 1, 1, other_at.astimezone(BERLIN).hour, tzinfo=BERLIN).astimezone(UTC)
    daily = Appointment(2, "y", began, NOW, 60, None, recurs)
    for each in (other, daily):
        for pair in (find_overlap(one, [each], BERLIN), find_overlap(each, [one], BERLIN)):
            assert (pair is not None) == overlaps
