"""R4.11 and X3: the tool loop, played by hand and through its driver."""

import asyncio
from typing import Any

import pytest

from outlast import Plan
from outlast.adapters.models.scripted import ScriptedModel, Turn
from outlast.application.loops.tool_loop import tool_loop
from outlast.application.wrappers.stack import stacked
from outlast.domain.changes import AttemptBegan, AttemptEnded
from outlast.domain.commands import BeginAttempt, CountIteration, Pause
from outlast.domain.enact import receipt
from outlast.errors import TaskClaimed, ToolFailed
from outlast.ports import effects as e
from outlast.ports.model import Call, ToolSpec
from outlast.ports.tool import Settlement
from outlast.testing import FixedClock
from tests.application.loops.scene import (
    GOAL,
    INITIALIZE,
    LEASE,
    START,
    TURNS,
    complete,
    memory_plan,
    play,
)

NOW = FixedClock()()
TOOL = ToolSpec("poke", "Poke it.", {"type": "object"})
IDLE = e.PlanView(GOAL, "idle", 1, 0, 0, 0)


class Poke:
    """A tool that does what a test wants."""

    name, description, parameters = TOOL.name, TOOL.description, TOOL.parameters

    def __init__(self, *, error: Exception | None = None, found: Settlement = "unknown") -> None:
        self.error, self.found = error, found
        self.settled: list[dict[str, Any]] = []

    async def run(self, params: dict[str, Any]) -> str:
        if self.error:
            raise self.error
        return f"poked {params}"

    def settle(self, params: dict[str, Any]) -> Settlement:
        self.settled.append(params)
        return self.found


class Listening(ScriptedModel):
    """A scripted model that keeps what it was shown last."""

    shown: tuple[Any, ...] = ()

    async def think(self, messages: Any, tools: Any) -> Any:
        self.shown = messages
        return await super().think(messages, tools)


def poke_once(then: str = "Well done") -> Listening:
    answered = Turn("poked", then), Turn("Failed", "Too bad")
    return Listening((*answered, Turn(None, calls=(Call("poke", {"where": "here"}, "c1"),))))


def recorded(plan: Plan) -> list[AttemptBegan | AttemptEnded]:
    commits = plan._store.since(0)  # noqa: SLF001 - what the journal would hold
    changes = (change for commit in commits for change in commit.changes)
    return [change for change in changes if isinstance(change, AttemptBegan | AttemptEnded)]


def test_r4_11_the_loop_does_nothing_itself_and_can_be_played_by_hand() -> None:
    loop = tool_loop(GOAL, (TOOL,))
    assert next(loop) == e.Record()
    assert loop.send(e.Recorded(NOW, IDLE)) == e.Record((CountIteration(),))
    think = loop.send(e.Recorded(NOW, IDLE))
    assert isinstance(think, e.Think)
    assert [message.role for message in think.messages] == ["system", "user", "user"]
    assert think.messages[1].text == GOAL
    call = Call("poke", {"hard": True}, "c1")
    assert loop.send(e.Thought(NOW, IDLE, "So be it.", (call,))) == e.Act(call)
    assert loop.send(e.Acted(NOW, IDLE, "ouch")) == e.Record((CountIteration(),))
    think = loop.send(e.Recorded(NOW, IDLE))
    assert isinstance(think, e.Think)
    assert [message.role for message in think.messages[2:]] == ["assistant", "tool", "user"]
    assert (think.messages[3].text, think.messages[3].call_id) == ("ouch", "c1")
    assert loop.send(e.Thought(NOW, IDLE, "Done.")) == e.Tell(e.Said("Done."))
    assert loop.send(e.Told(NOW)) == e.Record()
    stopped = e.Stopped("idle", "answered", "Done.")
    assert loop.send(e.Recorded(NOW, IDLE)) == e.Tell(stopped)
    with pytest.raises(StopIteration) as end:
        loop.send(e.Told(NOW))
    assert end.value.value == stopped


