"""U3: what a plan remembers of its last run, and that a person has to approve a dry run."""

import pytest

from outlast.model import changes
from outlast.model import commands as c
from outlast.model.history.rebuild import commits_from_snapshot
from outlast.model.model import PERSON, UNATTRIBUTED, LastRun
from outlast.model.state import PlanState
from outlast.store import snapshot
from tests.model.indexes import encode_all
from tests.model.timed_plan import TimedPlan

RUN = LastRun("ollama:qwen", "bot", "zh", 50)


def unapproved() -> TimedPlan:
    plan = TimedPlan(2)
    plan.do(c.RequireApproval())
    return plan


def test_u3_a_plan_remembers_its_last_run_and_records_only_what_is_new() -> None:
    plan = TimedPlan()
    assert plan.state.last_run is None
    assert plan.do(c.RememberRun(RUN)).changes == (changes.RunRemembered(RUN),)
    assert plan.do(c.RememberRun(RUN)).changes == ()
    nameless = LastRun("", "bot", "en", 1, "shell", 2)
    plan.do(c.RememberRun(nameless))
    assert plan.state.last_run == nameless


@pytest.mark.parametrize(
    "run",
    [
        LastRun("m" * 1001, "bot", "en", 1),
        LastRun("two\nlines", "bot", "en", 1),
        LastRun("m", "", "en", 1),
        LastRun("m", "bot", "", 1),
        LastRun("m", "bot", "en", 0),
        LastRun("m", "bot", "en", 1, "two\nlines"),
        LastRun("m", "bot", "en", 1, "shell", 0),
        LastRun("m", "bot", "en", 1, "shell", 1, "yes"),  # type: ignore[arg-type]
        LastRun("m", "bot", "en", 1, loop=""),
        "ollama:qwen",
    ],
)
def test_u3_what_no_run_could_have_is_not_remembered(run: LastRun) -> None:
    TimedPlan().refused("INVALID_ARGUMENT", c.RememberRun(run))


def test_u3_an_undo_leaves_the_last_run_alone_and_a_next_plan_needs_approval_too() -> None:
    plan = TimedPlan()
    added = plan.do(c.AddTasks((c.NewTask("more"),)))
    plan.do(c.RememberRun(RUN), c.RequireApproval())
    plan.undo(added)
    assert (plan.state.last_run, plan.state.needs_approval) == (RUN, True)
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_next", "Another goal", ()))
    assert (plan.state.last_run, plan.state.needs_approval) == (None, True)
    plan.do(c.ApprovePlan(PERSON), c.Abort())
    plan.do(c.InitializePlan("plan_last", "A third goal", ()))
    assert not plan.state.needs_approval


def test_u3_a_refused_commit_remembers_and_requires_nothing() -> None:
    plan = TimedPlan()
    plan.refused("TASK_NOT_FOUND", c.RememberRun(RUN), c.RequireApproval(), c.Skip(9))
    assert (plan.state.last_run, plan.state.needs_approval) == (None, False)


def test_u3_agents_only_plan_until_a_person_approves() -> None:
    for command in (
        c.Start("bot"),
        c.Start("bot", 1),
        c.Claim("bot", 1, 60),
        c.Complete(1, "bot"),
        c.Complete(1, UNATTRIBUTED),
        c.Fail(1, "bot", "no"),
    ):
        details = unapproved().refused("PLAN_NOT_ACTIVE", command)
        assert details["reason"] == "approval"
    plan = unapproved()
    plan.do(c.AddTasks((c.NewTask("more"),)))
    plan.do(c.Skip(2))
    assert plan.do(c.RequireApproval()).changes == ()
    approved = plan.do(c.ApprovePlan(PERSON))
    assert approved.changes == (changes.PlanApproved(PERSON),)
    assert plan.do(c.ApprovePlan(PERSON)).changes == ()
    plan.do(c.Start("bot"))
    assert plan.status(1) == "in_progress"


def test_u3_a_person_works_on_an_unapproved_plan_by_hand() -> None:
    plan = unapproved()
    plan.do(c.Start(PERSON, 1))
    plan.do(c.Complete(1, PERSON))
    plan.do(c.Fail(2, PERSON, "no", retry=False))
    assert [plan.status(task) for task in (1, 2)] == ["completed", "failed"]


@pytest.mark.parametrize("actor", ["bot", "Human", UNATTRIBUTED])
def test_u3_only_a_person_approves(actor: str) -> None:
    plan = unapproved()
    plan.refused("INVALID_ARGUMENT", c.ApprovePlan(actor))
    assert plan.state.needs_approval


def test_u3_a_plan_can_need_approval_from_its_first_commit_on() -> None:
    plan = TimedPlan()
    plan.state, plan.commits = PlanState(plan.now), []
    plan.do(c.CreatePlan("plan_dry", "Goal", needs_approval=True))
    assert plan.state.needs_approval
    plan.state = PlanState(plan.now)
    plan.refused("INVALID_ARGUMENT", c.CreatePlan("plan_x", "Goal", needs_approval=1))  # type: ignore[arg-type]


def test_u3_snapshot_and_repair_keep_both() -> None:
    plan = unapproved()
    plan.do(c.RememberRun(RUN))
    stored = snapshot.read(snapshot.write(plan.state, 0, "", {}))
    assert stored is not None
    restored = snapshot.restore(stored)
    assert (restored.last_run, restored.needs_approval) == (RUN, True)
    rebuilt = PlanState(plan.now)
    commits_from_snapshot(rebuilt, plan.state)
    assert (rebuilt.last_run, rebuilt.needs_approval) == (RUN, True)
    assert encode_all(restored) == encode_all(plan.state)
