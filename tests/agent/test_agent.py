"""R4.11: an agent as Python users have it, on plans of every kind and without one."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Budget, Plan, create_plan, open_plan, run
from outlast.agent import events as v
from outlast.config.settings import Cleanup, LoopSettings, Settings
from outlast.errors import InvalidArgument, InvalidStatus, StoreError, TaskClaimed
from outlast.models import Call
from outlast.plan.archive import list_archived
from outlast.testing import FixedClock, ScriptedModel, Turn
from tests.agent.runtime.poke_tool import POKE, Poke
from tests.agent.runtime.scene import memory_plan
from tests.fake_model import FakeModel

ADD = Call("add_tasks", {"tasks": ["One", "Two"]}, "a1")


def complete(task: int) -> Call:
    return Call("complete_task", {"task": task, "result": "done"}, f"d{task}")


WORK = (
    Turn("- Progress: 2/2", "Both are done."),
    Turn("- Current step: 1.", calls=(POKE, complete(1))),
    Turn("- Current step: 2.", calls=(POKE, complete(2))),
    Turn(calls=(ADD,)),
)


def events_of(kind: type, events: list[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_r0_03_the_first_call_founds_a_plan_that_is_kept_and_worked_on(tmp_path: Path) -> None:
    events: list[Any] = []
    agent = AgentLoop(
        model=ScriptedModel(WORK), tools=[Poke()], workdir=tmp_path, on_event=events.append
    )
    stopped = asyncio.run(agent.run("Poke twice"))
    assert (stopped.status, stopped.why) == ("completed", "finished")
    with open_plan(tmp_path, open_keys(tmp_path)[0]) as plan:
        assert (plan.goal, plan.iteration_count) == ("Poke twice", 4)
        assert [task.result for task in plan.tasks()] == ["done", "done"]
        assert plan.budget.cost().model_calls == 4
        assert plan.budget.cost().tool_calls == 5
        assert plan.core.read(lambda state: state.ledger.leases) == {}
    moved = events_of(v.PlanMoved, events)
    assert [(one.done, one.total, one.current) for one in moved] == [
        (0, 0, ""),
        (0, 2, "One"),
        (1, 2, "Two"),
        (2, 2, ""),
    ]
    todos = events_of(v.TodoUpdated, events)
    assert [[todo.status for todo in one.todos] for one in todos][-2:] == [
        ["completed", "in_progress"],
        ["completed", "completed"],
    ]


def open_keys(where: Path) -> list[str]:
    return [path.name for path in sorted((where / ".outlast" / "plans").iterdir())]


def test_r0_03_an_answer_without_a_call_makes_no_plan(tmp_path: Path) -> None:
    stopped = asyncio.run(run("Hello", model=ScriptedModel([Turn(say="Hi")]), workdir=tmp_path))
    assert (stopped.why, stopped.text) == ("answered", "Hi")
    assert not (tmp_path / ".outlast").exists()


def test_r0_03_the_next_goal_of_a_key_archives_the_plan_that_has_ended(tmp_path: Path) -> None:
    agent = AgentLoop(model=ScriptedModel(WORK), tools=[Poke()], workdir=tmp_path, key="k")
    assert asyncio.run(agent.run("First")).status == "completed"
    assert asyncio.run(agent.run("Second")).status == "completed"
    with open_plan(tmp_path, "k") as plan:
        assert plan.goal == "Second"
        assert plan.budget.cost().model_calls == 4, (
            "what the first one cost is not the second one's"
        )
    [archived] = list_archived(str(tmp_path))
    assert (archived.key, archived.status, archived.title) == ("k", "completed", "First")


@pytest.mark.parametrize("kept", [False, True], ids=["given", "in its place"])
def test_r0_03_a_plan_that_has_failed_is_followed_too(tmp_path: Path, *, kept: bool) -> None:
    plan = create_plan(tmp_path if kept else "memory:", "Old", "k")
    plan.add("One")
    plan.fail(1, "no", retry=False)
    assert plan.status == "failed"
    home: Any = {"workdir": tmp_path, "key": "k"} if kept else {"plan": plan}
    stopped = asyncio.run(run("New", model=ScriptedModel(WORK), tools=[Poke()], **home))
    assert (stopped.status, stopped.why) == ("completed", "finished")
    assert len(list_archived(str(tmp_path))) == kept


def test_r0_03_a_plan_that_is_given_is_followed_where_it_is() -> None:
    plan, budget = memory_plan(), Budget(model_calls=5)
    agent = AgentLoop(model=ScriptedModel(WORK), tools=[Poke()], plan=plan, budget=budget)
    assert asyncio.run(agent.run("Write three files")).status == "completed"
    assert asyncio.run(agent.run("Another")).status == "completed"
    assert plan.goal == "Another"
    assert (plan.budget.limits(), plan.budget.cost().model_calls) == (budget, 4)


def test_r4_11_without_a_directory_the_plan_is_in_memory() -> None:
    events: list[Any] = []
    model = ScriptedModel(WORK)
    stopped = asyncio.run(run("Poke", model=model, tools=[Poke()], on_event=events.append))
    assert stopped.why == "finished"
    assert events_of(v.PlanMoved, events)


def test_r4_11_it_works_with_planning_off(tmp_path: Path) -> None:
    model = FakeModel(turns=[Turn("poked", "It is poked."), Turn(calls=(POKE,))])
    agent = AgentLoop(
        model=model,
        tools=[Poke()],
        workdir=tmp_path,
        enable_planning=False,
        budget=Budget(model_calls=2),
    )
    assert asyncio.run(agent.run("Poke")).text == "It is poked."
    assert [[tool.name for tool in one.tools] for one in model.requests] == [["poke"], ["poke"]]
    assert "<plan>" not in str([one.messages[1:] for one in model.requests])
    assert not (tmp_path / ".outlast").exists()
    assert asyncio.run(agent.run("Poke")).text == "It is poked.", "the budget is for one run"


def test_r4_11_there_is_one_end_for_every_start_and_its_result_has_the_documents_shape() -> None:
    events: list[Any] = []

    turns = (Turn("by zero", "Oh."), Turn(calls=(POKE, POKE)))
    tools = [Poke(error=ZeroDivisionError("by zero"))]
    asyncio.run(run("Poke", model=ScriptedModel(turns), tools=tools, on_event=events.append))
    told: list[Any] = [one for one in events if isinstance(one, v.CallStarted | v.CallEnded)]
    assert [type(one) for one in told] == [v.CallStarted, v.CallEnded] * 2
    result = told[1].result
    assert result.pop("duration") >= 0
    assert result == {
        "tool_call_id": "c1",
        "success": False,
        "output": "",
        "error": "ZeroDivisionError: by zero",
    }


def test_r4_11_cancel_pauses_the_plan_and_says_so() -> None:
    plan, events = memory_plan(), list[Any]()
    agents: list[AgentLoop] = []

    async def cancel() -> None:
        threading.Thread(target=agents[0].cancel).start()
        await asyncio.Event().wait()

    tools = [Poke(cancel)]
    agents.append(
        AgentLoop(model=ScriptedModel(WORK), tools=tools, plan=plan, on_event=events.append)
    )
    stopped = asyncio.run(agents[0].run("Write three files"))
    assert (stopped.status, stopped.why) == ("paused", "cancelled")
    assert events[-1] == v.Stopped("paused", "cancelled", stopped.text)
    assert len(events_of(v.CallStarted, events)) == len(events_of(v.CallEnded, events))
    assert plan.status == "paused"
    assert plan.core.read(lambda state: state.ledger.leases) == {}
    agents[0].cancel()  # nothing runs: nothing happens


def test_r4_11_who_cancels_the_task_itself_is_told_so() -> None:
    plan, running = memory_plan(), asyncio.Event()

    async def hang() -> None:
        running.set()
        await asyncio.Event().wait()

    async def main() -> None:
        agent = AgentLoop(model=ScriptedModel(WORK), tools=[Poke(hang)], plan=plan)
        task = asyncio.create_task(agent.run("Write three files"))
        await running.wait()
        with pytest.raises(InvalidStatus, match="already running"):
            await agent.run("More")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert plan.status == "paused"


def test_r0_12_what_is_said_meanwhile_is_heard_at_the_next_iteration() -> None:
    agents: list[AgentLoop] = []
    turns = (Turn("Use blue paint", "Blue it is."), *WORK)
    tools = [Poke(lambda: agents[0].say("Use blue paint"))]
    agents.append(AgentLoop(model=ScriptedModel(turns), tools=tools, plan=memory_plan()))
    assert "Blue it is." in asyncio.run(agents[0].run("Write three files")).text
    agents[0].say("Use blue paint")
    agents[0] = AgentLoop(model=ScriptedModel(turns), tools=tools)
    agents[0].say("Use blue paint")
    assert asyncio.run(agents[0].run("Hello")).text == "Blue it is.", "said before it began"


def test_x6_a_plan_that_another_runner_holds_is_refused() -> None:
    plan = memory_plan()
    with plan.acting_as("bob").core.claim_plan(), pytest.raises(TaskClaimed, match="bob"):
        asyncio.run(run("Write three files", plan=plan, model=ScriptedModel(WORK)))


def test_x4_a_limit_in_dollars_needs_a_price() -> None:
    with pytest.raises(InvalidArgument, match="the price of scripted is unknown"):
        AgentLoop(model=ScriptedModel(()), budget=Budget(money=1.0))
    usual = Settings(budget=Budget(money=1.0))
    with pytest.raises(InvalidArgument, match="the price of scripted is unknown"):
        AgentLoop(model=ScriptedModel(()), budget=Budget(tokens=1), settings=usual)


@pytest.mark.parametrize("given", [True, False])
def test_f14_who_is_killed_right_after_the_founding_leaves_no_plan_without_its_budget(
    given: bool,  # noqa: FBT001 - of the parameters
    tmp_path: Path,
) -> None:
    plan = create_plan(tmp_path, "An older goal", "given")
    plan.complete(plan.add("Done").id)
    place: dict[str, Any] = {"plan": plan} if given else {"workdir": tmp_path, "key": "new"}
    budget = Budget(tokens=100_000)
    agent = AgentLoop(model=ScriptedModel(WORK), tools=[Poke()], budget=budget, **place)
    assert asyncio.run(agent.run("Poke twice")).why == "finished"
    founded = plan if given else open_plan(tmp_path, "new")
    with plan, founded:
        past = [founded.as_of(commit.revision) for commit in founded.history.commits(100)]
        assert {one.budget.limits() for one in past if one.goal == "Poke twice"} == {budget}


def test_r0_09_a_loop_that_died_leaves_a_plan_that_is_interrupted() -> None:
    clock = FixedClock()
    plan = memory_plan(clock)
    plan.add("One")
    plan.acting_as("agent").start()
    plan.core.claim_plan(60).stop()
    clock.advance(61)
    hold: list[str] = []

    model = FakeModel(turns=[Turn(say="I see")], on_request=lambda _: hold.append(paused_for(plan)))
    stopped = asyncio.run(run("What is up?", plan=plan, model=model))
    assert (stopped.status, hold) == ("paused", ["interrupted"])


def paused_for(plan: Plan) -> str:
    return plan.core.read(lambda state: state.ledger.counters.pause_reason)


def test_r4_12_the_list_of_todos_follows_the_plan_only_if_that_is_wanted() -> None:
    events: list[Any] = []
    model, settings = ScriptedModel(WORK), Settings(sync_to_todo_write=False)
    asyncio.run(run("Poke", model=model, tools=[Poke()], settings=settings, on_event=events.append))
    assert events_of(v.PlanMoved, events)
    assert not events_of(v.TodoUpdated, events)


def test_r4_12_a_session_begins_with_cleaning_up_if_that_is_wanted(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Old", "old") as old:
        old.add("One")
        old.complete(1)
    model = ScriptedModel([Turn(say="Hi")])
    for wanted, left in ((False, ["old"]), (True, [])):
        settings = Settings(cleanup=Cleanup(auto_cleanup=wanted, retention_days=0))
        asyncio.run(run("Hello", model=model, workdir=tmp_path, settings=settings))
        assert open_keys(tmp_path) == left


def test_r4_12_a_planning_that_is_not_enabled_makes_no_plan(tmp_path: Path) -> None:
    model, settings = (
        ScriptedModel([Turn("poked", "Hi"), Turn(calls=(POKE,))]),
        Settings(enabled=False),
    )
    asyncio.run(run("Hello", model=model, tools=[Poke()], workdir=tmp_path, settings=settings))
    assert not (tmp_path / ".outlast").exists()


def test_r0_03_in_a_database_a_plan_is_followed_where_it_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'plans.db'}"
    agent = AgentLoop(model=ScriptedModel(WORK), tools=[Poke()], workdir=url, key="k")
    for goal in ("First", "Second"):
        assert asyncio.run(agent.run(goal)).status == "completed"
    with open_plan(url, "k") as plan:
        assert (plan.goal, plan.budget.cost().model_calls) == ("Second", 4)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"model": 42}, "model: expected model, got int"),
        ({"plan": "x"}, "plan: expected Plan, got str"),
        ({"budget": {"tokens": 3}}, "budget: expected Budget, got dict"),
        ({"settings": 3}, "settings: expected Settings, got int"),
        ({"settings": Settings(enabled="no")}, "settings: enabled: expected boolean"),  # type: ignore[arg-type]
        ({"settings": Settings(rules={})}, "settings: rules: expected Rules, got dict"),  # type: ignore[arg-type]
        ({"settings": Settings(loop=LoopSettings(max_iterations=0))}, "settings: loop.max_iter"),
        ({"max_iterations": 0}, "max_iterations: expected a whole number from 1 to "),
        ({"max_iterations": "3"}, "max_iterations: expected int, got str"),
        ({"on_event": 3}, "on_event: expected on_event, got int"),
        ({"on_event": asyncio.sleep}, "on_event: expected function, got coroutine function"),
        ({"person": 3}, "person: expected person, got int"),
        ({"allow": "bash:*"}, "allow: expected list, got str"),
        ({"tools": print}, "tools: expected list, got builtin_function_or_method"),
        ({"hooks": 3}, "hooks: expected list, got int"),
        ({"hooks": ["my_module:my_hook"]}, "hooks: expected hook, got str"),
        ({"hooks": [object()]}, "hooks: expected hook, got object"),
        ({"hooks": [dict]}, "hooks: expected hook, got type"),
        ({"yes": "no"}, "yes: expected bool, got str"),
        ({"enable_planning": None}, "enable_planning: expected bool, got NoneType"),
        ({"model": "gpt"}, "gpt is not a model name; "),
        ({"language": "fr"}, "language: expected one of en, zh"),
        ({"actor": ""}, "actor: "),
    ],
)
def test_r4_11_what_no_agent_can_be_made_of_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        AgentLoop(**{"model": ScriptedModel(WORK), **wrong})
    assert str(refused.value).startswith(said)


def test_r4_11_a_directory_that_is_not_there_is_refused_before_anything_is_spent(
    tmp_path: Path,
) -> None:
    for wrong in (tmp_path / "nowhere", "memory:"):
        with pytest.raises(StoreError, match="There is no directory"):
            AgentLoop(model=ScriptedModel(WORK), workdir=wrong)


def test_r4_11_what_is_said_to_an_agent_is_text() -> None:
    message: Any = None
    with pytest.raises(InvalidArgument, match="text: expected some text, got a blank string"):
        AgentLoop(model=ScriptedModel(WORK)).say(" ")
    with pytest.raises(InvalidArgument, match="message: expected str, got NoneType"):
        asyncio.run(AgentLoop(model=ScriptedModel(WORK)).run(message))