def test_a_reply_of_the_wrong_kind_is_an_error() -> None:
    loop = tool_loop(GOAL, ())
    next(loop)
    with pytest.raises(TypeError):
        loop.send(e.Told(NOW))


def test_r4_11_the_loop_plans_acts_and_completes_by_tool_calls() -> None:
    plan, events = memory_plan(), list[object]()
    turns = (
        Turn("- Progress: 0/0", calls=(INITIALIZE, START)),
        *(Turn(f"- Current step: {n}.", calls=(complete(n), START)) for n in (1, 2)),
        Turn("- Current step: 3.", calls=(complete(3), START)),
    )
    stopped = asyncio.run(play(plan, ScriptedModel(turns), listener=events.append))
    assert stopped == e.Stopped("completed", "finished", "Plan completed: 3/3 steps")
    assert [task.result for task in plan.tasks()] == ["1 done", "2 done", "3 done"]
    assert plan.iteration_count == 4
    started = [event.call.name for event in events if isinstance(event, e.CallStarted)]
    ended = [event.call.name for event in events if isinstance(event, e.CallEnded)]
    assert started == ended
    assert ended[-1] == "completeTask", "nothing runs once the plan is finished"
    assert events[-1] == stopped
    kinds = [change.kind for change in recorded(plan) if isinstance(change, AttemptBegan)]
    assert kinds == [
        "think",
        *["act"] * 2,
        "think",
        *["act"] * 2,
        *["think", "act", "act"],
        "think",
        "act",
    ]


def test_r4_11_a_tool_that_fails_tells_the_model_and_the_journal() -> None:
    plan, model, events = memory_plan(), poke_once(), list[object]()
    tool = Poke(error=ToolFailed("not_a_file", path="here"))
    stopped = asyncio.run(play(plan, model, (tool,), events.append))
    assert (stopped.why, stopped.text) == ("answered", "Too bad")
    assert "Failed: here: expected a plain file" in [m.text for m in model.shown]
    assert (
        e.CallEnded(Call("poke", {"where": "here"}, "c1"), "", "here: expected a plain file")
        in events
    )
    ends = [change for change in recorded(plan) if isinstance(change, AttemptEnded)]
    assert [end.outcome for end in ends] == ["done", "failed", "done"]
    assert ends[1].note == "here: expected a plain file"


def test_a_tool_may_fail_with_any_error() -> None:
    model = poke_once()
    asyncio.run(play(memory_plan(), model, (Poke(error=ZeroDivisionError("by zero")),)))
    assert "Failed: ZeroDivisionError: by zero" in [m.text for m in model.shown]


def test_a_refusal_of_the_plan_is_told_to_the_model() -> None:
    turns = (Turn("PLAN_NOT_ACTIVE", "I see"), Turn(None, calls=(START,)))
    plan = memory_plan()
    assert asyncio.run(play(plan, ScriptedModel(turns))).text == "I see"
    assert [c.outcome for c in recorded(plan) if isinstance(c, AttemptEnded)][1] == "failed"


def test_a_tool_that_was_not_offered_leaves_no_attempt() -> None:
    turns = (Turn("There is no such tool", "Oh"), Turn(None, calls=(Call("rm\n-rf"),)))
    plan = memory_plan()
    assert asyncio.run(play(plan, ScriptedModel(turns))).text == "Oh"
    assert {c.kind for c in recorded(plan) if isinstance(c, AttemptBegan)} == {"think"}


def test_f13_a_model_that_fails_pauses_the_plan() -> None:
    plan = memory_plan()
    stopped = asyncio.run(play(plan, ScriptedModel(())))
    assert (stopped.status, stopped.why) == ("paused", "model_failed")
    assert "None of the 0 turns" in stopped.text
    assert plan.status == "paused"
    assert plan.tasks() == ()


