"""R4.10: `todo_write`, `plan_read`, `findings_write`, with the document's schemas and words."""

from pathlib import Path
from typing import Any

import pytest

from outlast import Plan, create_plan
from outlast.model.model import Check
from outlast.plan.tools.calls import Outcome
from outlast.plan.tools.compact import COMPACT
from outlast.plan.tools.dispatch import call_tool
from outlast.plan.tools.tool_sets import parameters_schema
from outlast.store.port import Layout
from tests.making import make_plan

SAVED = "\n\n(Saved to the plan)"


def todo(content: str, status: str = "pending", **more: str) -> dict[str, str]:
    return {"content": content, "status": status, "activeForm": f"{content}ing", **more}


def write(plan: Plan, *todos: Any, **more: Any) -> Outcome:
    return call_tool(plan, "todo_write", {"todos": list(todos), **more})


def read(plan: Plan, **arguments: Any) -> str:
    return call_tool(plan, "plan_read", arguments).text


def tasks_of(plan: Plan) -> list[tuple[str, str]]:
    return [(task.name, task.status) for task in plan.tasks()]


def schema(name: str) -> dict[str, Any]:
    return next(parameters_schema(tool) for tool in COMPACT if tool.name == name)


def test_r4_10_the_schemas_are_the_documents() -> None:
    assert schema("todo_write") == {
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "description": "Array of todo items",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "description": "Task description"},
                        "status": {
                            "type": "string",
                            "enum": ["pending", "in_progress", "completed"],
                        },
                        "activeForm": {"type": "string", "description": "Present continuous form"},
                        "phaseId": {
                            "type": "string",
                            "description": "Phase ID for persistent plans",
                        },
                    },
                    "required": ["content", "status", "activeForm"],
                },
            },
            "persist": {
                "type": "boolean",
                "description": "Save to task_plan.md file (default: false)",
                "default": False,
            },
            "planTitle": {
                "type": "string",
                "description": "Title for the plan (required when persist=true for new plans)",
            },
        },
        "required": ["todos"],
    }
    assert schema("plan_read") == {
        "type": "object",
        "properties": {
            "includeCompleted": {
                "type": "boolean",
                "description": "Include completed steps in output (default: false)",
                "default": False,
            }
        },
    }
    assert schema("findings_write")["required"] == ["category", "title", "content"]
    assert schema("findings_write")["properties"]["category"] == {
        "type": "string",
        "enum": ["code", "architecture", "dependency", "issue", "insight"],
        "description": "Category of the finding",
    }


def test_r4_10_without_persist_only_the_list_in_memory_changes() -> None:
    plan = make_plan("a")
    before = plan.revision
    answer = write(plan, todo("x", "completed"), todo("y", "in_progress"), todo("z"))
    assert answer.text == "Todo list updated (1/3 completed):\n● x\n◐ y\n○ z"
    assert [(one.content, one.status, one.active_form) for one in answer.todos or ()] == [
        ("x", "completed", "xing"),
        ("y", "in_progress", "ying"),
        ("z", "pending", "zing"),
    ]
    assert plan.revision == before


def test_r4_10_a_plan_without_tasks_is_created_from_the_list() -> None:
    plan = make_plan(goal="Refactor it")
    before = plan.revision
    answer = write(
        plan,
        todo("look", "completed"),
        todo("build", "in_progress"),
        todo("test"),
        persist=True,
        planTitle="Cache",
    )
    assert answer.text == "Plan created:\nTitle: Cache\nSteps: 3"
    assert (plan.title, plan.goal) == ("Cache", "Refactor it")
    assert tasks_of(plan) == [("look", "completed"), ("build", "in_progress"), ("test", "pending")]
    assert {task.phase for task in plan.tasks()} == {"main"}
    assert plan.task(3).active_form == "testing"
    assert plan.revision == before + 1


@pytest.mark.parametrize("layout", ["outlast", "code-agent", "sessions"])
def test_r4_10_the_answer_names_the_file_of_the_plan(tmp_path: Path, layout: Layout) -> None:
    with create_plan(str(tmp_path), "Refactor it", "k", layout=layout) as plan:
        answer = write(plan, todo("look"), persist=True, planTitle="Cache")
        path = plan.files.paths()[0]
        name = "plan.json" if layout == "sessions" else "task_plan.md"
        assert answer.text == (
            f"Plan created and saved to {name}:\nTitle: Cache\nSteps: 1\nPath: {path}"
        )
        again = write(plan, todo("look"), persist=True)
        assert again.text.endswith(f"\n\n(Saved to {name})")


def test_r4_10_a_created_plan_keeps_its_title_if_none_is_given() -> None:
    plan = make_plan(goal="Refactor it")
    assert not write(plan, todo("a"), persist=True).is_refused
    assert plan.title == "Refactor it"


