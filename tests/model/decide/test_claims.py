"""X6: a claimed task has one holder, and the token refuses a late one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.errors import Refused
from outlast.model import changes
from outlast.model import commands as c
from outlast.model.model import Lease
from tests.model.timed_plan import TimedPlan


def test_x6_a_claim_begins_the_next_task_and_holds_it() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", seconds=60)
    assert lease == Lease(1, "ann", 1, plan.now + timedelta(seconds=60))
    assert plan.status(1) == "in_progress"
    assert plan.state.tasks[1].actor == "ann"
    assert [type(change) for change in plan.commits[-1].changes] == [
        changes.PlanBegun,
        changes.TaskStarted,
        changes.TaskLeased,
    ]


def test_x6_an_actor_may_hold_several_tasks() -> None:
    plan = TimedPlan()
    assert [plan.claim("ann").task, plan.claim("ann").task] == [1, 2]
    assert [lease.token for lease in plan.state.ledger.leases.values()] == [1, 2]


def test_x6_a_named_task_can_be_claimed_by_any_of_its_names() -> None:
    plan = TimedPlan()
    plan.do(c.Claim("ann", "step_3", 60))
    assert list(plan.state.ledger.leases) == [3]


@pytest.mark.parametrize("actor", ["ann", "bob"])
def test_x6_a_held_task_is_refused_to_everybody_even_under_the_same_name(actor: str) -> None:
    plan = TimedPlan()
    plan.claim("ann", 1, 60)
    details = plan.refused("TASK_CLAIMED", c.Claim(actor, 1, 60))
    assert details["task_id"] == 1
    assert details["holder"] == "ann"
    assert details["until"] == "2024-01-01T00:01:00+00:00"
    assert plan.refused("TASK_CLAIMED", c.Start(actor, 1))["holder"] == "ann"


def test_x6_a_claim_lasts_up_to_its_end_and_not_longer() -> None:
    plan = TimedPlan()
    plan.claim("ann", 1, 60)
    plan.wait(59.999999)
    plan.refused("TASK_CLAIMED", c.Claim("bob", 1, 60))
    plan.wait(0.000001)
    assert plan.claim("bob", 1) == Lease(1, "bob", 2, plan.now + timedelta(seconds=60))


def test_x6_a_claim_that_ran_out_is_taken_over_with_a_new_token() -> None:
    plan = TimedPlan(1)
    plan.claim("ann", seconds=1)
    plan.wait(1)
    lease = plan.claim("bob")
    assert plan.commits[-1].changes == (
        changes.TaskReturned(1),
        changes.TaskStarted(1, "bob"),
        changes.TaskLeased(1, "bob", 2, lease.until),
    )
    assert plan.state.tasks[1].actor == "bob"
    assert plan.state.tasks[1].started_at == plan.now


def test_x6_what_may_run_comes_before_what_has_run_out() -> None:
    plan = TimedPlan(3)
    plan.claim("ann", 2, 1)
    plan.claim("ann", 1, 1)
    plan.wait(5)
    assert [plan.claim("bob").task for _ in range(3)] == [3, 1, 2]
    assert plan.refused("INVALID_STATUS", c.Claim("bob", None, 1))["ids"] == [1, 2, 3]


def test_x6_the_next_in_a_sequence_is_the_one_that_ran_out() -> None:
    plan = TimedPlan(3, "sequential")
    plan.claim("ann", seconds=1)
    assert plan.refused("INVALID_STATUS", c.Claim("bob", None, 1))["reason"] == "waiting"
    assert plan.refused("INVALID_STATUS", c.Claim("bob", 2, 1))["text"] == "task_not_its_turn"
    plan.wait(1)
    assert plan.claim("bob").task == 1


def test_x6_a_task_begun_without_a_claim_never_runs_out() -> None:
    plan = TimedPlan(1)
    plan.do(c.Start("ann", 1))
    plan.wait(10**9)
    assert plan.refused("INVALID_STATUS", c.Claim("bob", 1, 60))["text"] == "task_already"
    assert plan.refused("INVALID_STATUS", c.Claim("ann", None, 60))["reason"] == "waiting"


def test_x6_only_what_may_run_can_be_claimed() -> None:
    plan = TimedPlan(3)
    plan.do(c.EditTask(2, needs=(1,)))
    assert plan.refused("INVALID_STATUS", c.Claim("ann", 2, 60))["text"] == "task_blocked"
    plan.refused("TASK_NOT_FOUND", c.Claim("ann", 9, 60))
    plan.do(c.Complete(1, "ann"))
    assert plan.refused("INVALID_STATUS", c.Claim("ann", 1, 60))["status"] == "completed"
    plan.do(c.Fail(2, "ann", "broke", retry=False))
    assert plan.refused("INVALID_STATUS", c.Claim("ann", 2, 60))["text"] == "task_failed"


def test_x6_nothing_is_claimed_in_a_plan_that_rests_or_is_empty() -> None:
    plan = TimedPlan(1)
    plan.do(c.Pause())
    for task in (None, 1):
        assert plan.refused("PLAN_NOT_ACTIVE", c.Claim("ann", task, 60))["reason"] == "paused"
    assert TimedPlan(0).refused("PLAN_NOT_ACTIVE", c.Claim("ann", None, 60))["reason"] == "empty"


def test_x6_a_failed_or_finished_plan_says_why_there_is_nothing_to_claim() -> None:
    plan = TimedPlan(1)
    plan.do(c.Fail(1, "ann", "broke", retry=False))
    assert plan.refused("INVALID_STATUS", c.Claim("ann", None, 1))["reason"] == "failed"
    plan.do(c.Skip(1))
    assert plan.refused("INVALID_STATUS", c.Claim("ann", None, 1))["reason"] == "all_done"


@pytest.mark.parametrize("seconds", [0, -1, 86_401, 1.5, True, "60", None])
def test_x6_a_claim_lasts_a_second_to_a_day(seconds: Any) -> None:
    plan = TimedPlan()
    plan.refused("INVALID_ARGUMENT", c.Claim("ann", None, seconds))
    lease = plan.claim()
    plan.refused("INVALID_ARGUMENT", c.Renew(1, lease.token, seconds))


@pytest.mark.parametrize("seconds", [1, 86_400])
def test_x6_both_ends_of_how_long_a_claim_may_last(seconds: int) -> None:
    plan = TimedPlan()
    assert plan.claim(seconds=seconds).until == plan.now + timedelta(seconds=seconds)


def test_x6_a_claim_needs_a_name_and_something_that_names_a_task() -> None:
    plan = TimedPlan()
    plan.refused("INVALID_ARGUMENT", c.Claim(" ", None, 60))
    bad: Any = 1.0
    plan.refused("INVALID_ARGUMENT", c.Claim("ann", bad, 60))
    plan.refused("INVALID_ARGUMENT", c.Release(bad, 1))


# Renewing, releasing, giving back


def test_x6_a_claim_is_renewed_from_now_on_longer_or_shorter() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1, 60)
    plan.wait(30)
    for seconds in (60, 5):
        plan.do(c.Renew(1, lease.token, seconds))
        until = plan.now + timedelta(seconds=seconds)
        assert plan.state.ledger.leases[1] == Lease(1, "ann", lease.token, until)
    assert plan.do(c.Renew(1, lease.token, 5)).changes == ()


def test_x6_a_claim_can_be_renewed_in_a_plan_that_rests() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1, 60)
    plan.do(c.Pause())
    assert plan.do(c.Renew(1, lease.token, 90)).changes


def test_x6_a_released_task_is_pending_and_free() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1)
    assert plan.do(c.Release(1, lease.token)).changes == (changes.TaskReturned(1),)
    assert plan.state.ledger.leases == {}
    assert plan.claim("bob", 1).token == 2


def test_r0_12_a_task_that_was_given_back_keeps_what_it_has_come_to() -> None:
    plan = TimedPlan()
    plan.do(c.Fail(1, "ann", "broke"))
    plan.do(c.Start("ann", 1))
    plan.do(c.SetProgress(1, 1, 2))
    before = plan.state.tasks[1]
    plan.do(c.Return(1, "no time"))
    task = plan.state.tasks[1]
    assert (task.status, task.actor, task.started_at) == ("pending", "", None)
    assert (task.error, task.retry_count) == ("broke", 1)
    assert task.progress == before.progress
    assert plan.state.current_task("ann") is None


@pytest.mark.parametrize("hold", [c.Pause(), c.Abort()])
def test_r0_12_a_task_is_given_back_in_a_plan_that_rests_too(hold: c.Command) -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    plan.do(hold)
    plan.do(c.Return(1))
    assert plan.status(1) == "pending"


def test_r0_12_only_a_task_in_progress_can_be_given_back() -> None:
    plan = TimedPlan()
    details = plan.refused("INVALID_STATUS", c.Return(1))
    assert (details["text"], details["status"]) == ("task_not_in_progress", "pending")
    plan.do(c.Complete(1, "ann"))
    assert plan.refused("INVALID_STATUS", c.Return(1))["status"] == "completed"
    plan.refused("TASK_NOT_FOUND", c.Return(9))
    bad: Any = 5
    plan.refused("INVALID_ARGUMENT", c.Return(1, bad))


def test_x6_a_new_plan_has_no_claims_and_gives_no_token_twice() -> None:
    plan = TimedPlan(1)
    late = plan.claim("ann", 1)
    plan.do(c.BeginAttempt(1, "tool", "look", token=late.token))
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_b", "Next", (c.NewTask("one"),)))
    assert plan.state.ledger.leases == plan.state.ledger.attempts == {}
    assert plan.claim("bob", 1).token == 2
    plan.refused("CLAIM_LOST", c.Complete(1, "ann", token=late.token))
    plan.do(c.BeginAttempt(1, "tool", "look", token=2))
    assert list(plan.state.ledger.attempts) == ["1#2"]


def test_x6_a_commit_refused_half_way_leaves_every_claim_as_it_was() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1)
    plan.do(c.BeginAttempt(1, "tool", "look", token=lease.token))
    plan.refused(
        "TASK_NOT_FOUND",
        c.EndAttempt("1#1", "done", token=lease.token),
        c.Renew(1, lease.token, 90),
        c.Complete(1, "ann", token=lease.token),
        c.Claim("bob", 2, 60),
        c.BeginAttempt(None, "tool", "look"),
        c.Skip(9),
    )
    assert plan.claim("bob", 2).token == 2


# The clock


def test_f11_a_clock_that_jumps_back_only_makes_a_claim_last_longer() -> None:
    plan = TimedPlan(1)
    lease = plan.claim("ann", seconds=60)
    plan.wait(-3600)
    plan.refused("TASK_CLAIMED", c.Claim("bob", 1, 60))
    plan.do(c.Renew(1, lease.token, 60))
    plan.wait(60)
    assert plan.claim("bob").token == 2
    plan.wait(-86_400)
    plan.refused("CLAIM_LOST", c.Complete(1, "ann", token=lease.token))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("claim", "renew", "complete", "release", "reopen")),
            st.integers(0, 2),
            st.integers(-200, 200),
        ),
        max_size=40,
    )
)
def test_f11_whatever_the_clock_does_one_holder_at_most_can_finish(
    script: list[tuple[str, int, int]],
) -> None:
    """Three workers, each with the last lease it was given, under a clock that walks about."""
    plan = TimedPlan(2)
    mine: dict[int, Lease] = {}
    given_out: list[int] = []
    for verb, worker, jump in script:
        plan.wait(jump)
        lease = mine.get(worker, Lease(1, "", 10**6, plan.now))
        good = plan.state.ledger.leases.get(lease.task)
        right = good is not None and good.token == lease.token
        try:
            if verb == "claim":
                mine[worker] = plan.claim(f"worker {worker}", None, 50)
                given_out.append(mine[worker].token)
                continue
            plan.do(_said(verb, lease))
        except Refused:
            assert verb in ("claim", "reopen") or not right
        else:
            assert right or verb == "reopen"
    assert given_out == list(range(1, len(given_out) + 1))


def _said(verb: str, lease: Lease) -> c.Command:
    commands: dict[str, c.Command] = {
        "renew": c.Renew(lease.task, lease.token, 50),
        "complete": c.Complete(lease.task, "x", token=lease.token),
        "release": c.Release(lease.task, lease.token),
        "reopen": c.Reopen(lease.task),
    }
    return commands[verb]