def test_r0_08_at_the_limit_the_plan_is_paused_and_the_user_told() -> None:
    plan = memory_plan()
    stopped = asyncio.run(play(plan, ScriptedModel(TURNS), max_iterations=1))
    assert stopped.text == "Task in progress (0/3 steps done). Type 'continue' to resume."
    assert (stopped.why, plan.status, plan.iteration_count) == ("limit", "paused", 1)
    assert asyncio.run(play(plan, ScriptedModel(TURNS))).why == "paused", "nothing runs"
    assert plan.iteration_count == 1


def test_r0_09_a_resumed_loop_is_told_what_came_before() -> None:
    plan, model = memory_plan(), Listening((Turn("[Resuming task]", "Go on"), TURNS[0]))
    asyncio.run(play(plan, model, max_iterations=1))
    plan.resume()
    assert asyncio.run(play(plan, model)).text == "Go on"
    said = model.shown[1].text
    assert said.startswith("[Resuming task] Current task: Write three files\n")
    assert "\nIterations used: 1/21\n" in said
    assert said.endswith(f"\n\nUser instruction: {GOAL}")


def open_attempt(plan: Plan, what: str = 'poke {"where":"here"}', kind: str = "act") -> None:
    plan.commit((BeginAttempt(None, kind, what),), receipt)


@pytest.mark.parametrize("what", ['poke {"where":"here"}', "poke", "gone {}", "poke [1"])
def test_x3_an_attempt_nobody_can_settle_pauses_the_plan_and_names_it(what: str) -> None:
    plan, model = memory_plan(), poke_once()
    open_attempt(plan, what)
    stopped = asyncio.run(play(plan, model, (Poke(),)))
    assert (stopped.status, stopped.why) == ("paused", "unsettled")
    assert stopped.text.startswith("Attempt 0#1 was interrupted and nobody knows")
    assert what in stopped.text
    assert model.shown == (), "nothing runs"
    plan.resume()
    assert asyncio.run(play(plan, model, (Poke(),))).why == "unsettled"
    plan.resume()
    plan.settle("0#1", "lost", "looked")
    assert asyncio.run(play(plan, model, (Poke(),))).why == "answered"


@pytest.mark.parametrize(("found", "outcome"), [("done", "done"), ("not_done", "lost")])
def test_x3_a_tool_settles_its_attempt_and_the_model_is_told(
    found: Settlement, outcome: str
) -> None:
    plan, model, tool = memory_plan(), poke_once(), Poke(found=found)
    plan.count_iteration()
    open_attempt(plan)
    asyncio.run(play(plan, model, (tool,)))
    assert tool.settled == [{"where": "here"}]
    ends = [change for change in recorded(plan) if isinstance(change, AttemptEnded)]
    assert (ends[0].id, ends[0].outcome, ends[0].settled_by) == ("0#1", outcome, "tool")
    words = "had been done" if found == "done" else "had not been done"
    assert f'{words}: poke {{"where":"here"}}' in model.shown[1].text


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

    plan, model, tool = memory_plan(), poke_once(), Broken()
    open_attempt(plan)
    for tries in (1, 2):
        stopped = asyncio.run(play(plan, model, (tool,)))
        assert (stopped.status, stopped.why) == ("paused", "unsettled")
        assert len(tool.settled) == tries
        plan.resume()
    assert [record.name for record in caplog.records] == ["outlast"] * 2
    assert "poke failed to settle an attempt" in caplog.text
    plan.settle("0#1", "lost")
    assert asyncio.run(play(plan, model, (tool,))).why == "answered"


def fail_at(event: object) -> None:
    raise ZeroDivisionError(type(event).__name__)


def test_x3_a_listener_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    plan, quiet = memory_plan(), memory_plan()
    assert asyncio.run(play(plan, poke_once(), (Poke(),), fail_at)).why == "answered"
    asyncio.run(play(quiet, poke_once(), (Poke(),)))
    assert recorded(plan) == recorded(quiet)
    assert plan.read(lambda state: state.ledger.attempts) == {}
    assert {record.name for record in caplog.records} == {"outlast"}
    for event in (e.CallStarted, e.CallEnded, e.Said, e.Stopped):
        assert f"ZeroDivisionError: {event.__name__}" in caplog.text


