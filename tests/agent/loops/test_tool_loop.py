"""R4.11: the tool loop through its driver, with a scripted model and real handlers."""

import asyncio
from typing import Any

import pytest

from outlast import Plan
from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.effects import Acted, Emitted, Outcome, Recorded, Thought
from outlast.agent.events import CallEnded, CallStarted, Said, Stopped
from outlast.agent.loops.chat import converse
from outlast.agent.models.scripted import ScriptedModel, Turn
from outlast.context.chat_model import Call
from outlast.context.plan_view import PlanView
from outlast.model.changes import AttemptBegan
from outlast.model.commands import CountIteration
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import SPEC, Poke, poke_once, recorded
from tests.agent.runtime.scene import GOAL, PLAN, complete, memory_plan, play
from tests.fake_model import FakeModel

NOW = FixedClock()()
NONE = PlanView("", "idle", 1, 0, 0, 0, is_scratch=True)


def begun(plan: Plan, kind: str = "act") -> list[AttemptBegan]:
    found = (change for change in recorded(plan) if isinstance(change, AttemptBegan))
    return [change for change in found if change.kind == kind]


def reply(outcome: Outcome) -> e.Reply[Any]:
    return e.Reply(outcome, NONE, NOW)


def test_r4_11_the_loop_does_nothing_itself_and_can_be_played_by_hand() -> None:
    loop = converse(GOAL, tools=(SPEC,), options=ToolLoop(enable_planning=False))
    assert next(loop) == e.Record()
    think = loop.send(reply(Recorded()))
    assert isinstance(think, e.Think)
    assert think.commands == (CountIteration(),)
    assert [message.role for message in think.messages] == ["system", "user"]
    assert think.messages[1].text == GOAL
    call = Call("poke", {"hard": True}, "c1")
    assert loop.send(reply(Thought("So be it.", (call,)))) == e.Act(call)
    think = loop.send(reply(Acted("ouch")))
    assert isinstance(think, e.Think)
    assert think.commands == (CountIteration(),)
    assert [message.role for message in think.messages[2:]] == ["assistant", "tool"]
    assert (think.messages[3].text, think.messages[3].call_id) == ("ouch", "c1")
    assert loop.send(reply(Thought("Done."))) == e.Emit(Said("Done."))
    assert loop.send(reply(Emitted())) == e.Record()
    stopped = Stopped("idle", "answered", "Done.", "Done.")
    assert loop.send(reply(Recorded())) == e.Emit(stopped)
    with pytest.raises(StopIteration) as end:
        loop.send(reply(Emitted()))
    assert end.value.value == stopped


def test_r4_11_the_loop_plans_acts_and_completes_by_tool_calls() -> None:
    plan, events = memory_plan(), list[object]()
    turns = (
        Turn("- Progress: 0/0", calls=(PLAN,)),
        *(Turn(f"- Current step: {n}.", calls=(complete(n),)) for n in (1, 2)),
        Turn("- Current step: 3.", calls=(complete(3), complete(3))),
        Turn("- Progress: 3/3", "All three are written."),
    )
    result = asyncio.run(play(plan, ScriptedModel(turns), listener=events.append))
    assert (result.status, result.why) == ("completed", "finished")
    assert (result.text, result.answer) == ("All three are written.",) * 2
    assert [task.result for task in plan.tasks()] == ["1 done", "2 done", "3 done"]
    assert plan.iteration_count == 5
    started = [event.call.name for event in events if isinstance(event, CallStarted)]
    ended = [event.call.name for event in events if isinstance(event, CallEnded)]
    assert started == ended == ["add_tasks", *["complete_task"] * 3], "nothing runs once it is done"
    assert Said("All three are written.") in events
    assert events[-1] == Stopped("completed", "finished", result.text, result.answer)


def test_a_tool_that_was_not_offered_leaves_no_attempt() -> None:
    turns = (Turn("Unknown tool", "Oh"), Turn(None, calls=(Call("rm\n-rf"),)))
    plan = memory_plan()
    assert asyncio.run(play(plan, ScriptedModel(turns))).text == "Oh"
    assert begun(plan) == []


def test_r4_07_the_third_call_of_the_same_unknown_tool_is_warned_about() -> None:
    calls = [Turn("Unknown tool", calls=(Call("nope", {"n": n}),)) for n in range(3)]
    turns = (Turn("three-strike-warning", "Oh"), *calls, Turn(None, calls=(Call("nope"),)))
    model = FakeModel(turns=turns)
    asyncio.run(play(memory_plan(), model))
    texts = [message.text for message in model.last_messages]
    warnings = [words for words in texts if "three-strike-warning" in words]
    assert ["nope has failed" in words for words in warnings] == [True]
    third = [n for n, words in enumerate(texts) if "Unknown tool" in words][2]
    assert texts[third + 1] == warnings[0]


def test_r0_09_a_resumed_loop_shows_what_came_before() -> None:
    plan = memory_plan()
    model = FakeModel(turns=(Turn("Iterations used: 1/2", "Go on"), Turn(None, calls=(PLAN,))))
    assert asyncio.run(play(plan, model, max_iterations=1)).why == "limit"
    assert plan.status == "paused"
    asyncio.run(play(plan, model, max_iterations=1))
    said = model.last_messages[1].text
    assert said.startswith("[Resuming task] Current task: Write three files\n")
    assert "\nIterations used: 1/2\n" in said
    assert said.endswith("\n\nUser instruction: continue"), "the brief has the goal"


def test_r0_08_a_plan_paused_by_a_person_stops_the_loop() -> None:
    plan = memory_plan()

    model = ScriptedModel((Turn(None, calls=(Call("poke"), Call("poke"))),))
    stopped = asyncio.run(play(plan, model, (Poke(plan.pause),)))
    assert (stopped.status, stopped.why) == ("paused", "paused")
    assert len(begun(plan)) == 1


def test_cancelling_pauses_the_plan_and_leaves_the_attempt_to_be_settled() -> None:
    plan, events = memory_plan(), list[object]()
    running = asyncio.Event()

    async def hang() -> None:
        running.set()
        await asyncio.Event().wait()

    async def cancel() -> None:
        task = asyncio.create_task(play(plan, poke_once(), (Poke(hang),), events.append))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert plan.status == "paused"
    attempts = plan.core.read(lambda state: [*state.ledger.attempts.values()])
    assert [attempt.what for attempt in attempts] == ['poke {"where":"here"}']
    assert events[-1] == Stopped("paused", "cancelled", "The run was stopped; its plan is paused")
    assert [event.error for event in events if isinstance(event, CallEnded)] == ["interrupted"]


def test_a5_text_a_model_writes_into_the_plan_holds_no_secret() -> None:
    secret = "sk-proj-abcdefghijklmnop1234567890"  # noqa: S105 - made up
    plan = memory_plan()
    plan.add("One")
    call = Call("complete_task", {"task": 1, "result": f"API_KEY={secret}"})
    failing = ScriptedModel((Turn("- Progress: 0/1", calls=(call, Call("poke", {"x": secret}))),))
    asyncio.run(play(plan, failing, (Poke(),)))
    assert plan.task(1).result == "API_KEY=[redacted]"
    plan.add("Two")
    marked = ScriptedModel((Turn(None, f"[Done]\nThe key is {secret}\n[Step] Use {secret}"),))
    asyncio.run(play(plan, marked, (Poke(error=RuntimeError(f"token {secret} refused")),)))
    assert plan.task(2).status == "completed"
    assert secret not in str(plan.core.store.commits_since(0))
