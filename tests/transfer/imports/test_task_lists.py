"""U9: the task lists of other tools are read with status, dependencies and descriptions."""

import json
from typing import Any

import pytest

from outlast.errors import InvalidDocument, UnknownForm
from outlast.model.commands import CreatePlan
from outlast.model.model import Task
from tests.documents.json.plan_files import create_state
from tests.transfer.imports.samples import read_text


def plan_of(document: object, form: str) -> CreatePlan:
    found = read_text(json.dumps(document))
    assert found.form == form
    create_state(found.plan)  # it can be created
    return found.plan


def by_name(plan: CreatePlan) -> dict[str, Task]:
    return {task.name: task for task in plan.tasks}


def todo(content: str, status: str = "pending", **fields: Any) -> dict[str, Any]:
    return {"content": content, "status": status, **fields}


@pytest.mark.parametrize("wrapped", [False, True])
def test_u9_todos_are_tasks_in_their_order(wrapped: bool) -> None:  # noqa: FBT001 - a table
    todos = [todo("Read  it", "completed", id="a"), todo("Fix\nit", activeForm="Fixing it")]
    plan = plan_of({"todos": todos} if wrapped else todos, "todos")
    assert (plan.goal, plan.order, plan.begun, plan.next_id) == ("", "sequential", True, 3)
    read_it, fix_it = plan.tasks
    assert (read_it.name, read_it.status, read_it.how) == ("Read it", "completed", "reported")
    assert (fix_it.name, fix_it.active_form, fix_it.id) == ("Fix it", "Fixing it", 2)
    assert json.loads(read_it.extra) == {"id": "a"}
    assert plan_of({"goal": "g", "todos": todos}, "todos").goal == "g"


def task(number: object, title: str, needs: tuple[object, ...] = (), **fields: Any) -> Any:
    return {"id": number, "title": title, "dependencies": list(needs), **fields}


def test_u9_a_task_needs_its_subtasks_which_need_what_it_needs() -> None:
    subtasks = [task(1, "Sign in"), task(2, "Database", (1, "3.1")), task(4, "Both", ("2.1", 3))]
    tasks = [
        task(1, "Set up", status="done"),
        task(3, "Pages", subtasks=[task(1, "Header")]),
        task(2, "Core", (1,), subtasks=subtasks, status="in-progress"),
    ]
    plan = plan_of({"tasks": tasks, "meta": {"projectName": "Shop"}}, "task-master")
    assert (plan.goal, plan.order) == ("Shop", "graph")
    found = by_name(plan)
    ids = {name: found[name].id for name in found}
    assert [ids[name] for name in ("Set up", "Core", "Pages")] == [1, 2, 3]
    assert found["Sign in"].needs == (1,)
    assert found["Sign in"].alias == "2.1"
    assert found["Database"].needs == (ids["Sign in"], ids["Header"], 1)
    assert found["Core"].needs == (1, ids["Sign in"], ids["Database"], ids["Both"])
    assert found["Both"].needs == (ids["Sign in"], 3, 1)
    assert found["Pages"].needs == (ids["Header"],)
    assert list(found)[:3] == ["Set up", "Header", "Pages"]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("pending", "pending"),
        ("deferred", "pending"),
        ("blocked", "pending"),
        ("in-progress", "in_progress"),
        ("review", "in_progress"),
        ("done", "completed"),
        ("cancelled", "skipped"),
    ],
)
def test_u9_a_status_of_task_master_has_its_counterpart(status: str, expected: str) -> None:
    plan = plan_of({"tasks": [task(1, "a", status=status)]}, "task-master")
    assert plan.tasks[0].status == expected
    assert plan.begun == (expected != "pending")


def test_u9_descriptions_and_foreign_fields_are_kept() -> None:
    fields: dict[str, Any] = {
        "description": "What",
        "details": " How ",
        "testStrategy": "",
        "priority": "high",
    }
    [only] = plan_of({"tasks": [task("7", "a", **fields, outlast=1)]}, "task-master").tasks
    assert (only.id, only.alias, only.description) == (7, "", "What\n\nHow")
    assert json.loads(only.extra) == {"priority": "high"}


def test_u9_tags_are_phases() -> None:
    lists = {tag: {"tasks": [task(1, f"{tag} a"), task(2, f"{tag} b", (1,))]} for tag in "xy"}
    plan = plan_of(lists | {"empty": {"tasks": []}, "version": 2}, "task-master")
    assert [(phase.id, phase.title) for phase in plan.phases] == [("x", "x"), ("y", "y")]
    found = by_name(plan)
    assert found["y b"].needs == (found["y a"].id,)
    assert (found["y b"].phase, found["y b"].alias) == ("y", "y:2")


