"""X3: each attempt is recorded before it runs and ends once."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from outlast import Plan
from outlast.agent import effects as e
from outlast.agent import events as v
from outlast.agent.effects import Acted, Recorded, Thought
from outlast.agent.models.scripted import ScriptedModel, Turn
from outlast.agent.runtime.lane import Lane
from outlast.agent.runtime.pipeline import main_lane
from outlast.agent.runtime.run import Run
from outlast.context.chat_model import Call
from outlast.context.tool import Settlement
from outlast.errors import TaskClaimed, ToolFailed
from outlast.model.budget import Spend
from outlast.model.changes import AttemptBegan, AttemptEnded
from outlast.model.commands import BeginAttempt, Pause, Return
from outlast.model.execute import return_commit
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import POKE, Poke, ends, poke_once, recorded
from tests.agent.runtime.scene import LEASE, memory_plan, parts, play
from tests.fake_model import FakeModel
from tests.making import count_iteration, settle

KEPT = 'poke {"where":"here"}'


def open_attempt(plan: Plan, what: str = KEPT, kind: str = "act") -> None:
    plan.core.commit((BeginAttempt(None, kind, what),), return_commit)


def test_x3_thoughts_and_acts_are_attempts_and_end_with_an_outcome() -> None:
    plan, model = memory_plan(), poke_once()
    assert asyncio.run(play(plan, model, (Poke(),))).text == "Well done"
    began = [one for one in recorded(plan) if isinstance(one, AttemptBegan)]
    assert [one.kind for one in began] == ["think", "act", "think"]
    assert [one.outcome for one in ends(plan)] == ["done"] * 3


def test_x3_a_tool_that_fails_tells_the_model_and_the_journal() -> None:
    plan, model, events = memory_plan(), poke_once(), list[Any]()
    tool = Poke(error=ToolFailed("not_a_file", path="here"))
    stopped = asyncio.run(play(plan, model, (tool,), events.append))
    assert (stopped.why, stopped.text) == ("answered", "Too bad")
    assert "Failed: here: expected a regular file" in [m.text for m in model.last_messages]
    ended = next(event for event in events if isinstance(event, v.CallEnded))
    assert (ended.call, ended.error) == (POKE, "here: expected a regular file")
    assert [end.outcome for end in ends(plan)] == ["done", "failed", "done"]
    assert ends(plan)[1].note == "here: expected a regular file"


def test_x3_a_tool_may_fail_with_any_error() -> None:
    model = poke_once()
    asyncio.run(play(memory_plan(), model, (Poke(error=ZeroDivisionError("by zero")),)))
    assert "Failed: ZeroDivisionError: by zero" in [m.text for m in model.last_messages]


@pytest.mark.parametrize(
    ("what", "shown"),
    [(KEPT, "`poke here`"), ("poke", "`poke`"), ("gone {}", "`gone`"), ("poke [1", "`poke`")],
)
def test_x3_an_attempt_no_tool_can_settle_waits_for_a_person(what: str, shown: str) -> None:
    plan, model = memory_plan(), poke_once()
    open_attempt(plan, what)
    stopped = asyncio.run(play(plan, model, (Poke(),)))
    assert (stopped.status, stopped.why) == ("paused", "unsettled")
    assert stopped.text.startswith(f"{shown} was running when the agent stopped. Did it finish?")
    assert model.last_messages == (), "nothing runs"
    assert asyncio.run(play(plan, model, (Poke(),))).why == "unsettled"
    [question] = plan.questions.open()
    assert (question.kind, question.about) == ("settle", "0#1")
    plan.questions.answer("not done")
    assert asyncio.run(play(plan, model, (Poke(),))).why == "answered"
    assert (ends(plan)[0].outcome, ends(plan)[0].settled_by) == ("lost", "person")


@pytest.mark.parametrize("what", [KEPT, "gone {}"])
@pytest.mark.parametrize("end", ["complete", "skip", "remove"])
def test_x3_nobody_is_asked_about_a_task_that_a_person_has_ended(what: str, end: str) -> None:
    plan, model, tool = memory_plan(), poke_once(), Poke()
    tasks = [plan.add(name) for name in ("First", "Second")]
    plan.start(tasks[0].id)
    plan.core.commit((BeginAttempt(tasks[0].id, "act", what),), return_commit)
    assert asyncio.run(play(plan, model, (tool,))).why == "unsettled"
    plan.resume()
    person = plan.acting_as("human")
    if end == "remove":
        person.core.commit((Return(tasks[0].id),), return_commit)
    getattr(person, end)(tasks[0].id)
    assert plan.questions.open() == ()
    assert asyncio.run(play(plan, model, (tool,))).why != "unsettled"
    assert (ends(plan)[0].outcome, ends(plan)[0].settled_by) == ("lost", "")
    words = "interrupted, and it is unknown whether it was done"
    assert f"{words}: {what}" in model.last_messages[1].text


@pytest.mark.parametrize(("found", "outcome"), [("done", "done"), ("not_done", "lost")])
def test_x3_a_tool_settles_its_attempt_and_the_model_is_told(
    found: Settlement, outcome: str
) -> None:
    plan, model, tool = memory_plan(), poke_once(), Poke(found=found)
    count_iteration(plan)
    open_attempt(plan)
    asyncio.run(play(plan, model, (tool,)))
    assert tool.settled == [{"where": "here"}]
    end = ends(plan)[0]
    assert (end.id, end.outcome, end.settled_by) == ("0#1", outcome, "tool")
    words = "but it was done" if found == "done" else "and it was not done"
    assert f"{words}: {KEPT}" in model.last_messages[1].text


@pytest.mark.parametrize("answer", [ZeroDivisionError("by zero"), "perhaps", None, ["done"]])
def test_x3_a_tool_that_fails_to_settle_leaves_it_to_a_person(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Poke):
        def settle(self, params: dict[str, Any]) -> Settlement:
            super().settle(params)
            if isinstance(answer, Exception):
                raise answer
            found: Settlement = answer
            return found

    plan, tool = memory_plan(), Broken()
    open_attempt(plan)
    stopped = asyncio.run(play(plan, poke_once(), (tool,)))
    assert (stopped.status, stopped.why) == ("paused", "unsettled")
    assert "poke failed to settle an attempt" in caplog.text


def untimed(plan: Plan) -> list[Any]:
    """Return what was recorded of attempts, but for how long they took."""
    return [
        replace(one, spent=replace(one.spent, time=0.0)) if isinstance(one, AttemptEnded) else one
        for one in recorded(plan)
    ]


def fail_at(event: object) -> None:
    raise ZeroDivisionError(type(event).__name__)


def test_x3_a_listener_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    plan, quiet = memory_plan(), memory_plan()
    assert asyncio.run(play(plan, poke_once(), (Poke(),), fail_at)).why == "answered"
    asyncio.run(play(quiet, poke_once(), (Poke(),)))
    assert untimed(plan) == untimed(quiet)
    for event in (v.CallStarted, v.CallEnded, v.Said, v.Stopped):
        assert f"ZeroDivisionError: {event.__name__}" in caplog.text


def test_x3_an_attempt_settled_by_another_actor_does_not_count() -> None:
    clock = FixedClock()
    plan, model = memory_plan(clock), poke_once()

    def settle_elsewhere() -> None:
        with pytest.raises(TaskClaimed, match="Another run, agent, is working on this plan"):
            settle(plan, "0#2", "lost")
        clock.advance(LEASE)
        settle(plan, "0#2", "lost")

    asyncio.run(play(plan, model, (Poke(settle_elsewhere),)))
    assert any("0#2" in m.text and m.text.startswith("Failed") for m in model.last_messages)


async def perform(lane: Lane, effect: e.Effect) -> e.Reply[Any]:
    """Carry out an effect as the first one after the loop has read the plan."""
    await lane.perform(e.Record())
    return await lane.perform(effect)


@pytest.mark.parametrize("effect", [e.Act(Call("poke"), task=99), e.Think((), (), task=99)])
def test_x3_an_attempt_that_cannot_be_recorded_is_not_run(effect: e.Effect) -> None:
    plan, model = memory_plan(), poke_once()
    with plan.core.claim_plan() as held:
        lane = main_lane(Run(plan, held.lease, *parts(plan, model, (Poke(),))))
        outcome = asyncio.run(perform(lane, effect)).outcome
    assert isinstance(outcome, Acted | Thought)
    assert (outcome.error, outcome.code) == ("Task with ID 99 not found", "TASK_NOT_FOUND")
    assert model.last_messages == ()
    assert recorded(plan) == []


def test_x3_a_refused_change_is_a_value_with_its_code() -> None:
    plan = memory_plan()
    plan.pause()
    with plan.core.claim_plan() as held:
        lane = main_lane(Run(plan, held.lease, *parts(plan, ScriptedModel(()))))
        reply = asyncio.run(perform(lane, e.Record((Pause(),))))
    assert isinstance(reply.outcome, Recorded)
    assert (reply.outcome.code, reply.plan.status) == ("INVALID_STATUS", "paused")
    assert reply.outcome.error == "The plan is paused; only an idle or running plan can be paused"


def test_a5_commits_and_events_of_a_loop_hold_no_secret() -> None:
    secret = "sk-proj-abcdefghijklmnop1234567890"  # noqa: S105 - made up
    plan, told = memory_plan(), list[Any]()
    plan.add("One")
    call = Call("complete_task", {"task": 1, "result": f"API_KEY={secret}"})
    model = FakeModel(
        turns=(
            Turn("- Progress: 1/1", f"It is {secret}"),
            Turn("- Current step: 1.", calls=(Call("poke", {"x": secret}), call)),
        )
    )
    tool = Poke(error=RuntimeError(f"token {secret} refused"))
    asyncio.run(play(plan, model, (tool,), told.append))
    assert plan.task(1).result == "API_KEY=[redacted]"
    assert secret in str(model.last_messages), "the model itself is told"
    assert secret not in str(plan.core.store.commits_since(0))
    assert secret not in str(told)
    assert [one for one in told if isinstance(one, v.CallStarted)]


@pytest.mark.parametrize("jump", [-86_400, -3_600, 30, 120, 3_600, 86_400])
def test_f37_a_clock_that_jumps_during_an_attempt_is_not_charged(jump: int) -> None:
    clock, seconds = FixedClock(), [0.0]

    def jump_ahead() -> None:
        clock.advance(jump)
        seconds[0] += 4.0

    plan, effect = memory_plan(clock), e.Act(POKE, reserve=Spend(tool_calls=1, time=600.0))
    with plan.core.claim_plan() as held:
        spec, resources = parts(
            plan, poke_once(), (Poke(jump_ahead),), monotonic=lambda: seconds[0]
        )
        lane = main_lane(Run(plan, held.lease, spec, resources))
        asyncio.run(flushed(lane, effect))
    assert plan.budget.cost().time == 4.0


async def flushed(lane: Lane, effect: e.Effect) -> None:
    await perform(lane, effect)
    await lane.finish()
