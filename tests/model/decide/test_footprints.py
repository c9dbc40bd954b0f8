"""R1.13: what the work on a task left in the workspace, over all of its attempts."""

from typing import Any

import pytest

from outlast.model import commands as c
from outlast.model.model import FILES_KEPT, Footprint
from tests.model.timed_plan import TimedPlan

FIRST, SECOND, THIRD = ("1" * 40, "2" * 40, "3" * 40)


@pytest.fixture
def plan() -> TimedPlan:
    plan = TimedPlan(1)
    plan.do(c.Start("ann", 1))
    return plan


def footprint(plan: TimedPlan) -> Footprint:
    return plan.state.ledger.footprints[1]


def test_r1_13_the_attempts_of_a_task_leave_one_footprint(plan: TimedPlan) -> None:
    plan.do(c.NoteFootprint("1#1", FIRST, SECOND, ("a", "b"), 2, shared=True))
    plan.do(c.NoteFootprint("1#2", SECOND, THIRD, ("b", "c"), 2))
    whole = footprint(plan)
    assert (whole.attempt, whole.before, whole.after) == ("1#2", FIRST, THIRD)
    assert (whole.outside, whole.count, whole.shared) == (("a", "b", "c"), 3, True)


def test_r1_13_only_the_first_files_are_kept_and_all_are_counted(plan: TimedPlan) -> None:
    many = tuple(f"f{number:02}" for number in range(FILES_KEPT + 5))
    plan.do(c.NoteFootprint("1#1", outside=many))
    assert (footprint(plan).outside, footprint(plan).count) == (many[:FILES_KEPT], len(many))
    plan.do(c.NoteFootprint("1#2", outside=("last",), count=300))
    assert (footprint(plan).outside, footprint(plan).count) == (many[:FILES_KEPT], 300)


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempt": "0#1"},
        {"attempt": "x"},
        {"before": "1" * 65},
        {"after": 1},
        {"outside": ["a"]},
        {"outside": ("two\nlines",)},
        {"outside": ("",)},
        {"count": -1},
        {"count": "1"},
        {"shared": 1},
    ],
    ids=str,
)
def test_m9_a_wrong_footprint_is_refused(plan: TimedPlan, wrong: dict[str, Any]) -> None:
    plan.refused("INVALID_ARGUMENT", c.NoteFootprint(**{"attempt": "1#1", **wrong}))


def test_r1_13_a_task_that_is_gone_has_no_footprint(plan: TimedPlan) -> None:
    plan.refused("TASK_NOT_FOUND", c.NoteFootprint("9#1", outside=("a",)))
