"""The axis of the timeline: moments become places; long idle times are cut out."""

from datetime import UTC, datetime, timedelta

import pytest

from outlast.orchestrator.report.timeline import TimeAxis

BEGIN = datetime(2026, 3, 1, 22, 0, 5, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def test_r1_the_axis_is_in_proportion() -> None:
    axis = TimeAxis([(at(0), at(60)), (at(40), at(100))], 200, 50)
    places = [axis.place(at(seconds)) for seconds in (-5, 0, 50, 100, 500)]
    assert places == [0, 0, 100, 200, 200]
    assert axis.pauses() == []


def test_r1_a_night_without_work_is_cut_out() -> None:
    axis = TimeAxis([(at(0), at(100)), (at(30_000), at(30_100))], 250, 50)
    assert [axis.place(at(seconds)) for seconds in (0, 100, 200, 30_000, 30_100)] == [
        *(0, 100, 150, 150, 250)
    ]
    assert axis.pauses() == [(125, 29_900)]


def test_r1_a_short_pause_stays() -> None:
    axis = TimeAxis([(at(0), at(100)), (at(110), at(200))], 200, 50)
    assert axis.place(at(100)) == pytest.approx(100)


def test_r1_work_of_no_time_has_a_place() -> None:
    axis = TimeAxis([(at(0), at(0))], 100, 50)
    assert axis.place(at(0)) == 0
    assert axis.ticks() == [at(0)]


@pytest.mark.parametrize(("seconds", "count"), [(4, 5), (100, 3), (3_600, 6), (900_000, 5)])
def test_r1_ticks_are_round_moments(seconds: float, count: int) -> None:
    ticks = TimeAxis([(at(0), at(seconds))], 100, 50).ticks()
    assert len(ticks) == count
    assert all(at(0) <= tick <= at(seconds) for tick in ticks)
