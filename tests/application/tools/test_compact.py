"""X5: the compact tools: few tokens of schemas, answers of one line whatever the plan's size."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from bench.tokenizer import tokens
from outlast import Plan
from outlast.application.tools import Dialect
from outlast.application.tools.compact import ASK_USER, COMPACT
from outlast.application.tools.schemas import tool_schemas
from outlast.application.tools.table import TOOLS
from outlast.application.tools.tool_sets import find_tool, plan_tool_specs, tool_set
from outlast.errors import InvalidArgument
from tests.application.proof.proven import MADE, begin
from tests.making import make_plan

LIMIT = 1_500


def call(plan: Plan, name: str, **arguments: Any) -> str:
    """Return what a model is told that calls a tool."""
    answer = plan.handle({"type": "tool_use", "id": "1", "name": name, "input": arguments})
    assert isinstance(answer, dict)
    return str(answer["content"])


@pytest.mark.parametrize("dialect", get_args(Dialect))
def test_x5_the_schemas_of_the_default_set_have_at_most_1500_tokens(dialect: Dialect) -> None:
    schemas = tool_schemas(dialect, COMPACT)
    assert [find(schema) for schema in schemas] == [tool.name for tool in COMPACT]
    for spelled in (json.dumps(schemas), json.dumps(schemas, indent=1)):
        assert tokens(spelled) <= LIMIT


def find(schema: dict[str, Any]) -> str:
    return str(schema.get("function", schema)["name"])


def test_both_sets_share_no_name() -> None:
    assert tool_set("full") is TOOLS
    assert [tool.name for tool in tool_set("default")] == [
        "add_tasks",
        "complete_task",
        "fail_task",
        "skip_task",
        "set_progress",
        "plan_read",
        "findings_write",
        "todo_write",
        "ask_user",
    ]
    assert not {tool.name for tool in TOOLS} & {tool.name for tool in COMPACT}
    with pytest.raises(InvalidArgument, match="which"):
        tool_set("all")  # type: ignore[arg-type]


def test_a_loop_offers_all_tools_of_a_set_and_the_plan_runs_all_but_ask_user() -> None:
    names = [spec.name for spec in plan_tool_specs()]
    assert names == [tool.name for tool in COMPACT]
    full = [spec.name for spec in plan_tool_specs("full")]
    assert full == [*(tool.name for tool in TOOLS), ASK_USER], "a loop can ask in either set"
    assert [name for name in names if find_tool(name) is None] == [ASK_USER]


def test_x5_a_change_is_answered_in_one_line() -> None:
    plan = make_plan()
    assert call(plan, "add_tasks", tasks=["a", {"name": "b", "needs": ["a"]}, "c"]) == (
        "Added 1-3, 0/3 done. Now 1."
    )
    assert call(plan, "complete_task", task=1, result="made") == "1/3 done. Now 2."
    assert call(plan, "set_progress", task=2, current=1, total=4) == "Task 2: 1/4"
    assert call(plan, "fail_task", task=2, error="no") == "Failed 2, retry 1 of 3. Now 2."
    assert call(plan, "fail_task", task=2, error="no", retry=False) == (
        "Failed 2 for good, 1/3 done. Now 3."
    )
    assert call(plan, "skip_task", task=3, reason="why") == (
        "Skipped 3, 2/3. None of the remaining tasks can run."
    )
    assert call(plan, "add_tasks", tasks=["d"]) == "Added 4, 2/4 done. Now 4."
    assert (
        call(plan, "complete_task", task="4", result="")
        == "3/4 done. None of the remaining tasks can run."
    )
    assert call(plan, "skip_task", task=2, reason="") == ("Skipped 2, 4/4. The plan is complete.")


def test_x5_needs_may_name_existing_tasks_too() -> None:
    plan = make_plan("look", "write", "write")
    call(plan, "add_tasks", tasks=["read", {"name": "tell", "needs": ["look", "read"]}])
    assert plan.task(5).needs == (1, 4)
    call(plan, "add_tasks", tasks=["look", {"name": "end", "needs": ["look", "tell"]}])
    assert plan.task(7).needs == (5, 6), "of the same call first"
    assert call(plan, "add_tasks", tasks=[{"name": "x", "needs": ["write"]}]) == (
        "INVALID_ARGUMENT: tasks[0].needs: two tasks are named write; use the task's number instead"
    )
    assert "there is no task nobody" in call(
        plan, "add_tasks", tasks=[{"name": "x", "needs": ["nobody"]}]
    )


def test_x5_the_answer_does_not_grow_with_the_plan() -> None:
    small, large = make_plan("a", "b"), make_plan()
    call(large, "add_tasks", tasks=["x" * 1_000] * 2_000)
    short = call(small, "complete_task", task=1, result="r" * 5_000)
    assert len(call(large, "complete_task", task=1, result="r")) < len(short) + 10
    assert len(call(large, "plan_read")) < 15_000
    assert "(1,899 more)" in call(large, "plan_read")


def test_a_completion_and_the_next_start_are_one_commit() -> None:
    plan = make_plan("a", "b")
    before = plan.revision
    call(plan, "complete_task", task=1, result="made")
    assert plan.revision == before + 1
    assert [task.status for task in plan.tasks()] == ["completed", "in_progress"]


def test_a_blocked_plan_is_reported() -> None:
    plan = make_plan("a")
    plan.add("b", [1])
    plan.add("c")
    plan.acting_as("other").start(1)
    assert call(plan, "complete_task", task=3, result="") == (
        "1/3 done. Nothing can start until others have finished."
    )


def test_a_task_in_progress_stays_so_when_another_task_ends() -> None:
    plan = make_plan("a", "b", "c")
    plan.start(2)
    assert call(plan, "skip_task", task=1, reason="") == "Skipped 1, 1/3. Now 2."
    assert plan.task(3).status == "pending"


def test_a_paused_plan_can_be_edited_but_not_worked_on() -> None:
    plan = make_plan("a", "b")
    plan.pause()
    assert call(plan, "skip_task", task=1, reason="") == "Skipped 1, 1/2. The plan is paused."
    assert call(plan, "complete_task", task=2, result="").startswith("PLAN_NOT_ACTIVE: ")


def test_new_tasks_name_each_other_by_name_or_by_the_id_they_will_have() -> None:
    plan = make_plan("old")
    call(
        plan,
        "add_tasks",
        tasks=[{"name": "b", "needs": [1, 3]}, "c", {"name": "d", "needs": ["step_3", "1"]}],
    )
    assert [task.needs for task in plan.tasks()] == [(), (1, 3), (), (1, 3)]
    call(plan, "add_tasks", tasks=["first"], insert_after=1)
    assert [task.name for task in plan.tasks()] == ["old", "first", "b", "c", "d"]
    twice = [{"name": "x"}, {"name": "x"}, {"name": "y", "needs": ["x"]}]
    assert call(plan, "add_tasks", tasks=twice).startswith("INVALID_ARGUMENT: tasks[2].needs: ")
    assert call(plan, "add_tasks", tasks=[]).startswith("INVALID_ARGUMENT: ")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("complete_task", {"task": 9, "result": "x"}, "TASK_NOT_FOUND"),
        ("complete_task", {"task": 2, "result": "x"}, "INVALID_STATUS"),
        ("complete_task", {"task": 1}, "INVALID_ARGUMENT"),
        ("complete_task", {"task": True, "result": "x"}, "INVALID_ARGUMENT"),
        ("complete_task", {"id": 1, "result": "x"}, "INVALID_ARGUMENT"),
        ("add_tasks", {"tasks": [{"name": "x", "needs": [99]}]}, "INVALID_DEPENDENCY"),
        ("add_tasks", {"tasks": [{"needs": []}]}, "INVALID_ARGUMENT"),
        ("add_tasks", {"tasks": [{"name": "x", "why": ""}]}, "INVALID_ARGUMENT"),
        ("set_progress", {"task": 1, "current": 3, "total": 2}, "INVALID_ARGUMENT"),
        ("findings_write", {"category": "x", "title": "t", "content": "c"}, "INVALID_ARGUMENT"),
    ],
)
def test_a_refusal_is_a_clear_text_with_its_code(
    name: str, arguments: dict[str, Any], code: str
) -> None:
    plan = make_plan("a")
    plan.add("b", [1])
    before = plan.revision
    answer = call(plan, name, **arguments)
    assert answer.startswith(f"{code}: ")
    assert "\n" not in answer
    assert len(answer) < 700
    assert plan.revision == before


def test_x2_a_task_with_checks_is_completed_only_if_they_pass(tmp_path: Path) -> None:
    pair = begin(tmp_path, MADE)
    pair.person.add("next", checks=[MADE])
    assert call(pair.agent, "complete_task", task=1, result="made").startswith("CHECK_FAILED: ")
    pair.make()
    assert call(pair.agent, "complete_task", task=1, result="made") == "1/2 done. Now 2."
    assert pair.label() == "proved"
    assert pair.label(2) != "proved"
    call(pair.agent, "complete_task", task=2, result="made")
    assert pair.label(2) == "proved (was green)"


def test_a5_secrets_are_kept_out_of_the_plan() -> None:
    plan = make_plan("a")
    key = "sk-ant-" + "a1B2" * 8
    call(plan, "add_tasks", tasks=[f"use {key}"])
    call(plan, "complete_task", task=1, result=f"key {key}")
    call(plan, "fail_task", task=2, error=f"key {key}")
    assert key not in repr(plan.tasks())
