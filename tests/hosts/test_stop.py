"""R4.08: when the stop of a coding agent is blocked, and what its last message completes."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast import Plan
from outlast.config.settings import Hooks, Rules, Settings
from outlast.errors import CheckFailed, CheckNotApproved
from outlast.hosts.session_record import SessionRecord
from outlast.hosts.stop import Refusal, StopDecision, complete_claimed, decide_stop
from outlast.hosts.wire.events import HostEvent
from tests.making import make_plan
from tests.proof.proven import RUNS, begin

RECORD = SessionRecord("claude-code", "s1", "/x", "k", "plan_1")
GUARDED = replace(RECORD, guard=True)
RED = (Refusal(1, CheckFailed("check_failed")),)
UNAPPROVED = (Refusal(1, CheckNotApproved("check_failed")),)


def stop(message: str = "I stop here.", *, blocked: bool = False) -> HostEvent:
    return HostEvent("stop", "s1", "/x", last_message=message, was_blocked=blocked)


def decide(  # noqa: PLR0913 - one keyword per option
    plan: Plan,
    record: SessionRecord = RECORD,
    event: HostEvent | None = None,
    refusals: tuple[Refusal, ...] = (),
    *,
    is_on: bool = True,
    is_refused: bool = False,
    limit: int = Rules().stop_limit,
) -> StopDecision:
    event = event or stop()
    settings = Settings(hooks=Hooks(on_stop=is_on), rules=Rules(stop_limit=limit))
    return decide_stop(plan, record, event, refusals, settings, is_refused=is_refused)


def test_r4_08_a_stop_is_advisory() -> None:
    plan = make_plan("one")
    assert decide(plan) == StopDecision(RECORD)
    assert decide(plan, refusals=UNAPPROVED) == StopDecision(RECORD)
    assert decide(plan, GUARDED, is_on=False) == StopDecision(GUARDED)


@pytest.mark.parametrize(("refusals", "refused"), [(RED, False), ((), True), (RED, True)])
def test_r4_08_a_red_claim_and_a_hook_block_once(
    refusals: tuple[Refusal, ...],
    refused: bool,  # noqa: FBT001
) -> None:
    plan = make_plan("one")
    assert decide(plan, refusals=refusals, is_refused=refused).is_blocked
    for event in (stop(blocked=True), stop("May I go on?")):
        decision = decide(plan, event=event, refusals=refusals, is_refused=refused)
        assert decision == StopDecision(RECORD)


@pytest.mark.parametrize("record", [GUARDED, RECORD])
def test_r4_08_no_reason_blocks_more_than_three_times_without_progress(
    record: SessionRecord,
) -> None:
    plan, refused = make_plan("one", "two"), not record.guard
    for _ in range(3):
        decision = decide(plan, record, is_refused=refused)
        assert decision.is_blocked
        record = decision.record
    decision = decide(plan, record, is_refused=refused)
    assert (decision.is_blocked, decision.is_let_go) == (False, True)
    plan.complete(1)
    assert decide(plan, record, is_refused=refused).is_blocked


def test_r4_08_a_hook_may_ask_for_something_at_the_end_of_a_plan() -> None:
    plan = make_plan("one")
    plan.complete(1)
    assert decide(plan, GUARDED).is_completed
    assert decide(plan, is_refused=True).is_blocked
    assert not decide(plan, is_refused=True, event=stop(blocked=True)).is_blocked
    spent = replace(RECORD, blocked_stops=3, finished=1)
    assert decide(plan, spent, is_refused=True) == StopDecision(spent, is_completed=True)


@pytest.mark.parametrize("limit", [0, 1, 4])
def test_r4_08_how_often_a_stop_is_blocked_is_a_setting(limit: int) -> None:
    plan, record = make_plan("one"), GUARDED
    for _ in range(limit):
        decision = decide(plan, record, limit=limit)
        assert decision.is_blocked
        record = decision.record
    assert decide(plan, record, limit=limit) == StopDecision(record, is_let_go=True)


def test_r4_08_a_paused_plan_blocks_nothing() -> None:
    plan = make_plan("one")
    plan.pause()
    assert not decide(plan, GUARDED, refusals=RED, is_refused=True).is_blocked


@pytest.mark.parametrize(
    "message",
    [
        "The task is done.",
        "I have finished the callback.",
        "Task 1 is done.",
        "Done.",
        "Everything is done.",
    ],
)
def test_x2_what_is_claimed_is_checked(tmp_path: Path, message: str) -> None:
    pair = begin(tmp_path, RUNS)
    pair.person.update(1, name="Write the callback")
    pair.agent.start()
    (refusal,) = complete_claimed(pair.agent, RECORD, stop(message))
    assert (refusal.task, type(refusal.error)) == (1, CheckFailed)
    pair.make()
    assert complete_claimed(pair.agent, RECORD, stop(message)) == ()
    assert pair.agent.task(1).how == "proved"


@pytest.mark.parametrize(
    "message",
    [
        "I've fixed the typo you mentioned in README.",
        "I answered your question; the cache is in `a.py`. Done.",
        "The task is done. Shall I go on?",
    ],
)
def test_r4_08_a_remark_on_something_else_is_no_claim(tmp_path: Path, message: str) -> None:
    pair = begin(tmp_path, RUNS)
    pair.person.update(1, name="Write the callback")
    pair.agent.start()
    pair.make()
    assert complete_claimed(pair.agent, RECORD, stop(message)) == ()
    assert pair.agent.task(1).status == "in_progress"
