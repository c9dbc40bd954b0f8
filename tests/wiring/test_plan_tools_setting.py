"""R2.01, R4.12: the agent of Outlast plans with the functions of `PlanManager`, if that is set."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, open_plan
from outlast.application.tools.table import TOOLS
from outlast.config.settings import LoopSettings, Settings
from outlast.interfaces.cli.agent.planning_only import refusing_work
from outlast.ports.events import Stopped
from outlast.ports.hook import HookContext
from outlast.ports.model import Reply
from outlast.testing import Call, ScriptedModel, Turn
from tests.application.loops.poking import POKE, Poke

FULL = Settings(loop=LoopSettings(plan_tools="full"))
INIT = Call("initializePlan", {"goal": "Poke twice", "tasks": [{"name": "One"}, {"name": "Two"}]})


def done(task: int) -> Call:
    return Call("completeTask", {"task_id": task, "result": f"poked {task}"})


class Shown(ScriptedModel):
    """Remembers what it was shown."""

    def __init__(self, turns: Any) -> None:
        super().__init__(turns)
        self.seen: list[tuple[Any, list[str]]] = []

    async def think(self, messages: Any, tools: Any, **options: Any) -> Reply:
        self.seen.append((messages, [tool.name for tool in tools]))
        return await super().think(messages, tools, **options)


def go(
    where: Path, *turns: Turn, settings: Settings = FULL, **options: Any
) -> tuple[Stopped, Shown]:
    model = Shown(turns)
    agent = AgentLoop(
        model=model, tools=[Poke()], workdir=where, key="k", settings=settings, **options
    )
    return asyncio.run(agent.run("Poke twice")), model


WORK = (
    Turn("- Progress: 2/2", "Both are done."),
    Turn("- Current step: 1.", calls=(POKE, done(1), Call("startNextTask"))),
    Turn("- Current step: 2.", calls=(POKE, done(2))),
    Turn(calls=(INIT, Call("startNextTask"))),
)


@pytest.mark.parametrize("auto", [True, False], ids=["by itself", "asked for"])
def test_r2_a_model_plans_and_works_with_the_full_set(tmp_path: Path, *, auto: bool) -> None:
    settings = Settings(loop=FULL.loop, auto_create_plan=auto)
    stopped, model = go(tmp_path, *WORK, settings=settings)
    assert (stopped.status, stopped.why) == ("completed", "finished")
    with open_plan(tmp_path, "k") as plan:
        assert [task.result for task in plan.tasks()] == ["poked 1", "poked 2"]
        assert [task.how for task in plan.tasks()] == ["reported", "reported"]
        assert plan.read(lambda state: state.ledger.books.managed)
        assert plan.planning_cost().tool_calls == 5
    names = [*(tool.name for tool in TOOLS), "ask_user", "poke"]
    assert model.seen[1][1] == names
    assert model.seen[0][1] == (names if auto else ["getPlanStatus", "initializePlan", "poke"])


def test_r2_the_model_is_told_of_the_tools_by_their_names(tmp_path: Path) -> None:
    _, model = go(tmp_path, *WORK)
    system = model.seen[0][0][0].text
    assert "completeTask" in system
    assert "_task" not in system
    _, model = go(tmp_path, Turn(say="Hi"), settings=Settings())
    assert "complete_task" in model.seen[0][0][0].text


def test_r2_looking_at_a_plan_is_not_managing_it(tmp_path: Path) -> None:
    go(tmp_path, Turn("getPlanStatus", "Bye"), Turn(calls=(Call("getPlanStatus"),)))
    with open_plan(tmp_path, "k") as plan:
        assert not plan.read(lambda state: state.ledger.books.managed)


def test_r4_11_asking_a_person_is_in_the_full_set_too(tmp_path: Path) -> None:
    stopped, _ = go(tmp_path, Turn(calls=(Call("ask_user", {"question": "Which?"}),)))
    assert (stopped.status, stopped.why) == ("paused", "waiting")


@pytest.mark.parametrize(
    ("name", "refused"), [("initializePlan", False), ("getTaskList", False), ("completeTask", True)]
)
def test_r4_04_whoever_only_plans_may_shape_the_plan(name: str, *, refused: bool) -> None:
    found = refusing_work((), "en")(HookContext("pre_tool_use", tool_name=name), None)
    assert (found is not None) == refused
