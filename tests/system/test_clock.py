"""F11: the clock is handed in and can be moved."""

from datetime import UTC, timedelta

from outlast.system.clock import new_plan_id, now
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