_FIRST = "tasks[0].dependencies[0]"


@pytest.mark.parametrize(
    ("document", "text", "where"),
    [
        ([todo("a", "open")], "document_bad_choice", "todos[0].status"),
        ([todo("a", activeForm=1)], "document_wrong_type", "todos[0].activeForm"),
        ({"tasks": [task(1, "a", status="odd")]}, "document_bad_choice", "tasks[0].status"),
        ({"tasks": [task(1, "a"), task(1, "b")]}, "document_id_twice", "tasks[1].id"),
        (
            {"m": {"tasks": [task(1, "a", (9,))]}},
            "document_unknown_task",
            "m.tasks[0].dependencies[0]",
        ),
        ({"tasks": [{"title": "a"}]}, "document_missing", "tasks[0].id"),
    ],
)
def test_u9_a_wrong_field_is_named(document: object, text: str, where: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        read_text(json.dumps(document))
    assert (caught.value.text, caught.value.details["where"]) == (text, where)


def test_u9_a_line_that_begins_with_a_bracket_is_markdown() -> None:
    found = read_text("[link](x)\n\n- [ ] a\n")
    assert (found.form, [task.name for task in found.plan.tasks]) == ("markdown", ["a"])


def claude(number: str, subject: str, **fields: Any) -> dict[str, Any]:
    base = {"id": number, "subject": subject, "description": "", "status": "pending"}
    return {**base, "blocks": [], "blockedBy": [], **fields}


def test_u9_tasks_of_claude_code_need_those_that_block_them() -> None:
    tasks = [
        claude("10", "Release", blockedBy=["2"]),
        claude("1", "Find", status="completed", blocks=["2", "x-1"], activeForm="Finding"),
        claude("2", "Fix", blockedBy=["1"], owner="mira", metadata={"area": 1}, description="It"),
        claude("x-1", "Tell", blockedBy=["2", "2"]),
    ]
    plan = plan_of(tasks, "claude-tasks")
    assert plan == plan_of({"tasks": tasks}, "claude-tasks")
    assert plan.order == "graph"
    assert [(task.id, task.name, task.needs, task.alias) for task in plan.tasks] == [
        (1, "Find", (), ""),
        (2, "Fix", (1,), ""),
        (10, "Release", (2,), ""),
        (11, "Tell", (1, 2), "x-1"),
    ]
    assert (plan.tasks[0].active_form, plan.tasks[1].description) == ("Finding", "It")
    assert json.loads(plan.tasks[1].extra) == {"owner": "mira", "metadata": {"area": 1}}


def test_u9_a_deleted_task_of_claude_code_that_blocks_another_is_reported_and_kept() -> None:
    task = claude("3", "Fix", blockedBy=["1"], blocks=["9"])
    found = read_text(json.dumps(task))
    assert [(line.text, line.why) for line in found.unread] == [
        ("3: blockedBy 1", "import_need"),
        ("3: blocks 9", "import_need"),
    ]
    assert json.loads(found.plan.tasks[0].extra) == {"blockedBy": ["1"], "blocks": ["9"]}


def test_m7_what_a_list_says_about_itself_is_kept() -> None:
    todos = plan_of({"todos": [todo("a", "cancelled")], "sessionId": "s"}, "todos")
    assert (todos.tasks[0].status, json.loads(todos.extra)) == (
        "skipped",
        {"top": {"todos": {"sessionId": "s"}}},
    )
    meta = {"projectName": "Shop", "version": 1}
    old = plan_of({"tasks": [task(1, "a", status="completed")], "meta": meta}, "task-master")
    assert json.loads(old.extra) == {"top": {"task-master": {"meta": meta}}}
    tags = {
        "x": {"tasks": [task(1, "a")], "metadata": {"description": " First "}},
        "y": {"tasks": [task(1, "b")]},
    }
    plan = plan_of({**tags, "version": 2}, "task-master")
    assert [phase.notes for phase in plan.phases] == ["First", ""]
    kept = {"version": 2, "x": {"metadata": {"description": " First "}}}
    assert json.loads(plan.extra) == {"top": {"task-master": kept}}


@pytest.mark.parametrize("form", ["todos", "claude-tasks", "task-master"])
@pytest.mark.parametrize("document", [None, [], {}, [1], {"tasks": {}}])
def test_u9_a_list_that_is_not_in_the_form_that_was_named_is_refused(
    form: str, document: object
) -> None:
    with pytest.raises(UnknownForm) as caught:
        read_text(json.dumps(document), form)
    assert caught.value.details["near"] == form
