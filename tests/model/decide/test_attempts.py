"""X3: an attempt is recorded before it starts, and its outcome once."""

from __future__ import annotations

from typing import Any

import pytest

from outlast.model import changes
from outlast.model import commands as c
from outlast.model.model import OUTCOMES, SETTLED_BY, Attempt
from tests.model.timed_plan import TimedPlan


def begun(plan: TimedPlan, task: int | None, token: int | None = None) -> str:
    """Begin an attempt; return its id."""
    began = plan.do(c.BeginAttempt(task, "command", "make test", "abc", token)).changes[0]
    assert isinstance(began, changes.AttemptBegan)
    return began.id


def test_x3_an_attempt_is_written_down_before_it_runs() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 2)
    assert begun(plan, 2, lease.token) == "2#1"
    assert plan.state.ledger.attempts == {
        "2#1": Attempt("2#1", 2, "command", "make test", "abc", plan.now, lease.token)
    }


def test_x3_attempts_are_counted_over_the_whole_plan() -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1), c.Start("bob", 2))
    ids = [begun(plan, 1), begun(plan, 2), begun(plan, None), begun(plan, 1)]
    assert ids == ["1#1", "2#2", "0#3", "1#4"]
    for attempt in ids:
        plan.do(c.EndAttempt(attempt, "done"))
    assert plan.state.ledger.attempts == {}
    assert begun(plan, 1) == "1#5"


def test_x3_only_for_a_task_in_progress_or_the_plan_itself() -> None:
    plan = TimedPlan()
    command = c.BeginAttempt(1, "tool", "look")
    assert plan.refused("INVALID_STATUS", command)["text"] == "task_not_in_progress"
    plan.do(c.Skip(1))
    assert plan.refused("INVALID_STATUS", command)["status"] == "skipped"
    plan.refused("TASK_NOT_FOUND", c.BeginAttempt(0, "tool", "look"))
    plan.do(c.Pause())
    assert begun(plan, None) == "0#1"


@pytest.mark.parametrize(
    "command",
    [
        c.BeginAttempt(None, "", "look"),
        c.BeginAttempt(None, "tool", "two\nlines"),
        c.BeginAttempt(None, "tool", "x" * 1001),
        c.BeginAttempt(None, "tool", "look", "x" * 201),
        c.BeginAttempt("", "tool", "look"),
    ],
)
def test_x3_an_attempt_is_described_in_short(command: c.Command) -> None:
    TimedPlan().refused("INVALID_ARGUMENT", command)


def test_x3_the_longest_description_there_may_be() -> None:
    plan = TimedPlan()
    plan.do(c.BeginAttempt(None, "k" * 1000, "w" * 1000, "d" * 200))
    assert list(plan.state.ledger.attempts) == ["0#1"]


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("settled_by", SETTLED_BY)
def test_x3_an_attempt_has_one_outcome(outcome: Any, settled_by: Any) -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    attempt = begun(plan, 1)
    commit = plan.do(c.EndAttempt(attempt, outcome, settled_by, "as seen"))
    assert commit.changes == (changes.AttemptEnded(attempt, outcome, settled_by, "as seen"),)
    for again in OUTCOMES:
        details = plan.refused("INVALID_STATUS", c.EndAttempt(attempt, again))
        assert (details["text"], details["attempt"]) == ("attempt_not_open", attempt)


def test_x3_an_unknown_attempt_cannot_be_ended() -> None:
    plan = TimedPlan()
    assert plan.refused("INVALID_STATUS", c.EndAttempt("1#1", "done"))["attempt"] == "1#1"
    begun(plan, None)
    plan.refused("INVALID_STATUS", c.EndAttempt("00#1", "done"))


@pytest.mark.parametrize(
    "attempt", ["", "1", "#", "1#", "#1", "a#1", "1#2#3", "²#1", "1# 2", 1, None]
)
def test_x3_what_is_no_attempt_is_no_argument(attempt: Any) -> None:
    TimedPlan().refused("INVALID_ARGUMENT", c.EndAttempt(attempt, "done"))


def test_x3_an_id_beyond_all_counting_is_no_argument() -> None:
    TimedPlan().refused("INVALID_ARGUMENT", c.EndAttempt("1#" + "9" * 5000, "done"))


