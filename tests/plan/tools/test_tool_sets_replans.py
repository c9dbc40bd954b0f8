"""X4: how often the list of tasks may change once work on it has begun is limited, too."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Budget, Plan, RunResult, open_plan
from outlast.agent.events import Spent
from outlast.config.settings import LoopSettings, Settings
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn
from tests.agent.runtime.poke_tool import POKE, Poke

GOAL = "Do it"
LIST = "[Step] one\n[Step] two"
ENOUGH = "Still at work."


def listed(*items: tuple[str, str], persist: bool = True) -> Call:
    todos = [{"content": name, "status": status, "activeForm": "…"} for name, status in items]
    return Call("todo_write", {"todos": todos, "persist": persist, "planTitle": "T"})


class Scene:
    """Runs of one plan by models that do one thing after the other."""

    def __init__(self, where: Path, which: Any = "default") -> None:
        where.mkdir(exist_ok=True)
        self._where = where
        self._settings = Settings(loop=LoopSettings(plan_tools=which, max_iterations=9))
        self.events: list[Any] = []

    def go(self, *turns: Turn, message: str = GOAL, replans: int | None = None) -> RunResult:
        once = [Turn(None, one.say, one.calls, times=1) for one in turns]
        agent = AgentLoop(
            model=ScriptedModel((*once, Turn(say=ENOUGH))),
            tools=[Poke()],
            workdir=self._where,
            key="k",
            settings=self._settings,
            budget=None if replans is None else Budget(replans=replans),
            on_event=self.events.append,
        )
        return asyncio.run(agent.run(message))

    def plan(self) -> Plan:
        return open_plan(self._where, "k")

    def counted(self) -> tuple[int, int]:
        """Return how many tasks and how many replans there are."""
        with self.plan() as plan:
            return len(plan.tasks()), plan.budget.cost().replans


def test_x4_the_first_list_and_the_same_list_again_cost_no_replan(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    first, second = (Call("add_tasks", {"tasks": [name]}) for name in ("two", "three"))
    stopped = scene.go(Turn(say="[Step] one", calls=(first, second)), replans=0)
    assert stopped.why != "budget", "in one reply it is one list"
    stopped = scene.go(Turn(say="[Step] three", calls=(POKE,)), message="continue")
    assert stopped.why != "budget"
    assert scene.counted() == (3, 0)


def test_x4_lines_that_add_to_the_list_cost_one_and_are_refused_beyond_that(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    more = Turn(say=f"{LIST}\n[Step] three", calls=(POKE,))
    again = Turn(say="[Step] four", calls=(POKE,))
    stopped = scene.go(Turn(say=LIST, calls=(POKE,)), more, again, replans=1)
    assert (stopped.status, stopped.why) == ("paused", "budget")
    assert "replans" in stopped.text
    assert scene.counted() == (3, 1)
    with scene.plan() as plan:
        assert plan.budget.cost(1).replans == 1, "it was in the midst of the first task"
        assert plan.budget.planning_cost().replans == 1
    scene.go(Turn(say="[Step] five", calls=(POKE,)), message="continue", replans=2)
    assert scene.counted() == (4, 2)


@pytest.mark.parametrize(
    ("which", "call", "cost"),
    [
        ("default", Call("add_tasks", {"tasks": ["three"]}), 1),
        ("default", Call("add_tasks", {"tasks": ["one", "two"]}), 0),
        ("default", Call("add_tasks", {"tasks": "three", "into": 1}), 0),
        ("default", listed(("one", "in_progress"), ("two", "pending")), 0),
        ("default", listed(("one", "in_progress"), ("three", "pending")), 1),
        ("default", listed(("three", "pending"), persist=False), 0),
        ("default", Call("todo_write", {"todos": "three", "persist": True}), 0),
        ("default", Call("skip_task", {"task": 2, "reason": "so"}), 0),
        ("full", Call("addTask", {"name": "three"}), 1),
        ("full", Call("updateTask", {"task_id": 2, "updates": {"name": "three"}}), 1),
        ("full", Call("removeTask", {"task_id": 2}), 1),
        ("full", Call("resetPlan"), 1),
        ("full", Call("initializePlan", {"goal": "x", "tasks": [{"name": "three"}]}), 1),
        ("full", Call("getTaskList"), 0),
    ],
    ids=lambda value: value.name if isinstance(value, Call) else str(value),
)
def test_x4_what_counts_as_a_replan(tmp_path: Path, which: str, call: Call, cost: int) -> None:
    begin = Turn(say=LIST, calls=(POKE,))
    scene = Scene(tmp_path / "counted", which)
    scene.go(begin, Turn(calls=(call,)))
    assert scene.counted()[1] == cost
    held = Scene(tmp_path / "held", which)
    stopped = held.go(begin, Turn(calls=(call,)), replans=0)
    assert (stopped.why == "budget") == bool(cost)
    assert held.counted() == (2, 0)


def test_x4_people_are_informed_how_many_replans_are_used(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.go(Turn(say=LIST, calls=(POKE,)), Turn(say="[Step] three", calls=(POKE,)), replans=5)
    spent = [event for event in scene.events if isinstance(event, Spent)]
    assert (spent[-1].used.replans, spent[-1].budget.replans) == (1, 5)
