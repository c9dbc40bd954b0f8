"""F11: the clock is handed in and can be moved."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from outlast.errors import InvalidSetting
from outlast.system.clock import SystemZone, find_zone, new_plan_id, now
from outlast.testing import FixedClock
from tests.making import make_plan


def test_the_real_clock_has_a_zone() -> None:
    assert now().tzinfo is UTC
    assert new_plan_id() != new_plan_id()


def test_f11_a_clock_that_jumps_back_does_not_disturb_the_order() -> None:
    clock = FixedClock()
    plan = make_plan("a", "b", clock=clock)
    start = clock()
    for step in (-3600, 10, -86400):
        clock.advance(step)
        plan.add(f"at {step}")
    assert [task.id for task in plan.tasks()] == [1, 2, 3, 4, 5]
    assert plan.revision == 6
    assert plan.updated_at == start - timedelta(seconds=3600 - 10 + 86400)


@pytest.fixture
def berlin() -> Iterator[SystemZone]:
    """Let the system be in Berlin."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    zone = find_zone()
    assert isinstance(zone, SystemZone)
    yield zone
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def test_r3_10_the_zone_of_the_system_changes_its_clocks_as_it_does(berlin: SystemZone) -> None:
    known = ZoneInfo("Europe/Berlin")
    for month, day in ((1, 15), (3, 29), (7, 1), (10, 25)):
        for quarter in range(96):
            moment = datetime(2026, month, day, tzinfo=UTC) + quarter * timedelta(minutes=15)
            ours, theirs = moment.astimezone(berlin), moment.astimezone(known)
            assert (ours.replace(tzinfo=None), ours.fold) == (
                theirs.replace(tzinfo=None),
                theirs.fold,
            )
            assert (ours.utcoffset(), ours.tzname()) == (theirs.utcoffset(), theirs.tzname())
            assert ours.astimezone(UTC) == moment
    assert berlin.dst(now()) is berlin.utcoffset(None) is berlin.tzname(None) is None


@pytest.mark.parametrize(
    "name", ["Europe/Berln", "../../etc/passwd", "\0", "x" * 999, "/etc", "Europe"]
)
def test_r3_10_a_zone_that_is_not_known_is_refused_with_one_that_is(name: str) -> None:
    with pytest.raises(InvalidSetting, match="unknown time zone") as refused:
        find_zone(name)
    known = refused.value.details["known"]
    assert isinstance(known, list)
    assert all(map(find_zone, known))
    assert find_zone("Europe/Berlin") == ZoneInfo("Europe/Berlin")
