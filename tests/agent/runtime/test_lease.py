"""X6 and F4: a loop leases its plan; a runner that lost the lease stops and writes nothing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import Plan, create_plan
from outlast.agent.events import Stopped
from outlast.agent.models.scripted import ScriptedModel, Turn
from outlast.errors import ClaimLost, InvalidArgument, InvalidStatus, TaskClaimed
from outlast.model.changes import AttemptEnded
from outlast.model.commands import BeginAttempt, EndAttempt
from outlast.model.execute import return_commit
from outlast.model.model import Lease
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import POKE, Poke, poke_once
from tests.agent.runtime.scene import GOAL, LEASE, PLAN, complete, memory_plan, play
from tests.agent.tools.files.test_privacy import CANARY, SECRETS, written
from tests.fake_model import FakeModel
from tests.making import count_iteration, settle
from tests.store.faults import Killed

POKING = (Turn("poked", "Done"), Turn(None, calls=(POKE,)))


def leases(plan: Plan) -> dict[int, Lease]:
    return plan.core.read(lambda state: dict(state.ledger.leases))


def test_x6_a_loop_leases_its_plan_and_releases_it() -> None:
    plan, seen = memory_plan(), list[dict[int, Lease]]()
    tool = Poke(lambda: seen.append(leases(plan)))
    assert asyncio.run(play(plan, poke_once(), (tool,))).why == "answered"
    assert [(0, lease.holder) for lease in seen[0].values()] == [(0, "agent")]
    assert leases(plan) == {}


@pytest.mark.parametrize("model", [ScriptedModel(()), ScriptedModel(POKING)])
def test_x6_a_loop_releases_its_plan_however_it_ends(model: ScriptedModel) -> None:
    plan = memory_plan()

    def die(_event: object) -> None:
        raise Killed

    with pytest.raises(Killed):
        asyncio.run(play(plan, model, (Poke(),), die))
    assert leases(plan) == {}


def test_x6_a_second_loop_is_refused_while_the_first_lives() -> None:
    plan, refused = memory_plan(), list[str]()

    async def second() -> None:
        with pytest.raises(TaskClaimed) as caught:
            await play(plan, ScriptedModel(POKING), actor="bob")
        refused.append(str(caught.value))

    asyncio.run(play(plan, poke_once(), (Poke(second),)))
    words = "Another run, agent, is working on this plan until 2026-01-01T00:01:00+00:00"
    assert [text.partition(";")[0] for text in refused] == [words]


def test_f4_a_loop_that_was_taken_over_stops_and_writes_nothing() -> None:
    clock, events = FixedClock(), list[object]()
    plan, revisions = memory_plan(clock), list[int]()

    async def take_over() -> None:
        clock.advance(LEASE)
        tool = Poke(found="not_done")
        stopped = await play(plan, ScriptedModel(POKING), (tool,))
        assert stopped.why == "answered"
        assert tool.settled == [{"where": "here"}]
        revisions.append(plan.revision)

    def listen(event: object) -> None:
        events.append(event)
        raise ZeroDivisionError

    stopped = asyncio.run(play(plan, poke_once(), (Poke(take_over),), listen))
    words = "Another run has taken over the plan; this one has stopped"
    assert (stopped.status, stopped.why, stopped.text) == ("idle", "overtaken", words)
    assert events[-1] == Stopped("idle", "overtaken", words)
    assert revisions == [plan.revision], "the late loop has written nothing"


def test_f4_a_late_call_of_the_plan_is_refused_too() -> None:
    """The model of the late loop completes a task after the plan was taken over."""
    clock = FixedClock()
    plan = memory_plan(clock)

    def overtake() -> None:
        if plan.tasks():
            clock.advance(LEASE)
            plan.core.claim_plan().stop()

    model = FakeModel(
        turns=(Turn("- Progress: 0/0", calls=(PLAN,)), Turn(None, calls=(complete(1),)))
    )
    model.on_request = lambda _: overtake()
    assert asyncio.run(play(plan, model)).why == "overtaken"
    assert [task.status for task in plan.tasks()] == ["in_progress", "pending", "pending"]


def test_f4_cancelling_a_loop_that_lost_its_lease_works() -> None:
    clock = FixedClock()
    plan = memory_plan(clock)

    async def cancel() -> None:
        running = asyncio.Event()

        async def hang() -> None:
            running.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(play(plan, poke_once(), (Poke(hang),)))
        await running.wait()
        clock.advance(LEASE)
        plan.core.claim_plan().stop()
        before = plan.revision
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert plan.revision == before

    asyncio.run(cancel())
    assert plan.status == "idle"


def test_x6_a_lease_may_be_chosen() -> None:
    plan, seen = memory_plan(), list[Lease]()
    tool = Poke(lambda: seen.append(leases(plan)[0]))
    asyncio.run(play(plan, poke_once(), (tool,), lease_seconds=5))
    assert (seen[0].until - plan.core.now()).total_seconds() == 5
    with pytest.raises(InvalidArgument):
        asyncio.run(play(plan, poke_once(), lease_seconds=0))


# The handle


def test_x6_a_fenced_handle_changes_the_plan_until_the_claim_is_lost() -> None:
    clock = FixedClock()
    plan = memory_plan(clock)
    with plan.core.claim_plan() as held:
        fenced = plan.with_lease(held.lease)
        fenced.add("One")
        fenced.acting_as("bob").add("Two")
        fenced.acting_as("bob").undo()
        clock.advance(LEASE)
        with plan.core.claim_plan():
            for change in (fenced.start, fenced.acting_as("bob").start, fenced.undo):
                with pytest.raises(ClaimLost, match="The claim 1 on the plan is no longer valid"):
                    change()
    assert [task.name for task in plan.tasks()] == ["One"]
    assert leases(plan) == {}


def test_x6_the_runner_may_begin_the_next_plan() -> None:
    plan = memory_plan()
    plan.add("One")
    plan.abort()
    with plan.core.claim_plan() as held:
        fenced = plan.with_lease(held.lease)
        fenced.initialize("Next", ())
        fenced.add("Two")
    assert plan.goal == "Next"
    assert leases(plan) == {}


def test_x3_a_handle_with_a_key_makes_one_change() -> None:
    plan = memory_plan()
    with plan.core.claim_plan() as held:
        once = plan.with_lease(held.lease, "once")
        assert once.add("One") == once.add("One")
        with pytest.raises(InvalidArgument, match="once"):
            once.add("Two")
    assert len(plan.tasks()) == 1


def test_x6_releasing_the_plan_returns_no_task() -> None:
    plan = memory_plan()
    held = plan.core.claim_plan()
    held.stop()
    assert plan.release(plan.renew(held.lease, 5)) is None


# What a person says, and what a new conversation is told


def test_x3_a_person_settles_an_open_attempt() -> None:
    plan = memory_plan()
    plan.core.commit((BeginAttempt(None, "act", "look"),), return_commit)
    settle(plan, "0#1", "done", "I looked")
    ended = AttemptEnded("0#1", "done", "person", "I looked")
    assert plan.history.commits(1)[0].changes == (ended,)
    with pytest.raises(InvalidStatus):
        settle(plan, "0#1", "done")
    bad: Any = "perhaps"
    with pytest.raises(InvalidArgument):
        settle(plan, "0#1", bad)


@pytest.mark.parametrize("said", SECRETS)
def test_a5_a_persons_note_on_an_attempt_holds_no_secret(said: str, tmp_path: Path) -> None:
    with create_plan(tmp_path, GOAL, "x", layout="sessions") as plan:
        plan.core.commit((BeginAttempt(None, "act", "look"),), return_commit)
        settle(plan, "0#1", "done", said)
        assert CANARY not in str(plan.history.commits(1))
    assert b"[redacted]" in written(tmp_path)
    assert CANARY.encode() not in written(tmp_path)


def test_x3_a_new_conversation_lists_the_work_done_for_the_current_step() -> None:
    plan, model = memory_plan().acting_as("agent"), FakeModel(turns=(Turn(None, "I see"),))
    plan.add("One")
    plan.start()
    count_iteration(plan)
    for number, what in ((1, 'poke {"a":1}'), (2, "poke <b>")):
        plan.core.commit((BeginAttempt(1, "act", what),), return_commit)
        if number == 1:
            plan.core.commit((EndAttempt("1#1", "done"),), return_commit)
    asyncio.run(play(plan, model, (Poke(found="done"),)))
    assert not list(model.last_messages), "nobody can settle what was kept badly"
    settle(plan, "1#2", "done")
    plan.resume()
    asyncio.run(play(plan, model, (Poke(),)))
    lines = model.last_messages[1].text.splitlines()
    assert [line for line in lines if "done: " in line] == [
        '1. done: poke {"a":1}',
        "1. done: poke &lt;b&gt;",
    ]


def test_x3_attempts_settled_now_are_listed_once() -> None:
    plan, model = memory_plan(), FakeModel(turns=(Turn(None, "I see"),))
    plan.add("One")
    plan.start()
    count_iteration(plan)
    plan.core.commit((BeginAttempt(1, "act", 'poke {"a":1}'),), return_commit)
    asyncio.run(play(plan, model, (Poke(found="done"),)))
    said = model.last_messages[1].text
    assert said.count('poke {"a":1}') == 1
    assert 'interrupted, but it was done: poke {"a":1}' in said
