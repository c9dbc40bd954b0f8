"""X2: what a person may change of a task that is in progress or has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from outlast.model import commands as c
from outlast.model.changes import TaskEdited, TaskRemoved
from outlast.model.model import Check
from tests.model.indexes import snapshot
from tests.model.timed_plan import TimedPlan

if TYPE_CHECKING:
    from outlast.model.model import TaskStatus

INTO: dict[TaskStatus, tuple[c.Command, ...]] = {
    "pending": (),
    "in_progress": (c.Start("ann", 1),),
    "completed": (c.Complete(1, "ann"),),
    "failed": (c.Fail(1, "ann", "no", retry=False),),
    "skipped": (c.Skip(1),),
}
RULES: tuple[dict[str, Any], ...] = (
    {"checks": (Check("command", "true"),)},
    {"run": "make"},
    {"files": ("src/**",)},
    {"protect": ("tests/**",)},
)


def plan_with(status: TaskStatus) -> TimedPlan:
    """Return a plan whose first task, which the others need, is in this state."""
    plan = TimedPlan(1)
    plan.do(c.AddTasks((c.NewTask("b", needs=(1,)), c.NewTask("c", peers=(1,)))))
    plan.do(c.EditTask(3, needs=(1, 2)))
    if INTO[status]:
        plan.do(*INTO[status])
    return plan


@pytest.mark.parametrize("status", ["in_progress", "completed", "skipped"])
def test_x2_only_an_amendment_changes_a_task_under_way_or_finished(status: TaskStatus) -> None:
    plan = plan_with(status)
    plan.refused("TASK_NOT_EDITABLE", c.EditTask(1, name="new"))
    plan.do(c.EditTask(1, name="new", reasoning="better", amend=True))
    assert (plan.state.tasks[1].name, plan.status(1)) == ("new", status)
    plan.refused("INVALID_ARGUMENT", c.EditTask(1, name="new", amend="yes"))  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: next(iter(rule)))
@pytest.mark.parametrize("amend", [False, True])
def test_x2_an_attempt_cannot_change_its_own_checks(rule: dict[str, Any], *, amend: bool) -> None:
    plan = plan_with("in_progress")
    plan.do(c.BeginAttempt(1, "delegate", "codex"))
    refusal = plan.refused("TASK_NOT_EDITABLE", c.EditTask(1, name="new", amend=amend, **rule))
    assert refusal["text"] == ("checks_locked" if amend else "task_not_editable")
    plan.do(c.Return(1))
    plan.do(c.EditTask(1, **rule))
    plan.do(c.Start("ann", 1))
    assert plan.do(c.EditTask(1, amend=True, **rule)).changes == ()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: next(iter(rule)))
def test_x2_nobody_changes_the_checks_of_a_task_that_is_claimed(rule: dict[str, Any]) -> None:
    plan = plan_with("pending")
    plan.do(c.Claim("ann", 1, 60))
    plan.refused("TASK_CLAIMED", c.EditTask(1, amend=True, **rule))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: next(iter(rule)))
def test_r1_06_a_person_corrects_the_checks_of_a_task_between_two_attempts(
    rule: dict[str, Any],
) -> None:
    plan = plan_with("in_progress")
    plan.do(c.BeginAttempt(1, "delegate", "codex"))
    plan.do(c.EndAttempt("1#1", "done"))
    assert plan.do(c.EditTask(1, amend=True, **rule)).changes == (TaskEdited(1, **rule),)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: next(iter(rule)))
def test_x2_the_checks_of_a_finished_task_can_be_amended(rule: dict[str, Any]) -> None:
    plan = plan_with("completed")
    assert plan.do(c.EditTask(1, amend=True, **rule)).changes == (TaskEdited(1, **rule),)


@pytest.mark.parametrize("status", ["pending", "completed", "failed", "skipped"])
def test_x2_an_amendment_removes_any_task_that_rests_and_frees_the_others(
    status: TaskStatus,
) -> None:
    plan = plan_with(status)
    plan.refused("INVALID_ARGUMENT", c.RemoveTask(1, amend=1))  # type: ignore[arg-type]
    if status == "pending":
        plan.refused("INVALID_DEPENDENCY", c.RemoveTask(1))
    else:
        plan.refused("TASK_NOT_EDITABLE", c.RemoveTask(1))
    was = snapshot(plan.state)
    commit = plan.do(c.RemoveTask(1, amend=True))
    freed = (TaskEdited(2, needs=()), TaskEdited(3, needs=(2,)))
    assert commit.changes == (*freed, TaskRemoved(1))
    assert plan.state.ready_tasks() == [2]
    plan.undo(commit)
    assert snapshot(plan.state) == was


def test_x2_a_task_in_progress_cannot_be_removed() -> None:
    plan = plan_with("in_progress")
    plan.refused("TASK_NOT_EDITABLE", c.RemoveTask(1, amend=True))
