"""Which plan of a workspace an `AgentLoop` works on, with a key and without one."""

import asyncio
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from outlast import AgentLoop, create_plan, open_plan
from outlast.agent.agent_loop import RunResult
from outlast.config.settings import Notify, Settings
from outlast.errors import PlanNotFound
from outlast.models import Call
from outlast.plan.archive import list_archived
from outlast.plan.plan_list import list_plans
from outlast.testing import ScriptedModel, Turn
from outlast.tools import built_in_tools
from tests.agent.runtime.poke_tool import POKE, Poke

PATIENCE = 20
ADD = Call("add_tasks", {"tasks": ["One"]}, "a1")
DONE = Call("complete_task", {"task": 1, "result": "done"}, "d1")
WORK = (
    Turn("- Progress: 1/1", "Done."),
    Turn("- Current step: 1.", calls=(POKE, DONE)),
    Turn(calls=(ADD,)),
)
PAUSE = (Turn("- Current step: 1.", calls=(POKE,)), Turn(calls=(ADD,)))
PLACES = ["{}", "sqlite:///{}/plans.db"]


def agent(turns: tuple[Turn, ...], **options: Any) -> AgentLoop:
    return AgentLoop(model=ScriptedModel(turns), tools=[Poke()], max_iterations=2, **options)


def go(loop: AgentLoop, message: str, *, resume: bool = False) -> RunResult:
    return asyncio.run(loop.run(message, resume=resume))


def goals(where: Any) -> dict[str, tuple[str, str]]:
    """Return goal and status of each plan by its key."""
    found: dict[str, tuple[str, str]] = {}
    for listed in list_plans(where):
        with open_plan(where, listed.key) as plan:
            found[listed.key] = (plan.goal, plan.status)
    return found


@pytest.mark.parametrize("place", PLACES)
def test_u1_a_new_goal_is_a_new_plan_and_its_goal_continues_a_plan(
    tmp_path: Path, place: str
) -> None:
    where = place.format(tmp_path)
    assert go(agent(PAUSE, workdir=where), "Paint it").key == "paint-it"
    assert go(agent(PAUSE, workdir=where), "Sell it").key == "sell-it"
    again = go(agent(WORK, workdir=where), " Paint \n it ")
    assert (again.key, again.status) == ("paint-it", "completed")
    assert goals(where) == {"paint-it": ("Paint it", "completed"), "sell-it": ("Sell it", "paused")}
    assert go(agent(PAUSE, workdir=where), "Paint it").key == "paint-it-2"
    assert list_archived(where) == []


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("phrase", ["continue", "cancel", "it is not done yet"])
def test_u1_a_phrase_is_about_the_current_plan(tmp_path: Path, place: str, phrase: str) -> None:
    where = place.format(tmp_path)
    assert go(agent(PAUSE, workdir=where), phrase).key == ""
    assert goals(where) == {}
    for goal in ("Paint it", "Sell it"):
        go(agent(PAUSE, workdir=where), goal)
    assert go(agent(PAUSE, workdir=where), phrase).key == "sell-it"
    assert goals(where)["paint-it"] == ("Paint it", "paused")


def test_u1_with_resume_any_message_is_about_the_current_plan(tmp_path: Path) -> None:
    for goal in ("Paint it", "Sell it"):
        go(agent(PAUSE, workdir=tmp_path), goal)
    resumed = go(agent(WORK, workdir=tmp_path), "Use blue", resume=True)
    assert (resumed.key, resumed.status) == ("sell-it", "completed")
    again = go(agent(WORK, workdir=tmp_path), "continue")
    assert (again.key, again.why, again.text.split(" (")[0]) == (
        "sell-it",
        "answered",
        "The plan has ended",
    )
    with pytest.raises(PlanNotFound, match="open plans: paint-it"):
        go(agent(WORK, workdir=tmp_path), "Use red", resume=True)
    assert goals(tmp_path)["paint-it"] == ("Paint it", "paused"), "nothing is spent on it unasked"


def test_u1_the_later_messages_of_a_conversation_are_about_its_plan_until_it_ends(
    tmp_path: Path,
) -> None:
    loop = agent(PAUSE, workdir=tmp_path)
    go(loop, "Paint it")
    go(agent(PAUSE, workdir=tmp_path), "Sell it")
    assert go(loop, "Use blue").key == "paint-it"
    assert go(loop, "continue").key == "paint-it"
    open_plan(tmp_path, "paint-it").abort()
    assert go(loop, "Wash it").key == "wash-it"
    assert [goal for goal, _ in goals(tmp_path).values()] == ["Paint it", "Sell it", "Wash it"]


def test_r0_01_a_program_that_names_its_key_is_never_redirected(tmp_path: Path) -> None:
    create_plan(tmp_path, "Paint it", "telegram:123/4").close()
    go(agent(PAUSE, workdir=tmp_path), "Sell it")
    for message in ("Sell it", "continue", "Wash it"):
        assert go(agent(PAUSE, workdir=tmp_path, key="telegram:123"), message).key in (
            "",
            "telegram:123",
        )
    assert goals(tmp_path)["telegram:123/4"] == ("Paint it", "idle")
    current = (tmp_path / ".outlast" / "current").read_text()
    assert current == "sell-it\n", "a session of a program is not what a person works on"


def test_u2_what_a_run_starts_is_told_the_plan(tmp_path: Path) -> None:
    place, named = tmp_path / "place", tmp_path / "named"
    place.mkdir()
    bash = Call("bash", {"command": 'echo "$OUTLAST_PLAN" > by_tool'}, "b1")
    tell = f'echo "$OUTLAST_PLAN" > {named}.new; mv {named}.new {named}'
    loop = AgentLoop(
        model=ScriptedModel((WORK[0], Turn("- Current step: 1.", calls=(bash, DONE)), WORK[2])),
        tools=built_in_tools(place),
        workdir=place,
        settings=Settings(notify=Notify(tell)),
    )
    assert go(loop, "Paint it").status == "completed"
    assert (place / "by_tool").read_text() == "paint-it\n"
    end = monotonic() + PATIENCE
    while not named.exists():
        assert monotonic() < end
        sleep(0.02)
    assert named.read_text() == "paint-it\n"


def test_u2_a_given_plan_is_named_to_programs_and_one_in_memory_is_not(tmp_path: Path) -> None:
    bash = Call("bash", {"command": 'echo "<$OUTLAST_PLAN>" >> by_tool'}, "b1")
    work = (WORK[0], Turn("- Current step: 1.", calls=(bash, DONE)), WORK[2])
    with create_plan(tmp_path, "Paint it", "given") as plan:
        for given in (plan, create_plan("memory:", "Paint it")):
            loop = AgentLoop(model=ScriptedModel(work), tools=built_in_tools(tmp_path), plan=given)
            assert go(loop, "Paint it").status == "completed"
    assert (tmp_path / "by_tool").read_text() == "<given>\n<>\n"
