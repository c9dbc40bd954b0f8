"""X6, F4: the fence token tells the holder of a claim from a late one."""

from __future__ import annotations

from typing import Any

import pytest

from outlast.model import commands as c
from tests.model.timed_plan import TimedPlan

FENCED = [
    lambda task, token: c.Complete(task, "ann", "done", token=token),
    lambda task, token: c.Fail(task, "ann", "broke", token=token),
    lambda task, token: c.SetProgress(task, 1, 2, token),
    lambda task, token: c.Return(task, "why", token),
    lambda task, token: c.BeginAttempt(task, "tool", "look", token=token),
]
NAMES = ["complete", "fail", "progress", "return", "begin attempt"]
fenced = pytest.mark.parametrize("make", FENCED, ids=NAMES)
HELD = [lambda task, token: c.Renew(task, token, 60), c.Release]
held = pytest.mark.parametrize("make", [*FENCED, *HELD], ids=[*NAMES, "renew", "release"])


@held
def test_f4_a_late_writer_gets_claim_lost(make: Any) -> None:
    plan = TimedPlan()
    late = plan.claim("ann", 1, 1)
    plan.wait(1)
    plan.claim("bob", 1)
    details = plan.refused("CLAIM_LOST", make(1, late.token))
    assert (details["task_id"], details["token"]) == (1, late.token)


@held
@pytest.mark.parametrize(
    "meanwhile",
    [
        (c.Complete(1, "bob"),),
        (c.Fail(1, "bob", "broke"),),
        (c.Fail(1, "bob", "broke", retry=False),),
        (c.Skip(1),),
        (c.Return(1),),
        (c.Reset(),),
        (c.Skip(1), c.Reopen(1)),
        (c.Skip(1), c.Pause()),
        (c.Return(1), c.Abort()),
        (c.Return(1), c.Start("ann", 1)),
    ],
    ids=lambda commands: " ".join(type(command).__name__ for command in commands),
)
def test_f4_a_late_writer_is_refused_whatever_has_become_of_the_task(
    make: Any, meanwhile: tuple[c.Command, ...]
) -> None:
    plan = TimedPlan()
    late = plan.claim("ann", 1, 1)
    plan.wait(1)
    plan.do(*meanwhile)
    plan.refused("CLAIM_LOST", make(1, late.token))


@held
def test_f4_a_token_is_good_for_its_own_task_only(make: Any) -> None:
    plan = TimedPlan()
    first = plan.claim("ann", 1)
    plan.claim("ann", 2)
    plan.refused("CLAIM_LOST", make(2, first.token))
    plan.refused("CLAIM_LOST", make(3, first.token))
    plan.refused("TASK_NOT_FOUND", make(9, first.token))


@held
def test_x6_a_token_stays_valid_until_another_actor_claims_the_task(make: Any) -> None:
    plan = TimedPlan()
    lease = plan.claim("ann", 1, 1)
    plan.wait(10**6)
    assert plan.do(make("step_1", lease.token)).changes


@fenced
def test_x6_without_a_token_a_held_task_is_left_alone(make: Any) -> None:
    plan = TimedPlan()
    plan.claim("ann", 1, 60)
    assert plan.refused("TASK_CLAIMED", make(1, None))["holder"] == "ann"
    plan.wait(60)
    assert plan.do(make(1, None)).changes


@held
@pytest.mark.parametrize("token", [0, -1, 2**53 + 1, True, 1.0, "1"])
def test_x6_what_is_no_token_is_no_argument(make: Any, token: Any) -> None:
    plan = TimedPlan()
    plan.claim("ann", 1)
    plan.refused("INVALID_ARGUMENT", make(1, token))


@pytest.mark.parametrize("make", HELD, ids=["renew", "release"])
def test_x6_to_renew_and_release_a_token_is_needed(make: Any) -> None:
    plan = TimedPlan()
    plan.claim("ann", 1)
    plan.refused("INVALID_ARGUMENT", make(1, None))


@pytest.mark.parametrize(
    "command",
    [c.Skip(1), c.Reset(), c.MoveTask(1, insert_after=2), c.Abort(), c.Pause()],
    ids=lambda command: type(command).__name__,
)
def test_x6_a_person_rules_over_every_claim(command: c.Command) -> None:
    plan = TimedPlan()
    plan.claim("ann", 1)
    plan.do(command)
    assert (1 in plan.state.ledger.leases) == (plan.status(1) == "in_progress")


@fenced
def test_x6_unclaimed_tasks_need_no_token(make: Any) -> None:
    plan = TimedPlan()
    plan.claim("ann", 1)
    plan.do(c.Start("bob", 2))
    plan.do(make(2, None))
    assert 1 in plan.state.ledger.leases