def test_r4_10_with_no_plan_a_title_is_needed() -> None:
    plan = make_plan(goal="")
    answer = write(plan, todo("a"), persist=True)
    assert answer.text == "planTitle is required when creating a new persistent plan"
    assert answer.is_refused
    assert answer.todos is not None
    assert plan.tasks() == ()
    write(plan, todo("a"), persist=True, planTitle="T")
    assert (plan.title, plan.goal) == ("T", "Task objectives extracted from todos")


def test_r4_10_an_invalid_list_is_reported_and_changes_nothing() -> None:
    plan = make_plan()
    plan.pause()
    answer = write(plan, todo("a", "in_progress"), persist=True)
    assert answer.text.startswith("Failed to persist plan: ")
    assert answer.code == "PLAN_NOT_ACTIVE"
    assert plan.tasks() == ()


def test_m2_a_list_is_sequential_unless_it_was_not_worked_in_order() -> None:
    plan = make_plan(order="graph")
    write(plan, todo("a", "completed"), todo("b", "in_progress"), todo("c"), persist=True)
    assert plan.core.read(lambda state: state.order) == "sequential"
    plan = make_plan(order="sequential")
    write(plan, todo("a"), todo("b", "completed"), persist=True)
    assert tasks_of(plan) == [("a", "pending"), ("b", "completed")]
    assert plan.core.read(lambda state: state.order) == "graph"


def test_r4_10_a_plan_with_tasks_is_matched_by_content_and_phase() -> None:
    plan = make_plan("a", "b", "unlisted")
    plan.add_phase("More")
    plan.add("a", phase="more")
    answer = write(
        plan,
        todo("a", "in_progress", phaseId="more"),
        todo("b", "completed"),
        todo("new", phaseId="more"),
        persist=True,
    )
    assert answer.text == f"Todo list updated (1/3 completed):\n◐ a\n● b\n○ new{SAVED}"
    assert tasks_of(plan) == [
        ("a", "pending"),
        ("b", "completed"),
        ("unlisted", "pending"),
        ("a", "in_progress"),
        ("new", "pending"),
    ]
    assert plan.tasks()[-1].phase == "more"


ORDER_GIVEN_UP = (
    "\n(The steps were not worked on in turn: from now on they may be done in any order)"
)


@pytest.mark.parametrize(
    ("listed", "shown", "order"),
    [
        ("a.", "a. b. c.", "sequential"),
        ("b>", "a. b> c.", "graph"),
        ("a. b> c.", "a. b> c.", "graph"),
        ("b> a.", "a. b> c.", "graph"),
        ("a. b+", "a. b+ c.", "graph"),
        ("b+ a>", "a> b+ c.", "graph"),
        ("b+ a+ c>", "a+ b+ c>", "sequential"),
        ("b> a+", "a+ b> c.", "sequential"),
        ("c+ b+ a+", "a+ b+ c+", "sequential"),
        ("a> b> c.", "a> b> c.", "graph"),
        ("a+ x> b.", "a+ x> b. c.", "sequential"),
        ("a+ b. x. c.", "a+ b. x. c.", "sequential"),
        ("x. a+ y> b.", "x. a+ y> b. c.", "graph"),
        ("x> y. b.", "a. x> y. b. c.", "graph"),
        ("x> z.", "a. b. c. x> z.", "graph"),
    ],
)
@pytest.mark.parametrize("started", [True, False])
def test_m2_a_list_that_is_out_of_turn_is_followed(
    listed: str, shown: str, order: str, *, started: bool
) -> None:
    """`a>` is in progress, `a+` completed, `a.` pending; the plan is a, b, c in turn."""
    marks = {".": "pending", ">": "in_progress", "+": "completed"}
    plan = make_plan("a", "b", "c", order="sequential")
    if started:
        plan.start(1)
    items = [todo(item[0], marks[item[1]]) for item in listed.split()]
    answer = write(plan, *items, persist=True)
    assert "Refused" not in answer.text
    assert answer.text.endswith(SAVED + ORDER_GIVEN_UP if order == "graph" else SAVED)
    assert tasks_of(plan) == [(item[0], marks[item[1]]) for item in shown.split()]
    assert plan.order == order
    before = plan.revision
    assert write(plan, *items, persist=True).text.endswith(SAVED)  # it is said once
    assert plan.revision == before


def test_m2_a_refused_completion_is_not_a_step_out_of_turn() -> None:
    plan = make_plan(order="sequential", checker=None)
    plan.add("proved", checks=[Check("file", "made.txt")])
    plan.add("b")
    plan.start(1)
    answer = write(plan, todo("proved", "completed"), todo("b", "in_progress"), persist=True)
    refused = answer.text.partition("Refused:\n")[2]
    assert [line.split(":")[0] for line in refused.splitlines()] == ["- proved", "- b"]
    assert (plan.order, plan.task(2).status) == ("sequential", "pending")


