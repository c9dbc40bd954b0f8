"""X4: the budget of a task, set and shown from the command line."""

from pathlib import Path

import pytest

from outlast import Budget, create_plan, open_plan
from outlast.agent.events import Stopped
from outlast.cli.commands.tasks.task import add, edit
from outlast.cli.run.run_result import render_run_result
from outlast.console.call import Call
from outlast.console.render.overview import full_cost_lines
from outlast.errors import InvalidSetting
from outlast.model.budget import Spend
from tests.cli.processes import stdout_of

CALL = Call("edit", {}, {"lang": "en"})
LIMITS = "tokens=2k,time=30m"


def test_x4_a_task_is_given_a_budget_as_it_is_added_and_another_one_later(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    stdout_of(tmp_path, "add", "a", "b", "--budget", LIMITS)
    stdout_of(tmp_path, "edit", "2", "--budget", "tokens=3k,tool_calls=5")
    with open_plan(str(tmp_path)) as plan:
        assert plan.budget.limits(1) == Budget(tokens=2_000, time=1_800.0)
        assert plan.budget.limits(2) == Budget(tokens=3_000, time=1_800.0, tool_calls=5), (
            "others stay"
        )
        assert plan.budget.limits() == Budget()
        edit(plan, CALL, task="2", budget="none")
        assert plan.budget.limits(2) == Budget()
        with pytest.raises(InvalidSetting):
            add(plan, CALL, names=("c",), budget="tokens=many")
        assert len(plan.tasks()) == 2, "nothing was added"


def test_x4_the_remaining_budget_of_a_task_is_shown() -> None:
    plan = create_plan("memory:", "Ship it")
    plan.add("a")
    plan.add("b")
    for task in (1, 2):
        plan.budget.set(Budget(tokens=2_000, tool_calls=5), task)
    plan.budget.charge(Spend(tokens=500), 1)
    assert plan.core.read(lambda state: full_cost_lines(state, "en"))[-3:] == [
        "  1 a: 500 tokens",
        "  1 a: 1,500 of 2,000 tokens; 5 of 5 tool calls left",
        "  2 b: 2,000 of 2,000 tokens; 5 of 5 tool calls left",
    ]
    assert plan.core.read(lambda state: full_cost_lines(state, "zh"))[-1] == (
        "  2 b：剩余 token 数 2,000（共 2,000）；工具调用 5（共 5）"
    )


def test_x4_a_used_up_task_budget_is_reported_with_how_to_raise_it() -> None:
    plan = create_plan("memory:", "Ship it", "ship")
    plan.add("a")
    plan.start(1)
    call = Call("run", {"goal": ("Ship it",), "model": "m"}, {"lang": "en"})
    stopped = Stopped("paused", "budget")
    raised = "Raise the budget of task 1: outlast edit 1 --budget tokens=4k --plan ship --lang en"
    assert raised not in render_run_result(call, stopped, plan).as_text()
    plan.budget.set(Budget(tokens=2_000), 1)
    lines = render_run_result(call, stopped, plan).as_text().splitlines()
    assert lines[-2:] == [raised, "Continue with: outlast resume --plan ship --lang en"]
    plan.budget.set(Budget(model_calls=9))
    lines = render_run_result(call, stopped, plan).as_text().splitlines()
    more = "outlast resume --budget model_calls=18 --plan ship --lang en"
    assert lines[-2:] == [raised, f"Raise the budget and continue: {more}"]
