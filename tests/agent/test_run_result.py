"""R4.11: the result of a run, whichever way it ends, and the plan of an agent."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import outlast
from outlast import AgentLoop, Budget, RunResult, Spend, create_plan, open_plan
from outlast.context.chat_model import Call, Reply, Usage
from outlast.errors import ModelFailed
from outlast.model.commands import BeginAttempt
from outlast.model.execute import return_commit
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import Poke
from tests.agent.runtime.scene import LEASE, memory_plan
from tests.fake_model import FakeModel

GOAL = "Sort the reports"
POKE = Call("poke", {}, "p")
USAGE = Usage(90, 10)
STEPS = Reply("[Step] One\n[Step] Two", (POKE,), USAGE)
DONE = Reply("[Done]", (), USAGE)


def go(path: Path, *replies: Any, tool: Poke | None = None, **options: Any) -> RunResult:
    agent = AgentLoop(
        model=FakeModel(replies), tools=[tool or Poke()], workdir=path, key="k", **options
    )
    return asyncio.run(agent.run(GOAL))


def test_a_finished_plan(tmp_path: Path) -> None:
    result = go(tmp_path, STEPS, DONE, Reply("[Done] All is sorted.", (), USAGE))
    assert (result.status, result.why) == ("completed", "finished")
    assert (result.text, result.answer) == ("All is sorted.",) * 2
    assert result.key == "k"
    assert result.spent == Spend(model_calls=3, tokens=300, tool_calls=1, time=result.spent.time)
    assert result.plan is not None
    with result.plan as plan:
        assert [task.status for task in plan.tasks()] == ["completed"] * 2
        assert plan is result.plan, "it is opened once"


def test_an_answer_without_a_plan(tmp_path: Path) -> None:
    result = go(tmp_path, Reply("Hello", (), USAGE))
    assert (result.status, result.why) == ("idle", "answered")
    assert (result.answer, result.text) == ("Hello", "Hello")
    assert (result.plan, result.key) == (None, "")
    assert (result.spent.model_calls, result.spent.tokens) == (1, 100)


def test_an_answer_beside_an_ended_plan_costs_that_plan_nothing(tmp_path: Path) -> None:
    go(tmp_path, Reply("[Step] One", (POKE,)), DONE, Reply("Bye"))
    agent = AgentLoop(model=FakeModel([Reply("Hello", (), USAGE)]), workdir=tmp_path, key="k")
    result = asyncio.run(agent.run("Another thing"))
    assert (result.why, result.answer, result.spent.tokens) == ("answered", "Hello", 100)


def test_the_limit_of_iterations(tmp_path: Path) -> None:
    result = go(tmp_path, STEPS, max_iterations=1)
    assert (result.status, result.why, result.key) == ("paused", "limit", "k")
    assert result.text.startswith("Task in progress (0/2 steps done)")
    assert (result.answer, result.spent.model_calls) == ("", 1)
    again = go(tmp_path, DONE, DONE)
    assert (again.why, again.spent.model_calls) == ("finished", 2), "what this run has cost"


def test_a_budget_that_is_used_up(tmp_path: Path) -> None:
    result = go(tmp_path, STEPS, DONE, budget=Budget(model_calls=1))
    assert (result.status, result.why) == ("paused", "budget")
    assert result.spent.model_calls == 1


def test_a_model_that_fails(tmp_path: Path) -> None:
    result = go(tmp_path, STEPS, ModelFailed("script_exhausted", turns=0))
    assert (result.status, result.why) == ("paused", "model_failed")
    assert result.text.startswith("The model failed: ")


def test_a_question_that_nobody_answers(tmp_path: Path) -> None:
    question = Call("ask_user", {"question": "Which colour?"})
    result = go(tmp_path, STEPS, Reply("", (question,)), ask=True)
    assert (result.status, result.why) == ("paused", "waiting")
    assert "Which colour?" in result.text


def test_an_attempt_that_nobody_can_settle(tmp_path: Path) -> None:
    with create_plan(tmp_path, GOAL, "k") as plan:
        plan.core.commit((BeginAttempt(None, "act", "gone {}"),), return_commit)
    result = go(tmp_path)
    assert (result.status, result.why) == ("paused", "unsettled")
    assert (result.answer, result.spent) == ("", Spend())


def test_a_plan_that_is_paused_meanwhile(tmp_path: Path) -> None:
    def pause() -> None:
        with open_plan(tmp_path, "k", actor="human") as plan:
            plan.pause()

    result = go(tmp_path, STEPS, tool=Poke(pause))
    assert (result.status, result.why) == ("paused", "paused")


def test_a_cancelled_run(tmp_path: Path) -> None:
    agents: list[AgentLoop] = []

    async def cancel() -> None:
        agents[0].cancel()
        await asyncio.Event().wait()

    agents.append(
        AgentLoop(model=FakeModel([STEPS]), tools=[Poke(cancel)], workdir=tmp_path, key="k")
    )
    result = asyncio.run(agents[0].run(GOAL))
    assert (result.status, result.why, result.key) == ("paused", "cancelled", "k")
    assert result.text == "The run was stopped; its plan is paused"
    assert result.spent.model_calls == 1


def test_a_run_that_is_cancelled_before_it_begins(tmp_path: Path) -> None:
    async def drive() -> RunResult:
        agent = AgentLoop(model=FakeModel([Reply("Hello")]), workdir=tmp_path, key="k")
        assert (await agent.run("Hi")).answer == "Hello"
        running = asyncio.create_task(agent.run(GOAL))
        await asyncio.sleep(0)
        agent.cancel()
        return await running

    result = asyncio.run(drive())
    assert (result.status, result.why, result.answer) == ("idle", "cancelled", "")


def test_a_plan_that_was_taken_over() -> None:
    clock = FixedClock()
    plan = memory_plan(clock)

    def take_over() -> None:
        clock.advance(LEASE)
        plan.core.claim_plan(LEASE).stop()

    agent = AgentLoop(model=FakeModel([STEPS]), tools=[Poke(take_over)], plan=plan)
    result = asyncio.run(agent.run(GOAL))
    assert (result.why, result.answer) == ("overtaken", "")
    assert result.plan is not None
    assert result.plan.id == plan.id
    assert result.text == "Another run has taken over the plan; this one has stopped"


def test_without_planning_there_is_no_plan(tmp_path: Path) -> None:
    result = go(tmp_path, STEPS, Reply("Done"), enable_planning=False)
    assert (result.plan, result.key, result.why) == (None, "", "answered")
    assert result.spent.model_calls == 2


def test_outlast_run_returns_the_same(tmp_path: Path) -> None:
    options: Any = {"workdir": tmp_path, "key": "k"}
    model = FakeModel([STEPS, DONE, Reply("[Done] Sorted.")])
    result = asyncio.run(outlast.run(GOAL, model=model, tools=[Poke()], **options))
    assert (result.answer, result.key, result.why) == ("Sorted.", "k", "finished")


@pytest.mark.parametrize("workdir", [True, False], ids=["files", "memory"])
def test_the_plan_of_an_agent_before_during_and_after_a_run(
    tmp_path: Path, *, workdir: bool
) -> None:
    seen: list[Any] = []
    place: dict[str, Any] = {"workdir": tmp_path, "key": "k"} if workdir else {}
    agent = AgentLoop(
        model=FakeModel([STEPS, DONE, DONE], on_request=lambda _: seen.append(agent.plan)),
        tools=[Poke()],
        **place,
    )
    assert agent.plan is None
    result = asyncio.run(agent.run(GOAL))
    assert seen[0] is None, "there is none before the first reply that calls a tool"
    assert {plan is None for plan in seen[1:]} == {False}
    assert agent.plan is not None
    assert agent.plan.status == "completed"
    assert agent.plan is result.plan
    agent.plan.close()