@pytest.mark.parametrize(
    "given", [{"outcome": "perhaps"}, {"settled_by": "nobody"}, {"note": 5}, {"outcome": None}]
)
def test_x3_an_outcome_is_one_of_the_known_words(given: dict[str, Any]) -> None:
    plan = TimedPlan()
    attempt = begun(plan, None)
    plan.refused("INVALID_ARGUMENT", c.EndAttempt(attempt, **{"outcome": "done", **given}))


# Open attempts outlive what happens to their task


@pytest.mark.parametrize(
    "command", [c.Return(1), c.Complete(1, "ann"), c.Skip(1), c.Reset(), c.Fail(1, "ann", "x")]
)
def test_x3_an_open_attempt_waits_to_be_settled_whatever_becomes_of_its_task(
    command: c.Command,
) -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    attempt = begun(plan, 1)
    plan.do(command)
    assert list(plan.state.ledger.attempts) == [attempt]
    plan.do(c.EndAttempt(attempt, "lost", "person"))
    assert plan.state.ledger.attempts == {}


def test_x3_an_attempt_of_a_task_that_is_gone_can_be_settled() -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    attempt = begun(plan, 1)
    plan.do(c.Return(1))
    plan.do(c.RemoveTask(1))
    plan.do(c.EndAttempt(attempt, "lost", "person"))


# Fencing


def test_f4_a_late_writer_cannot_say_how_its_attempt_came_out() -> None:
    plan = TimedPlan()
    late = plan.claim("ann", 1, 1)
    attempt = begun(plan, 1, late.token)
    plan.wait(1)
    lease = plan.claim("bob", 1)
    plan.refused("CLAIM_LOST", c.EndAttempt(attempt, "done", token=late.token))
    plan.refused("TASK_CLAIMED", c.EndAttempt(attempt, "done"))
    plan.do(c.EndAttempt(attempt, "lost", "check", token=lease.token))
    plan.refused("CLAIM_LOST", c.EndAttempt(attempt, "done", token=late.token))


def test_f4_nor_when_its_task_has_been_given_back() -> None:
    plan = TimedPlan()
    late = plan.claim("ann", 1, 1)
    attempt = begun(plan, 1, late.token)
    plan.wait(1)
    plan.do(c.Return(1))
    plan.refused("CLAIM_LOST", c.EndAttempt(attempt, "done", token=late.token))
    plan.do(c.EndAttempt(attempt, "lost", "session"))


def test_x3_the_holder_ends_its_attempt_even_after_its_time() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1, 1)
    attempt = begun(plan, 1, lease.token)
    plan.wait(100)
    plan.do(c.EndAttempt(attempt, "done", token=lease.token))


def test_x3_when_a_claim_has_run_out_its_attempts_can_be_settled_without_it() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1, 60)
    attempt = begun(plan, 1, lease.token)
    plan.refused("TASK_CLAIMED", c.EndAttempt(attempt, "lost", "person"))
    plan.wait(60)
    plan.do(c.EndAttempt(attempt, "lost", "person"))


def test_x3_no_token_belongs_to_the_plan_itself() -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1)
    plan.refused("CLAIM_LOST", c.BeginAttempt(None, "tool", "look", token=lease.token))
    attempt = begun(plan, None)
    plan.refused("CLAIM_LOST", c.EndAttempt(attempt, "done", token=lease.token))
    plan.do(c.EndAttempt(attempt, "done"))


def test_a13_a_tool_call_counts_until_it_is_settled_even_if_its_runner_died() -> None:
    plan = TimedPlan(1)
    plan.do(c.ClaimPlan("agent", 60))
    token = plan.state.ledger.leases[0].token

    def unsettled() -> str:
        call = plan.state.ledger.unsettled_call()
        return "" if call is None else call.what

    plan.do(c.BeginAttempt(None, "think", "3 messages", token=token))
    assert unsettled() == "", "nobody edits by thinking"
    plan.do(c.BeginAttempt(None, "act", "bash {}", token=token))
    assert unsettled() == "bash {}"
    plan.wait(61)
    assert unsettled() == "bash {}", "the lease has expired"
    plan.do(c.ClaimPlan("other", 60))
    assert unsettled() == "bash {}", "another runner has the plan"
    token = plan.state.ledger.leases[0].token
    plan.do(c.EndAttempt([*plan.state.ledger.attempts][-1], "lost", "person", token=token))
    assert unsettled() == ""
