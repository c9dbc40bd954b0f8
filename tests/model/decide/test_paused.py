"""R2.08: while a plan is paused, a person may finish and reopen tasks, and agents may not."""

import pytest

from outlast.model import commands as c
from outlast.model.model import PERSON, UNATTRIBUTED
from tests.model.timed_plan import TimedPlan


def paused() -> TimedPlan:
    plan = TimedPlan(3)
    plan.do(c.Start("agent", 1))
    plan.do(c.Complete(2, "agent", "done", "assumed"))
    plan.do(c.Pause())
    return plan


def test_r2_08_a_person_finishes_and_reopens_tasks_of_a_paused_plan() -> None:
    plan = paused()
    plan.do(c.Complete(1, PERSON, "seen"))
    plan.do(c.Complete(2, PERSON))
    assert [plan.status(task) for task in (1, 2)] == ["completed", "completed"]
    assert plan.state.tasks[2].how == "reported"
    plan.do(c.Reopen(1))
    assert plan.status(1) == "pending"
    plan.do(c.Complete(3, PERSON))
    assert (plan.status(3), plan.state.status) == ("completed", "paused")
    plan.do(c.Complete(1, PERSON))
    assert plan.state.status == "completed"


@pytest.mark.parametrize("actor", ["agent", UNATTRIBUTED, "Human"])
@pytest.mark.parametrize("task", [1, 2, 3])
def test_r2_08_agents_do_not(actor: str, task: int) -> None:
    paused().refused("PLAN_NOT_ACTIVE", c.Complete(task, actor))


def test_r2_08_nobody_starts_or_fails_a_task_of_a_paused_plan() -> None:
    for actor in ("agent", PERSON):
        paused().refused("PLAN_NOT_ACTIVE", c.Start(actor, 3))
        paused().refused("PLAN_NOT_ACTIVE", c.Fail(3, actor, "no"))


def test_r2_08_an_aborted_plan_stays_as_it_is() -> None:
    plan = TimedPlan(2)
    plan.do(c.Start("agent", 1))
    plan.do(c.Abort())
    plan.refused("PLAN_NOT_ACTIVE", c.Complete(1, PERSON))
