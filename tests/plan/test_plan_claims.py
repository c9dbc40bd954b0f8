"""X6: claims through the handle, and the heartbeat that keeps one alive."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from outlast.errors import ClaimLost, InvalidArgument, StoreError, TaskClaimed, TaskNotFound
from outlast.store.heartbeat import Heartbeat
from outlast.testing import FixedClock
from tests.making import make_plan, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast import Plan
    from outlast.model.changes import Commit
    from outlast.model.commands import Command
    from outlast.model.state import PlanState

T = TypeVar("T")
SOON = 20  # seconds that a thread may take; it takes milliseconds


def test_x6_the_handle_claims_renews_and_releases() -> None:
    clock = FixedClock()
    plan = make_plan("a", "b", clock=clock)
    lease = plan.claim(seconds=30)
    assert (lease.task, lease.holder, lease.token) == (1, "tester", 1)
    clock.advance(10)
    renewed = plan.renew(lease, 30)
    assert (renewed.until - lease.until).total_seconds() == 10
    assert plan.release(renewed) == plan.task(1)
    assert plan.task(1).status == "pending"
    assert plan.claim(2).task == 2


def test_x6_work_on_a_claimed_task_shows_its_lease() -> None:
    plan = make_plan("a", "b", "c", "d")
    leases = [plan.claim() for _ in range(4)]
    with pytest.raises(TaskClaimed, match="Task 1 is claimed by tester until 2026-01-01T00:01:00"):
        plan.complete(1)
    assert plan.set_progress(1, 1, 2, lease=leases[0]).progress
    assert plan.complete(1, "done", lease=leases[0]).status == "completed"
    assert plan.fail(2, "broke", lease=leases[1]).retry_count == 1
    assert plan.return_task(3, "no time", lease=leases[2]).status == "pending"
    with pytest.raises(ClaimLost, match="The claim 3 on task 4 is unknown or no longer valid"):
        plan.complete(4, lease=leases[2])
    assert plan.complete(4, lease=leases[3]).status == "completed"


def test_x6_a_holder_is_told_to_pass_the_lease() -> None:
    plan = make_plan("a")
    lease = plan.claim()
    uses: list[Callable[[], object]] = [
        lambda: plan.complete(1),
        lambda: plan.fail(1, "broke"),
        lambda: plan.return_task(1),
        lambda: plan.set_progress(1, 1, 2),
    ]
    for act in uses:
        with pytest.raises(TaskClaimed, match="if the claim is yours, pass its lease"):
            act()
    with pytest.raises(TaskClaimed, match="choose another task or wait") as caught:
        plan.claim(1)
    assert "lease" not in str(caught.value)
    assert plan.complete(1, lease=lease).status == "completed"


@pytest.mark.parametrize("status", ["completed", "skipped"])
def test_x6_a_lease_of_a_finished_task_is_told_that_it_is_finished(status: str) -> None:
    plan = make_plan("a", "b")
    lease, other = plan.claim(), plan.claim()
    if status == "completed":
        plan.complete(1, lease=lease)
    else:
        plan.skip(1)
    uses: list[Callable[[], object]] = [
        lambda: plan.complete(1, lease=lease),
        lambda: plan.renew(lease),
        lambda: plan.with_lease(lease).add("more"),
    ]
    for act in uses:
        with pytest.raises(ClaimLost, match=f"claim 1 on task 1 has ended: the task is {status}"):
            act()
    plan.release(other)
    with pytest.raises(ClaimLost, match="is unknown or no longer valid"):
        plan.complete(2, lease=other)


def test_r0_12_a_task_is_given_back_with_a_reason() -> None:
    plan = make_plan("a")
    plan.start(1)
    assert plan.return_task("step_1", "lunch").actor == ""
    assert plan.history.commits(1)[0].reason == "lunch"


@pytest.mark.parametrize("lease", [1, "1", True, {"token": 1}])
def test_x6_a_lease_is_what_claim_returned(lease: Any) -> None:
    plan = make_plan("a")
    plan.claim()
    calls: list[Callable[[], object]] = [
        lambda: plan.complete(1, lease=lease),
        lambda: plan.fail(1, "x", lease=lease),
        lambda: plan.set_progress(1, 1, 2, lease=lease),
        lambda: plan.return_task(1, lease=lease),
        lambda: plan.renew(lease),
        lambda: plan.release(lease),
    ]
    for call in calls:
        with pytest.raises(InvalidArgument, match="lease: expected Lease, got"):
            call()


def test_x6_a_plan_is_released_at_the_end_of_a_block() -> None:
    with make_plan("a") as plan:
        assert plan.start(1).id == 1


# The heartbeat


class Beats:
    """A plan that counts the renewals and answers them as told."""

    def __init__(self, plan: Plan, *answers: Exception | None) -> None:
        self.plan = plan
        self.answers = list(answers)
        self.beaten = Event()

    def commit(self, commands: Sequence[Command], then: Callable[[PlanState, Commit], T], /) -> T:
        answer = self.answers.pop(0) if self.answers else None
        if not self.answers:
            self.beaten.set()
        if answer:
            raise answer
        return self.plan.core.commit(commands, then)


def start_heartbeat(plan: Plan, *answers: Exception | None) -> tuple[Beats, Heartbeat]:
    beats = Beats(plan, *answers)
    return beats, Heartbeat(beats, plan.claim(seconds=1), 1)


def test_x6_a_heartbeat_renews_the_claim() -> None:
    clock = FixedClock()
    plan = make_plan("a", clock=clock)
    beats = Beats(plan)
    first = plan.claim(seconds=1)
    clock.advance(0.5)
    with Heartbeat(beats, first, 1) as heart:
        assert beats.beaten.wait(SOON)
    assert heart.lease.until > first.until
    assert heart.lease.token == first.token
    assert (heart.lost, heart.error) == (False, None)
    assert plan.complete(1, lease=heart.lease).status == "completed"


@pytest.mark.parametrize(
    "gone", [ClaimLost("claim_lost", task_id=1, token=1), TaskNotFound("task_not_found", task_id=1)]
)
def test_x6_a_heartbeat_reports_a_lost_claim_and_stops(gone: Exception) -> None:
    plan = make_plan("a")
    beats, heart = start_heartbeat(plan, gone)
    assert beats.beaten.wait(SOON)
    heart.stop()
    assert heart.lost


def test_x6_a_heartbeat_outlasts_a_disk_that_fails_for_a_while() -> None:
    plan = make_plan("a")
    trouble = StoreError("store_failed", where="/x", problem="no space")
    beats, heart = start_heartbeat(plan, trouble)
    assert beats.beaten.wait(SOON)
    heart.stop()
    assert heart.error is trouble
    assert not heart.lost
    beats = Beats(plan, trouble, None)
    heart = Heartbeat(beats, heart.lease, 1)
    assert beats.beaten.wait(SOON)
    heart.stop()
    assert heart.error is None


def test_x6_an_error_in_the_block_releases_the_task() -> None:
    plan = make_plan("a")
    with pytest.raises(ZeroDivisionError), plan.claim_with_heartbeat(1, 60):
        raise ZeroDivisionError
    assert plan.task(1).status == "pending"


def test_x6_without_an_error_the_claim_is_kept() -> None:
    plan = make_plan("a")
    with plan.claim_with_heartbeat() as heart:
        assert heart.lease.task == 1
    assert state_of(plan).ledger.leases == {1: heart.lease}


def test_x6_an_error_after_the_task_has_ended_is_not_hidden() -> None:
    plan = make_plan("a")
    heart = plan.claim_with_heartbeat(1)
    plan.complete(1, "done", lease=heart.lease)
    with pytest.raises(ZeroDivisionError), heart:
        raise ZeroDivisionError
    assert plan.task(1).result == "done"


def test_x6_a_lost_claim_is_not_released() -> None:
    plan = make_plan("a")
    beats, heart = start_heartbeat(plan, ClaimLost("claim_lost", task_id=1, token=1))
    assert beats.beaten.wait(SOON)
    with pytest.raises(ZeroDivisionError), heart:
        raise ZeroDivisionError
    assert plan.task(1).status == "in_progress"


def test_x6_what_cannot_be_claimed_is_not_held() -> None:
    plan = make_plan("a")
    plan.claim(1)
    with pytest.raises(TaskClaimed):
        plan.claim_with_heartbeat(1)


@pytest.mark.parametrize("odd", [True, 1.5, b"1", [[]]], ids=repr)
def test_x6_a_used_key_does_not_let_a_bad_id_through(odd: Any) -> None:
    plan = make_plan("a", "b")
    lease = plan.claim(1)
    keyed = plan.with_lease(lease, key="once")
    keyed.complete(1, lease=lease)
    with pytest.raises(InvalidArgument) as refused:
        keyed.complete(odd)
    assert refused.value.details["argument"] == "task"