def test_x3_an_attempt_that_somebody_else_settled_does_not_count() -> None:
    clock = FixedClock()
    plan, model = memory_plan(clock), poke_once()

    class Settling(Poke):
        async def run(self, params: dict[str, Any]) -> str:
            with pytest.raises(TaskClaimed, match="Another runner, agent, works on this plan"):
                plan.settle("0#2", "lost")
            clock.advance(LEASE)
            plan.settle("0#2", "lost")
            return await super().run(params)

    asyncio.run(play(plan, model, (Settling(),)))
    assert any("0#2" in m.text and m.text.startswith("Failed") for m in model.shown)


@pytest.mark.parametrize("effect", [e.Act(Call("poke"), 99), e.Think((), (), 99)])
def test_x3_what_cannot_be_written_down_is_not_run(effect: e.Effect) -> None:
    plan, model = memory_plan(), poke_once()
    with plan.hold_plan() as held:
        reply = asyncio.run(stacked(plan, held.lease, model, (Poke(),)).handle(effect))
    assert isinstance(reply, e.Acted | e.Thought)
    assert reply.failed == "Task with ID 99 not found"
    assert model.shown == ()
    assert recorded(plan) == []


def test_a_plan_paused_by_a_person_stops_the_loop() -> None:
    plan = memory_plan()

    class Pausing(Poke):
        async def run(self, params: dict[str, Any]) -> str:
            plan.pause()
            return await super().run(params)

    calls = (Call("poke"), Call("poke"))
    stopped = asyncio.run(play(plan, ScriptedModel((Turn(None, calls=calls),)), (Pausing(),)))
    assert (stopped.status, stopped.why) == ("paused", "paused")
    began = [c for c in recorded(plan) if isinstance(c, AttemptBegan) and c.kind == "act"]
    assert len(began) == 1


def test_cancelling_pauses_the_plan_and_leaves_the_attempt_to_be_settled() -> None:
    plan, events = memory_plan(), list[object]()
    running = asyncio.Event()

    class Hanging(Poke):
        async def run(self, params: dict[str, Any]) -> str:
            running.set()
            await asyncio.Event().wait()
            return await super().run(params)

    async def cancel() -> None:
        task = asyncio.create_task(play(plan, poke_once(), (Hanging(),), events.append))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert plan.status == "paused"
    attempts = plan.read(lambda state: [*state.ledger.attempts.values()])
    assert [attempt.what for attempt in attempts] == ['poke {"where":"here"}']
    assert events[-1] == e.Stopped("paused", "cancelled", "The loop was cancelled")
    assert isinstance(events[-2], e.CallEnded)
    assert events[-2].failed == "CancelledError"


def test_a_refused_change_is_a_value_with_its_code() -> None:
    plan = memory_plan()
    plan.pause()
    with plan.hold_plan() as held:
        handler = stacked(plan, held.lease, ScriptedModel(()), ())
        reply = asyncio.run(handler.handle(e.Record((Pause(),))))
    assert isinstance(reply, e.Recorded)
    assert (reply.code, reply.plan.status) == ("INVALID_STATUS", "paused")
    assert reply.failed == "The plan is paused; only an idle or running plan can be paused"


def test_a5_what_a_model_writes_into_the_plan_holds_no_secret() -> None:
    secret = "sk-proj-abcdefghijklmnop1234567890"  # noqa: S105 - made up
    plan = memory_plan()
    plan.add("One")
    call = Call("completeTask", {"task_id": 1, "result": f"API_KEY={secret}"})
    failing = ScriptedModel((Turn("- Progress: 0/1", calls=(call, Call("poke", {"x": secret}))),))
    asyncio.run(play(plan, failing, (Poke(),)))
    assert plan.task(1).result == "API_KEY=[redacted]"
    tool = Poke(error=RuntimeError(f"token {secret} refused"))
    plan.add("Two")
    asyncio.run(play(plan, poke_once(), (tool,)))
    assert secret not in str(plan._store.since(0))  # noqa: SLF001
