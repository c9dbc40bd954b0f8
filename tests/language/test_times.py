"""Times as text."""

from datetime import UTC, datetime, timedelta, timezone

from outlast.language.times import write_local


def test_a_local_time_has_its_day_and_its_zone() -> None:
    moment = datetime(2026, 11, 16, 18, 5, 59, tzinfo=timezone(timedelta(hours=-3, minutes=-30)))
    assert write_local(moment) == "2026-11-16 18:05 (Monday), UTC-03:30"
    assert write_local(moment.astimezone(UTC)) == "2026-11-16 21:35 (Monday), UTC+00:00"
