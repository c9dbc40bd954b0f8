"""X6, F4: the plan itself has one runner at a time, and a fence keeps out the one before it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from outlast.model import changes
from outlast.model import commands as c
from outlast.model.model import Lease, ProcessState
from outlast.store.journal import digest
from tests.model.timed_plan import TimedPlan


def run(plan: TimedPlan, actor: str = "ann", seconds: int = 60) -> Lease:
    plan.do(c.ClaimPlan(actor, seconds))
    return plan.state.ledger.leases[0]


def test_x6_a_runner_holds_the_plan_and_no_task() -> None:
    plan = TimedPlan()
    assert run(plan) == Lease(0, "ann", 1, plan.now + timedelta(seconds=60))
    assert plan.state.status == "idle"
    assert plan.claim("bob").token == 2
    plan.do(c.Complete(2, "cy"))


@pytest.mark.parametrize("actor", ["ann", "bob"])
def test_x6_a_second_runner_is_refused_even_under_the_same_name(actor: str) -> None:
    plan = TimedPlan()
    run(plan)
    plan.wait(59)
    details = plan.refused("TASK_CLAIMED", c.ClaimPlan(actor, 60))
    assert (details["text"], details["task_id"], details["holder"]) == ("plan_claimed", 0, "ann")


def test_x6_a_runner_that_fell_silent_is_followed_under_a_new_token() -> None:
    plan = TimedPlan()
    late = run(plan)
    plan.wait(60)
    assert run(plan, "bob").token == late.token + 1
    for command in (c.Renew(0, late.token, 60), c.Release(0, late.token), c.Fence(late.token)):
        details = plan.refused("CLAIM_LOST", command)
        assert (details["text"], details["task_id"]) == ("plan_claim_lost", 0)


def test_x3_the_lease_of_a_process_that_has_ended_is_taken_over_at_once() -> None:
    plan = TimedPlan()
    plan.do(c.ClaimPlan("ann", 60, "here_1_2"))
    dead = plan.state.ledger.leases[0]
    assert dead == Lease(0, "ann", 1, plan.now + timedelta(seconds=60), "here_1_2")
    assert not dead.is_live(plan.now, lambda _: "ended")
    for other in (0, dead.token + 1):
        plan.refused("TASK_CLAIMED", c.ClaimPlan("bob", 60, "here_3_4", ended=other))
    plan.do(c.ClaimPlan("bob", 60, "here_3_4", ended=dead.token))
    assert plan.state.ledger.leases[0].process == "here_3_4"
    plan.refused("CLAIM_LOST", c.Renew(0, dead.token, 60))
    plan.refused("TASK_CLAIMED", c.ClaimPlan("cy", 60, ended=dead.token))


@pytest.mark.parametrize("jump", [-3_600, 0, 30, 61, 120, 3_600, 86_400, 10**8])
def test_f37_the_lease_of_a_process_that_runs_holds_whatever_the_clock_says(jump: int) -> None:
    plan = TimedPlan()
    plan.do(c.ClaimPlan("ann", 60, "here_12_2"))
    held = plan.state.ledger.leases[0]
    plan.wait(jump)
    assert held.is_live(plan.now, lambda _: "running")
    details = plan.refused("TASK_CLAIMED", c.ClaimPlan("bob", 60, "here_3_4", running=held.token))
    assert details["text"] == "plan_claimed_here"
    assert (details["holder"], details["process"]) == ("ann", 12)
    plan.do(c.Renew(0, held.token, 60))
    assert plan.state.ledger.leases[0].token == held.token


@pytest.mark.parametrize("state", ["stopped", "unknown"])
def test_f37_of_a_process_that_is_stopped_or_elsewhere_the_time_decides(
    state: ProcessState,
) -> None:
    plan = TimedPlan()
    plan.do(c.ClaimPlan("ann", 60, "here_12_2"))
    held = plan.state.ledger.leases[0]
    assert held.is_live(plan.now, lambda _: state)
    plan.refused("TASK_CLAIMED", c.ClaimPlan("bob", 60, "here_3_4"))
    plan.wait(60)
    assert not held.is_live(plan.now, lambda _: state)
    plan.do(c.ClaimPlan("bob", 60, "here_3_4", running=held.token + 1))


@pytest.mark.parametrize("ahead", [30, 120, 3_600, 86_400])
def test_f37_a_claim_made_while_the_clock_was_ahead_holds_when_it_is_put_right(ahead: int) -> None:
    plan = TimedPlan()
    plan.wait(ahead)
    lease = plan.claim("ann", 1, seconds=60)
    plan.wait(-ahead)
    plan.refused("TASK_CLAIMED", c.Claim("bob", 1, 60))
    plan.do(c.Renew(1, lease.token, 60))
    plan.wait(60)
    assert plan.claim("bob", 1).token == lease.token + 1, "it ends in time once it is renewed"


def test_f37_a_deadline_years_ahead_is_that_of_a_wrong_clock() -> None:
    plan = TimedPlan()
    plan.wait(10**8)
    lease = plan.claim("ann", 1, seconds=60)
    plan.wait(-(10**8))
    assert plan.claim("bob", 1).token == lease.token + 1


@pytest.mark.parametrize(
    ("process", "number"), [("here_12_2", 12), ("", 0), ("odd", 0), ("a_b", 0)]
)
def test_f37_the_number_of_a_process_is_shown(process: str, number: int) -> None:
    assert Lease(0, "ann", 1, TimedPlan().now, process).process_number == number


def test_x3_a_renewed_lease_keeps_its_process() -> None:
    plan = TimedPlan()
    plan.do(c.ClaimPlan("ann", 60, "here_1_2"))
    plan.wait(30)
    plan.do(c.Renew(0, 1, 60))
    assert plan.state.ledger.leases[0].process == "here_1_2"


@pytest.mark.parametrize("command", [c.Pause(), c.Abort(), c.Reset()])
def test_x6_a_plan_can_be_held_whatever_its_status(command: c.Command) -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    lease = run(plan)
    plan.do(command)
    assert plan.state.ledger.leases == {0: lease}
    plan.do(c.Release(0, lease.token))
    run(plan)


def test_x6_the_runner_renews_and_releases() -> None:
    plan = TimedPlan()
    lease = run(plan)
    plan.wait(30)
    until = plan.now + timedelta(seconds=60)
    assert plan.do(c.Renew(0, lease.token, 60)).changes == (changes.LeaseRenewed(0, until),)
    assert plan.do(c.Release(0, lease.token)).changes == (changes.LeaseEnded(0),)
    assert plan.state.ledger.leases == {}
    plan.refused("CLAIM_LOST", c.Release(0, lease.token))


@pytest.mark.parametrize("seconds", [0, 86_401, True, None])
def test_x6_a_plan_is_held_for_a_second_to_a_day(seconds: Any) -> None:
    TimedPlan().refused("INVALID_ARGUMENT", c.ClaimPlan("ann", seconds))
    TimedPlan().refused("INVALID_ARGUMENT", c.ClaimPlan(" ", 60))


def test_x6_a_plan_whose_runner_fell_silent_is_no_task_to_claim() -> None:
    plan = TimedPlan(1)
    run(plan)
    plan.claim("bob", seconds=60)
    plan.wait(100)
    assert plan.claim("cy").task == 1
    plan.refused("TASK_NOT_FOUND", c.Claim("cy", 0, 60))


def test_x6_the_runner_stays_when_a_new_plan_follows() -> None:
    plan = TimedPlan(1)
    lease = run(plan)
    task = plan.claim("bob")
    plan.do(c.Abort())
    plan.do(c.Fence(lease.token), c.InitializePlan("plan_b", "Next", (c.NewTask("one"),)))
    assert plan.state.id == "plan_b"
    assert plan.state.ledger.leases == {0: lease}
    assert plan.state.ledger.last_token == task.token


# The fence


def test_f4_a_fence_changes_nothing_and_lets_the_runner_through() -> None:
    plan = TimedPlan()
    lease = run(plan)
    assert plan.do(c.Fence(lease.token)).changes == ()
    plan.wait(10**6)
    plan.do(c.Fence(lease.token), c.Start("ann", 1), c.SetProgress(1, 1, 2))
    assert plan.status(1) == "in_progress"
    plan.refused("TASK_NOT_FOUND", c.Fence(lease.token), c.Skip(2), c.Skip(9))
    undo = c.Undo(1, plan.state.revision, ())
    assert plan.do(c.Fence(lease.token), undo).changes == (changes.Undone(1),)


def test_f4_the_fence_of_a_late_runner_refuses_its_commit() -> None:
    plan = TimedPlan()
    late = run(plan, seconds=1)
    plan.wait(1)
    run(plan, "bob")
    plan.refused("CLAIM_LOST", c.Fence(late.token), c.Start("ann", 1))
    plan.refused("CLAIM_LOST", c.Start("ann", 1), c.Fence(late.token), c.Skip(2))


def test_f4_a_fence_may_stand_for_a_task() -> None:
    plan = TimedPlan()
    runner, lease = run(plan), plan.claim("bob", 2)
    plan.do(c.Fence(lease.token, "step_2"), c.Skip(3))
    plan.refused("CLAIM_LOST", c.Fence(runner.token, 2), c.Skip(1))
    plan.refused("CLAIM_LOST", c.Fence(runner.token, 1))
    plan.refused("TASK_NOT_FOUND", c.Fence(runner.token, 9))


@pytest.mark.parametrize("token", [0, True, 1.0, None, "1"])
def test_x6_a_fence_needs_a_token(token: Any) -> None:
    plan = TimedPlan()
    run(plan)
    plan.refused("INVALID_ARGUMENT", c.Fence(token))
    task: Any = 1.5
    plan.refused("INVALID_ARGUMENT", c.Fence(1, task))


def test_f4_who_takes_over_asks_for_the_same_under_another_token() -> None:
    assert digest((c.Fence(1), c.Skip(1))) == digest((c.Fence(2), c.Skip(1))) == digest([c.Skip(1)])
    assert digest((c.Fence(1),)) == digest(())
    assert digest((c.Fence(1), c.Skip(2))) != digest((c.Fence(1), c.Skip(1)))


# Attempts of the runner


def test_x3_the_runner_makes_attempts_for_the_plan_and_for_unclaimed_tasks() -> None:
    plan = TimedPlan()
    lease = run(plan)
    plan.do(c.Start("ann", 1))
    for task in (None, 1):
        plan.do(c.BeginAttempt(task, "act", "look", token=lease.token))
    assert {attempt.token for attempt in plan.state.ledger.attempts.values()} == {lease.token}
    plan.do(c.EndAttempt("0#1", "done", token=lease.token))
    plan.do(c.EndAttempt("1#2", "done", token=lease.token))
    plan.claim("bob", 2)
    plan.refused("TASK_CLAIMED", c.BeginAttempt(2, "act", "look", token=lease.token))


@pytest.mark.parametrize("task", [None, 1])
def test_x3_no_other_actor_ends_an_attempt_while_the_runner_lives(task: int | None) -> None:
    plan = TimedPlan()
    lease = run(plan)
    plan.do(c.Start("ann", 1))
    plan.do(c.BeginAttempt(task, "act", "look", token=lease.token))
    attempt = f"{task or 0}#1"
    details = plan.refused("TASK_CLAIMED", c.EndAttempt(attempt, "lost", "person"))
    assert details["text"] == "plan_claimed"
    plan.wait(60)
    plan.do(c.EndAttempt(attempt, "lost", "person"))


@pytest.mark.parametrize("task", [None, 1])
def test_f4_the_next_runner_settles_and_the_late_one_is_refused(task: int | None) -> None:
    plan = TimedPlan()
    late = run(plan)
    plan.do(c.Start("ann", 1))
    plan.do(c.BeginAttempt(task, "act", "look", token=late.token))
    plan.wait(60)
    lease = run(plan)
    attempt = f"{task or 0}#1"
    plan.refused("CLAIM_LOST", c.EndAttempt(attempt, "done", token=late.token))
    plan.do(c.EndAttempt(attempt, "lost", "tool", token=lease.token))
    plan.refused("CLAIM_LOST", c.BeginAttempt(task, "act", "look", token=late.token))


def test_x3_attempts_that_others_began_can_be_settled_while_a_runner_lives() -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    plan.do(c.BeginAttempt(1, "act", "look"))
    run(plan)
    plan.do(c.EndAttempt("1#1", "lost", "person"))


# What was done for a task since it was begun


def done(plan: TimedPlan) -> dict[int, list[str]]:
    return {task: [x.what for x in noted] for task, noted in plan.state.ledger.done.items()}


def tried(
    plan: TimedPlan, what: str, outcome: Any = "done", kind: str = "act", task: Any = 1
) -> None:
    plan.do(c.BeginAttempt(task, kind, what))
    plan.do(c.EndAttempt(f"{task or 0}#{plan.state.ledger.attempts_begun}", outcome, "key"))


def test_x3_the_last_five_things_done_for_a_task_are_known() -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    for what in "abcdef":
        tried(plan, what)
    tried(plan, "x" * 300)
    assert done(plan) == {1: ["c", "d", "e", "f", "x" * 200]}
    assert plan.state.ledger.done[1][0].id == "1#3"
    assert plan.state.ledger.done[1][0].settled_by == "key"
    tried(plan, "d")  # done again: known once, as the last
    assert done(plan) == {1: ["c", "e", "f", "x" * 200, "d"]}


def test_x3_only_what_was_done_for_a_task_in_progress_is_known() -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    tried(plan, "failed", "failed")
    tried(plan, "lost", "lost")
    tried(plan, "3 messages", kind="think")
    tried(plan, "plan", task=None)
    plan.do(c.BeginAttempt(1, "act", "complete"))
    plan.do(c.Complete(1, "ann"))
    plan.do(c.EndAttempt("1#5", "done"))
    plan.do(c.Start("ann", 2))
    plan.do(c.BeginAttempt(2, "act", "gone"))
    plan.do(c.Return(2))
    plan.do(c.RemoveTask(2))
    plan.do(c.EndAttempt("2#6", "done"))
    assert done(plan) == {}


@pytest.mark.parametrize(
    "command", [c.Complete(1, "ann"), c.Fail(1, "ann", "x"), c.Skip(1), c.Return(1), c.Reset()]
)
def test_x3_it_is_forgotten_with_the_work_on_the_task(command: c.Command) -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    plan.do(c.Start("bob", 2))
    tried(plan, "one")
    tried(plan, "two", task=2)
    plan.refused("TASK_NOT_FOUND", c.Skip(1), c.Skip(9))
    assert done(plan) == {1: ["one"], 2: ["two"]}
    plan.do(command)
    assert done(plan) == ({} if isinstance(command, c.Reset) else {2: ["two"]})
