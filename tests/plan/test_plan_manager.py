"""R2.01 to R2.04: the functions for models, in the document's shapes."""

import json
from typing import Any

import pytest

from outlast import PlanManager
from outlast.errors import InvalidArgument
from outlast.plan.tools.manager_tools import TOOLS
from tests.making import data, error, make_manager

SIX = ["id", "name", "status", "dependencies", "reasoning", "result"]


def test_r2_01_it_works_in_memory_by_default() -> None:
    manager = PlanManager(goal="Buy")
    assert manager.plan.goal == "Buy"
    assert data(manager.getTaskList()) == {"tasks": [], "total": 0, "filtered": 0}


def test_r2_01_the_constructor_raises_the_error_tree() -> None:
    with pytest.raises(InvalidArgument, match="actor: expected some text"):
        PlanManager(actor="")
    with pytest.raises(InvalidArgument, match="goal: expected str, got int"):
        PlanManager(goal=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="plan: expected Plan, got str"):
        PlanManager("Buy a keyboard")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="goal: the given plan already has a goal"):
        PlanManager(make_manager().plan, goal="another")


def test_r2_02_every_function_has_both_spellings() -> None:
    manager = PlanManager()
    names = {tool.name for tool in TOOLS}
    assert names == {
        *("getCurrentTask", "startNextTask", "completeTask", "failTask"),
        *("addTask", "updateTask", "skipTask", "removeTask"),
        *("getTaskList", "getPlanStatus", "getTaskById", "getExecutableTaskList"),
        *("pausePlan", "resumePlan", "resetPlan", "initializePlan", "reopenTask"),
    }
    for tool in TOOLS:
        camel, snake = getattr(manager, tool.name), getattr(manager, tool.snake_name)
        assert camel.__doc__ == snake.__doc__
        assert camel.__doc__.partition("\n")[0] == tool.description
        assert (camel.__name__, snake.__name__) == (tool.name, tool.snake_name)
    assert data(manager.get_plan_status()) == data(manager.getPlanStatus())


def test_r2_02_argument_names_are_the_documents() -> None:
    manager = make_manager("a")
    data(manager.addTask(name="b", dependencies=[1], reasoning="r", after_task_id=1))
    data(manager.updateTask(task_id=2, updates={"name": "B"}))
    data(manager.completeTask(task_id=1, result="x"))
    data(manager.failTask(task_id=2, error_message="e", should_retry=False))
    data(manager.skipTask(task_id=2, reason="r"))
    data(manager.reopenTask(task_id=2, reason="r"))
    data(manager.getTaskById(task_id=2))
    data(manager.getTaskList(status_filter="pending"))
    data(manager.removeTask(task_id=2))


def test_r2_02_initialize_takes_dependencies_by_position_or_name() -> None:
    manager = PlanManager()
    tasks: list[dict[str, Any]] = [
        {"name": "open", "reasoning": "first"},
        {"name": "search", "dependencies": [1]},
        {"name": "buy", "dependencies": ["open", 2]},
        {"name": "pay", "dependencies": ["step_3"]},
        {"name": "2", "dependencies": None},
        {"name": "last", "dependencies": ["2"]},
    ]
    made = data(manager.initializePlan("Shop", tasks))
    assert [task["dependencies"] for task in made["tasks"]] == [[], [1], [1, 2], [3], [], [5]]
    assert (made["total"], made["message"]) == (6, "Plan initialized successfully")
    assert (manager.plan.goal, manager.plan.title) == ("Shop", "Shop")


