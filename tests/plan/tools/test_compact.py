"""X5: the compact tools: few tokens of schemas, answers of one line whatever the plan's size."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from bench.tokenizer import tokens
from outlast import Plan
from outlast.errors import InvalidArgument, ToolFailed
from outlast.model.commands import CreatePlan
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.tools import Dialect
from outlast.plan.tools.compact import COMPACT, DETAILS, LOOP_TOOLS
from outlast.plan.tools.manager_tools import TOOLS
from outlast.plan.tools.tool_sets import find_tool, plan_tool_specs, tool_schemas, tool_set
from tests.making import make_plan
from tests.proof.proven import MADE, begin

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
    assert tool_set("full") == (*TOOLS, DETAILS), "details have no other tool in either set"
    assert [tool.name for tool in tool_set("default")] == [
        "add_tasks",
        "complete_task",
        "fail_task",
        "skip_task",
        "set_progress",
        "plan_read",
        "plan_details",
        "findings_write",
        "todo_write",
    ]
    assert [tool.name for tool in LOOP_TOOLS] == ["ask_user", "propose_goal"]
    assert not {tool.name for tool in TOOLS} & {tool.name for tool in COMPACT}
    with pytest.raises(InvalidArgument, match="which"):
        tool_set("all")  # type: ignore[arg-type]


def test_a_loop_offers_all_tools_of_a_set_and_the_plan_runs_all_but_ask_user() -> None:
    names = [spec.name for spec in plan_tool_specs()]
    assert names == [tool.name for tool in (*COMPACT, *LOOP_TOOLS)]
    full = [spec.name for spec in plan_tool_specs("full")]
    asking = [tool.name for tool in LOOP_TOOLS]
    assert full == [*(tool.name for tool in TOOLS), DETAILS.name, *asking], "either set can ask"
    assert [name for name in names if find_tool(name) is None] == asking
    for tool in LOOP_TOOLS:
        with pytest.raises(ToolFailed, match=tool.name):
            tool.handler(make_plan(), "x")


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
    call(plan, "complete_task", task=1, result="")
    call(plan, "add_tasks", tasks=["look", {"name": "end", "needs": ["look", "tell"]}])
    assert plan.task(7).needs == (5, 6), "of the same call first"
    assert call(plan, "add_tasks", tasks=[{"name": "x", "needs": ["write"]}]) == (
        "INVALID_ARGUMENT: tasks[0].needs: the tasks 2, 3 are named write; use the number instead"
    )
    assert "there is no task nobody" in call(
        plan, "add_tasks", tasks=[{"name": "x", "needs": ["nobody"]}]
    )


def test_x5_open_tasks_are_not_added_again_and_the_answer_says_so() -> None:
    plan = make_plan()
    assert call(plan, "add_tasks", tasks=["a", "b"]) == "Added 1-2, 0/2 done. Now 1."
    again = call(plan, "add_tasks", tasks=["a", "b"])
    assert again == "Not added again, as the plan already has 1, 2. 0/2 done. Now 1."
    more = call(plan, "add_tasks", tasks=["b", {"name": "c", "needs": ["b"]}])
    assert more == "Not added again, as the plan already has 2. Added 3, 0/3 done. Now 1."
    assert plan.task(3).needs == (2,)
    call(plan, "complete_task", task=1, result="")
    assert call(plan, "add_tasks", tasks=["a"]) == "Added 4, 1/4 done. Now 2.", "it has ended"


@pytest.mark.parametrize(
    ("tasks", "order"),
    [
        (["a", {"name": "b", "description": "c"}], "sequential"),
        (["a", {"name": "b", "needs": ["a"]}], "graph"),
        (["a", {"name": "b", "needs": []}], "sequential"),
    ],
)
def test_m2_first_tasks_of_an_agents_plan_are_done_in_turn_unless_needs_occur(
    tasks: list[Any], order: str
) -> None:
    own = create_memory_plan(CreatePlan("plan_1", "Ship it", begun=True), "agent")
    call(own, "add_tasks", tasks=tasks)
    assert own.order == order
    call(own, "add_tasks", tasks=["c"])
    assert own.order == order
    other = make_plan()
    call(other, "add_tasks", tasks=tasks)
    assert other.order == "graph", "the order that a program has chosen stays"


def test_r0_14_the_details_of_a_task_may_be_asked_for_by_its_usual_name() -> None:
    plan = make_plan("look")
    page = call(plan, "plan_details", about=1)
    assert call(plan, "plan_details", task=1) == call(plan, "plan_details", task="1") == page
    assert call(plan, "plan_details", task=1, about=1).startswith("INVALID_ARGUMENT: task: ")
    assert "about: missing" in call(plan, "plan_details")


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


@pytest.mark.parametrize("empty", ["", None, [], {}])
def test_an_optional_argument_that_is_empty_is_absent(empty: object) -> None:
    plan = make_plan("old")
    tasks = [{"name": "new", "needs": empty, "why": empty}]
    assert call(plan, "add_tasks", tasks=tasks, insert_after=empty, more=empty).startswith("Added")
    call(plan, "fail_task", task=1, error="x", retry=empty)
    assert plan.task(1).retry_count == 1
    note = {"category": "code", "title": "t", "content": "c", "source": empty}
    assert call(plan, "findings_write", **note).startswith("Finding saved")
    assert "old" in call(plan, "plan_read", includeCompleted=empty)


@pytest.mark.parametrize("ref", [1, "1", "#1", "step_1", 1.0])
def test_m1_a_task_is_named_by_its_number_in_any_spelling(ref: object) -> None:
    plan = make_plan("a", "b")
    assert call(plan, "add_tasks", tasks=[{"name": "c", "needs": ref}]).startswith("Added 3")
    assert plan.task(3).needs == (1,)
    assert call(plan, "complete_task", task=ref, result=7).startswith("1/3 done.")
    assert plan.task(1).result == "7"
    assert call(plan, "set_progress", task="2", current="1", total="3") == "Task 2: 1/3"


def test_what_says_the_same_is_understood() -> None:
    plan = make_plan("a")
    assert call(plan, "add_tasks", tasks="b").startswith("Added 2")
    assert call(plan, "add_tasks", tasks='[{"name": "c"}, "d",]').startswith("Added 3-4")
    assert call(plan, "add_tasks", tasks={"name": "e"}).startswith("Added 5")
    call(plan, "fail_task", task=1, error="x", retry="false")
    assert plan.task(1).status == "failed"
    todo = {"content": "b", "status": "In Progress", "activeForm": "", "phaseId": ""}
    assert "b" in call(plan, "todo_write", todos=todo, persist="true")
    assert plan.task(2).status == "in_progress"


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
        ("add_tasks", {"tasks": [{"name": "x", "why": "y"}]}, "INVALID_ARGUMENT"),
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
    first, second = plan.tasks()
    texts = (first.result, second.name, second.error)
    assert texts == ("key [redacted]", "use [redacted]", "key [redacted]")


def test_m6_the_tools_say_what_was_assumed_and_confirm_it() -> None:
    plan = make_plan("a", "b")
    plan.complete(1, how="assumed")
    said = call(plan, "skip_task", task=2, reason="")
    assert said == "Skipped 2, 2/2. 1 was only assumed to be done; complete it to confirm that."
    assert call(plan, "complete_task", task=1, result="yes") == "2/2 done. The plan is complete."
    assert plan.task(1).how == "reported"


def test_m6_a_list_that_says_completed_confirms_an_assumed_task() -> None:
    plan = make_plan("a")
    plan.complete(1, "seems so", how="assumed")
    todo = {"content": "a", "status": "completed", "activeForm": "a"}
    call(plan, "todo_write", todos=[todo], persist=True)
    assert (plan.status, plan.task(1).how, plan.task(1).result) == (
        "completed",
        "reported",
        "seems so",
    )
