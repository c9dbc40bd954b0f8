"""U2: the condition of a plan, its status in a word for people."""

from outlast.model import commands as c
from outlast.model.model import ProcessState
from tests.model.timed_plan import TimedPlan


def ended(process: str) -> ProcessState:
    assert process == "here_1_2"
    return "ended"


def condition(plan: TimedPlan) -> str:
    return plan.state.condition(plan.now)


def test_u2_a_plan_is_interrupted_when_its_run_has_left_the_lease() -> None:
    plan = TimedPlan()
    assert condition(plan) == "idle"
    plan.do(c.ClaimPlan("agent", 60))
    assert condition(plan) == "idle"
    plan.do(c.Start("agent", 1))
    assert condition(plan) == "running"
    plan.wait(61)
    assert condition(plan) == "interrupted"
    plan.do(c.Pause())
    assert condition(plan) == "paused"


def test_u2_a_plan_is_interrupted_at_once_when_the_process_of_its_run_has_ended() -> None:
    plan = TimedPlan()
    plan.do(c.ClaimPlan("agent", 60, "here_1_2"))
    plan.do(c.Start("agent/1", 1))
    assert condition(plan) == "running"
    assert plan.state.condition(plan.now, ended) == "interrupted"


def test_u2_a_plan_whose_lanes_worked_on_tasks_is_interrupted_too() -> None:
    plan = TimedPlan()
    plan.do(c.ClaimPlan("agent", 60))
    plan.do(c.Start("agent/1", 1))
    plan.wait(61)
    assert condition(plan) == "interrupted"


def test_u2_a_plan_is_not_interrupted_once_somebody_else_works_on_it() -> None:
    plan = TimedPlan()
    plan.do(c.ClaimPlan("agent", 60))
    plan.wait(61)
    assert condition(plan) == "interrupted"
    plan.do(c.Start("ada", 1))
    assert condition(plan) == "running"
    plan.do(c.Start("agent", 2))
    assert condition(plan) == "interrupted"


def test_u2_a_plan_needs_approval_until_it_has_ended() -> None:
    plan = TimedPlan(tasks=1)
    plan.do(c.RequireApproval())
    assert condition(plan) == "needs_approval"
    plan.do(c.Pause())
    assert condition(plan) == "needs_approval"
    plan.do(c.Abort())
    assert (condition(plan), plan.state.status) == ("aborted", "failed")
    ended = TimedPlan(tasks=1)
    ended.do(c.RequireApproval())
    ended.do(c.Skip(1))
    assert condition(ended) == "completed"