def test_r2_02_initialize_is_all_or_nothing() -> None:
    manager = PlanManager(goal="old")
    cases: list[tuple[list[Any], str | None]] = [
        ([{"name": "a"}, {"name": "b", "dependencies": [3]}], "INVALID_DEPENDENCY"),
        ([{"name": "a"}, {"name": "b", "dependencies": ["x"]}], "INVALID_DEPENDENCY"),
        ([{"name": "a", "dependencies": [2]}, {"name": "b", "dependencies": [1]}], None),
        ([{"name": "a"}, {"name": "a"}, {"name": "b", "dependencies": ["a"]}], "INVALID_ARGUMENT"),
        ([{"name": "a"}, {"nam": "b"}], "INVALID_ARGUMENT"),
        ([{"name": "a"}, {"reasoning": "b"}], "INVALID_ARGUMENT"),
        ([{"name": "a"}, "b"], "INVALID_ARGUMENT"),
    ]
    for tasks, code in cases:
        found = error(manager.initializePlan("g", tasks), code or "CIRCULAR_DEPENDENCY")
        assert code or found["details"]["cycle"] == [1, 2, 1]
        assert (manager.plan.goal, manager.plan.tasks()) == ("old", ())


def test_r2_02_initialize_follows_a_finished_plan_only() -> None:
    manager = PlanManager()
    data(manager.initializePlan("g", [{"name": "a"}]))
    first = manager.plan.id
    found = error(manager.initializePlan("h", [{"name": "b"}]), "INVALID_STATUS")
    assert "unfinished" in found["message"]
    data(manager.completeTask(1, "x"))
    made = data(manager.initializePlan("h", [{"name": "b"}, {"name": "c"}]))
    assert [task["id"] for task in made["tasks"]] == [1, 2]
    assert (manager.plan.goal, manager.plan.status) == ("h", "idle")
    assert manager.plan.id != first
    data(manager.failTask(1, "x", should_retry=False))
    data(manager.failTask(2, "x", should_retry=False))
    data(manager.initializePlan("i", []))
    assert manager.plan.tasks() == ()


def test_r2_02_an_emptied_plan_goes_on_counting() -> None:
    manager = make_manager("a")
    data(manager.removeTask(1))
    made = data(manager.initializePlan("g", [{"name": "b"}, {"name": "c", "dependencies": [1]}]))
    assert [(task["id"], task["dependencies"]) for task in made["tasks"]] == [(2, []), (3, [2])]


def test_r2_02_reopen_accepts_failed_and_finished_tasks() -> None:
    manager = make_manager("a", "b", "c")
    data(manager.addTask("d", [1]))
    data(manager.completeTask(1, "x"))
    data(manager.skipTask(2, "x"))
    data(manager.failTask(3, "boom"))
    data(manager.failTask(3, "boom", should_retry=False))
    for task in (1, 2, 3):
        assert data(manager.reopenTask(task, "again")) == {
            "task_id": task,
            "message": "Task reopened successfully",
        }
        found = data(manager.getTaskById(task))["task"]
        assert (found["status"], found["result"]) == ("pending", None)
        assert manager.plan.task(task).retry_count == 0
        error(manager.reopenTask(task, "again"), "INVALID_STATUS")
    assert data(manager.getTaskById(4))["task"]["outlast"] == {"blocked_by": [1]}
    data(manager.completeTask(1, "x"))
    data(manager.completeTask(4, "x"))
    data(manager.reopenTask(1, "again"))
    assert data(manager.getTaskById(4))["task"]["status"] == "completed"


def test_r2_03_the_documents_shapes_and_messages() -> None:
    manager = make_manager("Navigate", "Search")
    assert data(manager.startNextTask())["message"] == "Started task 1: Navigate"
    assert list(data(manager.getCurrentTask())) == SIX
    assert data(manager.completeTask(1, "ok")) == {
        "task_id": 1,
        "message": "Task completed successfully",
    }
    assert data(manager.failTask(2, "no")) == {
        "task_id": 2,
        "will_retry": True,
        "retry_count": 1,
        "message": "Task failed, will retry",
    }
    added = data(manager.addTask("Buy", [1], "why"))
    assert added["message"] == "Task added successfully"
    assert added["new_task"] == {
        "id": 3,
        "name": "Buy",
        "status": "pending",
        "dependencies": [1],
        "reasoning": "why",
        "result": None,
    }
    updated = data(manager.updateTask(3, {"name": "Pay"}))
    assert (updated["updated_task"]["name"], updated["message"]) == (
        "Pay",
        "Task updated successfully",
    )
    assert data(manager.skipTask(3, "free"))["message"] == "Task skipped: free"
    assert data(manager.getTaskList("completed"))["filtered"] == 1
    assert data(manager.getExecutableTaskList())["count"] == 1
    assert data(manager.pausePlan()) == {"message": "Plan paused successfully"}
    assert data(manager.resumePlan()) == {"message": "Plan resumed successfully"}
    assert data(manager.removeTask(2)) == {"task_id": 2, "message": "Task removed successfully"}
    assert data(manager.resetPlan()) == {"message": "Plan reset successfully", "reset_tasks": 2}
    assert error(manager.getTaskById(9), "TASK_NOT_FOUND")["message"] == "Task with ID 9 not found"


