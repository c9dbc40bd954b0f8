"""The view of a plan that loops are given."""

from typing import get_args

from outlast.context.plan_view import PlanView
from outlast.model.model import PlanStatus


def test_m2_a_plan_has_ended_once_it_is_completed_or_failed() -> None:
    ended = {
        status for status in get_args(PlanStatus) if PlanView("", status, 1, 0, 0, 0).has_ended
    }
    assert ended == {"completed", "failed"}
