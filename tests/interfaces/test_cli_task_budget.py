"""X4: what a task may cost, set and looked at from the command line."""

from pathlib import Path

import pytest

from outlast import Budget, create_plan, open_plan
from outlast.domain.budget import Spend
from outlast.errors import InvalidSetting
from outlast.interfaces.cli.agent.run_result import closed
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.commands.edit import edit
from outlast.interfaces.cli.commands.task import add
from outlast.interfaces.cli.render.costs import whole_cost
from outlast.ports.events import Stopped
from tests.interfaces.processes import said

CALL = Call("edit", {}, {"lang": "en"})
LIMITS = "tokens=2k,seconds=30m"


def test_x4_a_task_is_given_a_budget_as_it_is_added_and_another_one_later(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    said(tmp_path, "add", "a", "b", "--budget", LIMITS)
    said(tmp_path, "edit", "2", "--budget", "tokens=3k,calls=5")
    with open_plan(str(tmp_path)) as plan:
        assert plan.budget(1) == Budget(tokens=2_000, time=1_800.0)
        assert plan.budget(2) == Budget(tokens=3_000, time=1_800.0, tool_calls=5), "others stay"
        assert plan.budget() == Budget()
        edit(plan, CALL, task="2", budget="none")
        assert plan.budget(2) == Budget()
        with pytest.raises(InvalidSetting):
            add(plan, CALL, names=("c",), budget="tokens=many")
        assert len(plan.tasks()) == 2, "nothing was added"


def test_x4_what_is_left_of_the_budget_of_a_task_is_shown() -> None:
    plan = create_plan("memory:", "Ship it")
    plan.add("a")
    plan.add("b")
    for task in (1, 2):
        plan.set_budget(Budget(tokens=2_000, tool_calls=5), task)
    plan.charge(Spend(tokens=500), 1)
    assert plan.read(lambda state: whole_cost(state, "en"))[-3:] == [
        "  1 a: tokens 500",
        "  1 a: left tokens 1,500 of 2,000; tool calls 5 of 5",
        "  2 b: left tokens 2,000 of 2,000; tool calls 5 of 5",
    ]
    assert plan.read(lambda state: whole_cost(state, "zh"))[-1] == (
        "  2 b：剩余 词元 2,000（上限 2,000）；工具调用 5（上限 5）"
    )


def test_x4_at_the_end_of_a_tasks_budget_it_is_said_how_to_raise_it() -> None:
    plan = create_plan("memory:", "Ship it", "ship")
    plan.add("a")
    plan.start(1)
    call = Call("run", {"goal": ("Ship it",), "model": "m"}, {"lang": "en"})
    stopped = Stopped("paused", "budget")
    raised = "Raise the budget of task 1: outlast edit 1 --budget … --lang en"
    assert raised not in closed(call, stopped, plan).words()
    plan.set_budget(Budget(tokens=2_000), 1)
    lines = closed(call, stopped, plan).words().splitlines()
    assert lines[-2:] == [raised, "Go on with: outlast resume --model m --lang en"]
    plan.set_budget(Budget(model_calls=9))
    lines = closed(call, stopped, plan).words().splitlines()
    assert lines[-2:] == [
        raised,
        "Raise the budget and go on: outlast resume --budget … --model m --lang en",
    ]