def test_r2_03_a_task_has_six_keys_and_an_extension_for_the_rest() -> None:
    manager = make_manager("a")
    data(manager.failTask(1, "boom"))
    manager.plan.set_progress(1, 1, 2)
    manager.plan.update(1, active_form="Doing", kind="code")
    task = data(manager.getTaskById(1))["task"]
    assert list(task) == [*SIX, "outlast"]
    assert task["outlast"] == {
        "error": "boom",
        "retry_count": 1,
        "progress": {"current": 1, "total": 2},
        "active_form": "Doing",
        "kind": "code",
    }


def test_r2_04_the_first_error_that_applies_is_reported() -> None:
    manager = PlanManager()
    error(manager.call("completeTask", {"task_id": None, "result": "x"}), "INVALID_ARGUMENT")
    error(manager.call("completeTask", {"task_id": 7}), "INVALID_ARGUMENT")
    error(manager.completeTask(7, "x"), "PLAN_NOT_ACTIVE")
    data(manager.addTask("a"))
    error(manager.completeTask(7, "x"), "TASK_NOT_FOUND")
    data(manager.addTask("b", [1]))
    data(manager.startNextTask())
    error(manager.updateTask(1, {"dependencies": [9]}), "TASK_NOT_EDITABLE")
    error(manager.updateTask(9, {"dependencies": [9]}), "TASK_NOT_FOUND")
    error(manager.addTask("c", [9], after_task_id=8), "TASK_NOT_FOUND")
    error(manager.removeTask(1), "TASK_NOT_EDITABLE")


def test_r2_04_status_codes() -> None:
    manager = make_manager("a", "b", "c")
    data(manager.completeTask(1, "x"))
    data(manager.failTask(2, "x", should_retry=False))
    for call in (manager.completeTask, manager.failTask):
        error(call(1, "x"), "INVALID_STATUS")
        error(call(2, "x"), "INVALID_STATUS")
    error(manager.skipTask(1, "x"), "INVALID_STATUS")
    error(manager.updateTask(1, {"name": "x"}), "TASK_NOT_EDITABLE")
    error(manager.removeTask(1), "TASK_NOT_EDITABLE")
    error(manager.removeTask(2), "TASK_NOT_EDITABLE")
    data(manager.updateTask(2, {"name": "B"}))
    error(manager.resumePlan(), "INVALID_STATUS")
    data(manager.pausePlan())
    error(manager.pausePlan(), "INVALID_STATUS")


def test_r2_04_cycles_are_given_closed() -> None:
    manager = make_manager("a", "b", "c")
    data(manager.updateTask(2, {"dependencies": [1]}))
    data(manager.updateTask(3, {"dependencies": [2]}))
    found = error(manager.updateTask(1, {"dependencies": [3]}), "CIRCULAR_DEPENDENCY")
    assert found["details"]["cycle"] == [1, 3, 2, 1]
    found = error(manager.updateTask(1, {"dependencies": [1]}), "CIRCULAR_DEPENDENCY")
    assert found["details"]["cycle"] == [1, 1]


def test_every_answer_is_json() -> None:
    manager = make_manager("a")
    for tool in TOOLS:
        json.dumps(getattr(manager, tool.name)(), allow_nan=False)
