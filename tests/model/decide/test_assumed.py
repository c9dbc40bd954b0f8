"""Completions that were assumed: they end no plan before they are confirmed (M4, M6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.model import commands as c
from outlast.model.changes import CompletionConfirmed, ProofNoted, TaskCompleted, TaskRestored, fold
from outlast.model.history.salvage import salvage
from outlast.model.model import PERSON, Check, Evidence, Proof
from outlast.model.state import PlanState
from tests.model.strategies import BEGINNING
from tests.model.timed_plan import TimedPlan

if TYPE_CHECKING:
    from outlast.model.model import Order

_LOOK = Check("command", "look")


def _assumed_plan(order: Order = "graph") -> TimedPlan:
    """Return a plan of two tasks, both finished, the second by assumption."""
    plan = TimedPlan(2, order)
    plan.do(c.Complete(1, "agent", "first"))
    plan.wait(1)
    plan.do(c.Complete(2, "agent", "looks done", "assumed"))
    return plan


@pytest.mark.parametrize("order", ["graph", "sequential"])
def test_m4_a_plan_whose_last_completion_was_assumed_is_running(order: Order) -> None:
    plan = _assumed_plan(order)
    assert plan.state.status == "running"
    assert plan.state.assumed_end is plan.state.tasks[2]
    assert plan.state.progress.current == 2
    refusal = plan.refused("INVALID_STATUS", c.Start("agent"))
    assert (refusal["text"], refusal["ids"]) == ("nothing_ready_assumed", [2])
    plan.refused("INVALID_STATUS", c.InitializePlan("plan_b", "Next", (c.NewTask("a"),)))


def test_m4_an_assumed_completion_before_the_last_one_does_not_keep_a_plan_running() -> None:
    plan = TimedPlan(2)
    plan.do(c.Complete(1, "agent", how="assumed"))
    assert plan.state.assumed_end is None
    plan.wait(1)
    plan.do(c.Complete(2, "agent"))
    assert (plan.state.status, plan.state.assumed_end) == ("completed", None)


def test_m4_a_skipped_task_does_not_confirm_an_assumed_one() -> None:
    plan = TimedPlan(2)
    plan.do(c.Complete(1, "agent", how="assumed"))
    plan.wait(1)
    plan.do(c.Skip(2))
    assert plan.state.status == "running"
    plan.do(c.Reopen(1), c.Skip(1))
    assert (plan.state.status, plan.state.assumed_end) == ("completed", None)


@pytest.mark.parametrize("result", [None, "tested"])
def test_m6_completing_an_assumed_task_again_confirms_it(result: str | None) -> None:
    plan = _assumed_plan()
    ended = plan.state.tasks[2].ended_at
    plan.wait(1)
    plan.refused("INVALID_STATUS", c.Complete(2, "agent", how="assumed"))
    confirmed = plan.do(c.Complete("step_2", "agent", result))
    assert confirmed.changes == (CompletionConfirmed(2, result),)
    task = plan.state.tasks[2]
    assert (task.how, task.result, task.ended_at) == ("reported", result or "looks done", ended)
    assert plan.state.status == "completed"
    plan.refused("INVALID_STATUS", c.Complete(2, "agent"))
    plan.undo(confirmed)
    assert (plan.state.status, plan.state.tasks[2].result) == ("running", "looks done")


def test_m6_an_earlier_assumed_completion_can_be_confirmed_too() -> None:
    plan = TimedPlan(2)
    plan.do(c.Complete(1, "agent", how="assumed"))
    plan.do(c.Complete(1, PERSON, force=True))
    assert plan.state.tasks[1].how == "reported"
    assert plan.state.status == "running"


def test_m6_a_task_with_checks_is_confirmed_by_their_proof() -> None:
    plan = _assumed_plan()
    plan.do(c.EditTask(2, checks=(_LOOK,), amend=True))
    plan.refused("PROOF_NEEDED", c.Complete(2, "agent"))
    proof = Proof(2, "done", plan.now, (Evidence(_LOOK, ok=True),))
    confirmed = plan.do(c.Complete(2, "agent", proof=proof))
    assert confirmed.changes == (ProofNoted(proof), CompletionConfirmed(2, None, "proved"))
    assert plan.state.status == "completed"


def test_m4_an_assumed_end_can_be_paused_and_is_confirmed_after_the_resume() -> None:
    plan = _assumed_plan()
    plan.do(c.Pause())
    assert plan.state.status == "paused"
    plan.refused("PLAN_NOT_ACTIVE", c.Complete(2, "agent"))
    plan.do(c.Resume(), c.Complete(2, "agent"))
    assert plan.state.status == "completed"


def test_m6_a_task_whose_progress_is_below_its_total_is_never_assumed() -> None:
    plan = TimedPlan(1)
    plan.do(c.SetProgress(1, 2, 5))
    refusal = plan.refused("INVALID_STATUS", c.Complete(1, "agent", how="assumed"))
    assert (refusal["text"], refusal["current"], refusal["total"]) == ("assumed_too_early", 2, 5)
    plan.do(c.SetProgress(1, 5, 5), c.Complete(1, "agent", how="assumed"))
    plan.do(c.Reopen(1), c.SetProgress(1, 2, 5), c.Complete(1, "agent"))
    assert plan.state.status == "completed", "who reports it knows better"


def test_f3_a_confirmation_after_a_gap_fits_only_an_assumed_completion() -> None:
    plan = _assumed_plan()
    confirmed = plan.do(c.Complete(2, "agent"))
    assert salvage(plan.state, confirmed, {}) is None
    plan.undo(confirmed)
    kept = salvage(plan.state, confirmed, {})
    assert kept is not None
    assert plan.state.status == "completed"


def test_f3_a_confirmation_whose_assumption_was_lost_completes_the_task() -> None:
    plan = _assumed_plan()
    confirmed = plan.do(c.Complete(2, "agent", "tested"))
    lost = TimedPlan(2)
    lost.do(c.Complete(1, "agent"))
    kept = salvage(lost.state, confirmed, {})
    assert kept is not None
    assert kept.changes == (TaskCompleted(2, "tested"),)
    assert (lost.state.status, lost.state.tasks[2].result) == ("completed", "tested")


def test_m6_a_task_that_is_listed_again_is_reopened_only_if_it_was_assumed() -> None:
    plan = _assumed_plan()
    plan.do(c.AddTasks((c.NewTask("task 1"),), once=True))
    assert (plan.status(2), len(plan.state.tasks)) == ("pending", 2)
    plan.do(c.AddTasks((c.NewTask("task 0"),), once=True))
    assert [task.name for task in plan.state.tasks_in_order()] == ["task 0", "task 1", "task 0"]


def test_m4_asking_for_the_last_completion_changes_no_later_answer() -> None:
    plan = TimedPlan(2)
    plan.do(c.Complete(2, "agent", how="assumed"))
    plan.wait(1)
    reopened = plan.do(c.Reopen(2))
    plan.do(c.Complete(1, "agent"))
    plan.wait(1)
    completed = plan.do(c.Complete(2, "agent"))
    removed = plan.do(c.RemoveTask(2, amend=True))
    for commit in (removed, completed, reopened):
        plan.undo(commit)
    answers = set()
    for asked in range(len(plan.commits)):
        state = PlanState(BEGINNING)
        for number, commit in enumerate(plan.commits):
            fold(state, commit.changes, commit.revision, commit.at)
            if number == asked:
                state.last_completed()
        answers.add((state.last_completed(), state.status))
    assert answers == {(1, "completed")}


def test_m4_the_last_completion_is_another_one_once_its_time_is_an_earlier_one() -> None:
    plan = TimedPlan(2)
    plan.do(c.Complete(1, "agent"))
    plan.wait(1)
    plan.do(c.Complete(2, "agent"))
    state, earlier = plan.state, plan.wait(-9)
    assert state.last_completed() == 2
    TaskRestored(2, "completed", how="assumed", ended_at=earlier).apply(state, plan.now)
    assert (state.last_completed(), state.status) == (1, "completed")