def test_m2_the_history_says_why_the_order_was_given_up() -> None:
    plan = make_plan("a", "b", order="sequential")
    write(plan, todo("b", "in_progress"), persist=True)
    reasons = [commit.reason for commit in plan.core.store.commits_since(0)]
    assert reasons[-1] == "task 2 was worked on before its turn: the order no longer binds"
    plan.undo()
    assert (plan.order, plan.task(2).status) == ("sequential", "pending")


def test_r4_10_a_new_step_takes_its_place_in_the_phase_it_names() -> None:
    plan = make_plan("a")
    plan.add_phase("More")
    plan.add("b", phase="more")
    items = (todo("x", phaseId="more"), todo("a"), todo("b"), todo("y", phaseId="main"))
    write(plan, *items, persist=True)
    assert [(task.phase, task.name) for task in plan.tasks()] == [
        ("main", "a"),
        ("main", "y"),
        ("more", "x"),
        ("more", "b"),
    ]


def test_r4_10_the_same_list_again_changes_nothing() -> None:
    plan = make_plan("a")
    todos = (todo("a", "completed"), todo("b", "in_progress"), todo("b"))
    write(plan, *todos, persist=True)
    before = plan.revision
    write(plan, *todos, persist=True)
    assert plan.revision == before
    assert tasks_of(plan) == [("a", "completed"), ("b", "in_progress"), ("b", "pending")]


def test_r4_10_refusals_are_listed_and_the_rest_is_done() -> None:
    plan = make_plan("a", checker=None)
    plan.add("b", [1])
    plan.add("proved", checks=[Check("file", "made.txt")])
    answer = write(
        plan,
        todo("b", "completed"),
        todo("proved", "completed"),
        todo("lost", phaseId="nowhere"),
        todo("a", "completed"),
        persist=True,
    )
    saved, _, refused = answer.text.partition(f"{SAVED}\nRefused:\n")
    assert saved.startswith("Todo list updated (3/4 completed):")
    assert [line.split(":")[0] for line in refused.splitlines()] == ["- b", "- proved", "- lost"]
    assert plan.task(1).status == "completed"
    assert not answer.is_refused


def test_r4_10_a_finished_step_is_reopened_if_the_list_says_so() -> None:
    plan = make_plan("a", "b")
    plan.complete(1)
    plan.start(2)
    write(plan, todo("a", "in_progress"), todo("b"), persist=True)
    assert tasks_of(plan) == [("a", "in_progress"), ("b", "pending")]


def test_r4_10_a_value_that_is_no_list_is_refused_in_the_documents_words() -> None:
    plan = make_plan()
    answer = call_tool(plan, "todo_write", {"todos": "a, b"})
    assert answer.text == "INVALID_ARGUMENT: todos must be an array"
    assert answer.todos is None
    assert write(plan, todo("x"), persist="maybe").code == "INVALID_ARGUMENT"
    for wrong in ({"content": "x"}, {"status": "pending"}, todo("x", "done"), "x", todo("")):
        assert write(plan, wrong).code == "INVALID_ARGUMENT"


def test_r4_10_plan_read_hides_only_what_is_completed() -> None:
    plan = make_plan("a", "b", "c", "d", goal="Do it")
    plan.complete(1)
    plan.skip(2)
    plan.fail(3, "no", retry=False)
    head = "# Do it\n\n**Objective:** Do it\n**Progress:** 2/4\n\n## ◐ Main Tasks\n\n"
    rest = "- ⊘ b (#2)\n- ✖ c (#3)\n- ○ d (#4)\n"
    assert read(plan) == head + rest
    assert read(plan, includeCompleted=True) == f"{head}- ● a (#1)\n{rest}"


def test_r4_10_plan_read_says_that_there_is_no_plan() -> None:
    said = "No plan exists. Use todo_write with persist=true to create one."
    assert read(make_plan(goal="")) == said
    assert read(make_plan(goal="g")).startswith("# g\n")


def test_r4_10_plan_read_shows_a_large_plan_around_the_current_step() -> None:
    plan = make_plan()
    call_tool(plan, "add_tasks", {"tasks": [f"step {n}" for n in range(1, 1_001)]})
    for number in range(1, 501):
        plan.complete(number)
    shown = read(plan, includeCompleted=True)
    assert "● step 481 " in shown
    assert "◐ step 501 " in shown or "○ step 501 " in shown
    assert "step 480 " not in shown
    assert shown.endswith("(900 more)")


def test_r4_10_a_finding_is_saved() -> None:
    plan = make_plan()
    found = {"category": "code", "title": "It is slow", "content": "See above", "source": "a.py"}
    assert call_tool(plan, "findings_write", found).text == (
        "Finding saved:\nCategory: code\nTitle: It is slow\nID: 1"
    ), "a plan in memory has no file"
    [finding] = plan.notes.findings()
    assert (finding.title, finding.source, finding.author) == ("It is slow", "a.py", "tester")


def test_a6_invisible_characters_of_a_plan_are_spelled_out() -> None:
    plan = make_plan("a\u202eb\x1b[31m")
    assert "- ○ a\\u202eb\\x1b[31m (#1)" in read(plan)
