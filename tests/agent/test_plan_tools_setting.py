"""R2.01, R4.12: the agent of Outlast plans with the functions of `PlanManager`, if that is set."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, RunResult, open_plan
from outlast.agent.dry_run import planning_only_hook
from outlast.config.settings import LoopSettings, Settings
from outlast.hooks.port import HookContext
from outlast.models import Call
from outlast.plan.tools.manager_tools import TOOLS
from outlast.testing import Turn
from tests.agent.runtime.poke_tool import POKE, Poke
from tests.fake_model import FakeModel

FULL = Settings(loop=LoopSettings(plan_tools="full"))
INIT = Call("initializePlan", {"goal": "Poke twice", "tasks": [{"name": "One"}, {"name": "Two"}]})


def done(task: int) -> Call:
    return Call("completeTask", {"task_id": task, "result": f"poked {task}"})


def go(
    where: Path, *turns: Turn, settings: Settings = FULL, **options: Any
) -> tuple[RunResult, FakeModel]:
    model = FakeModel(turns=turns)
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
        assert plan.core.read(lambda state: state.ledger.counters.managed)
        assert plan.budget.planning_cost().tool_calls == 5
    names = [*(tool.name for tool in TOOLS), "plan_details", "propose_goal", "poke"]
    assert [tool.name for tool in model.requests[1].tools] == names
    assert [tool.name for tool in model.requests[0].tools] == (
        names if auto else ["getPlanStatus", "initializePlan", "poke"]
    )


def test_r2_the_model_is_told_of_the_tools_by_their_names(tmp_path: Path) -> None:
    _, model = go(tmp_path, *WORK)
    system = model.requests[0].messages[0].text
    assert "completeTask" in system
    assert "_task" not in system
    _, model = go(tmp_path, Turn(say="Hi"), settings=Settings())
    assert "complete_task" in model.requests[0].messages[0].text


def test_r2_looking_at_a_plan_is_not_managing_it(tmp_path: Path) -> None:
    go(tmp_path, Turn("getPlanStatus", "Bye"), Turn(calls=(Call("getPlanStatus"),)))
    with open_plan(tmp_path, "k") as plan:
        assert not plan.core.read(lambda state: state.ledger.counters.managed)


def test_r4_11_asking_a_person_is_in_the_full_set_too(tmp_path: Path) -> None:
    stopped, _ = go(tmp_path, Turn(calls=(Call("ask_user", {"question": "Which?"}),)), ask=True)
    assert (stopped.status, stopped.why) == ("paused", "waiting")


@pytest.mark.parametrize(
    ("name", "refused"), [("initializePlan", False), ("getTaskList", False), ("completeTask", True)]
)
def test_r4_04_whoever_only_plans_may_shape_the_plan(name: str, *, refused: bool) -> None:
    found = planning_only_hook((), "en")(HookContext("pre_tool_use", tool_name=name), None)
    assert (found is not None) == refused
