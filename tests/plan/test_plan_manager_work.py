"""R2.05 to R2.09: starting, failing, removing, pausing, counting."""

from typing import Any

from outlast import PlanManager, create_plan
from outlast.model.model import StatusFilter
from tests.making import data, error, make_manager

FILTERS: tuple[StatusFilter | None, ...] = ("pending", "blocked", "completed", None)


def test_r2_05_start_takes_the_first_executable_in_list_order() -> None:
    manager = make_manager("a", "b")
    data(manager.addTask("urgent", after_task_id=1))
    data(manager.skipTask(1, "x"))
    assert data(manager.startNextTask())["task"]["name"] == "urgent"
    found = error(manager.startNextTask(), "INVALID_STATUS")
    assert found["details"]["task_id"] == 3


def test_r2_05_actors_have_their_own_current_task() -> None:
    plan = create_plan("memory:", "g")
    ann, bob = PlanManager(plan, actor="ann"), PlanManager(plan, actor="bob")
    data(ann.addTask("a"))
    data(ann.addTask("b"))
    assert data(ann.startNextTask())["task"]["id"] == 1
    assert data(bob.startNextTask())["task"]["id"] == 2
    assert data(bob.getCurrentTask())["id"] == 2
    assert data(bob.getPlanStatus())["current_task_id"] == 2
    data(ann.completeTask(2, "helped"))
    assert data(bob.getCurrentTask()) is None
    assert data(ann.getPlanStatus())["current_task_id"] == 1


def test_r2_05_why_nothing_can_start() -> None:
    plan = create_plan("memory:", "g")
    ann, bob = PlanManager(plan, actor="ann"), PlanManager(plan, actor="bob")
    data(ann.addTask("a"))
    data(ann.addTask("b", [1]))
    data(ann.startNextTask())
    found = error(bob.startNextTask(), "INVALID_STATUS")["details"]
    assert (found["reason"], found["ids"]) == ("waiting", [1])
    data(ann.failTask(1, "x", should_retry=False))
    found = error(bob.startNextTask(), "INVALID_STATUS")["details"]
    assert (found["reason"], found["ids"]) == ("failed", [1])
    data(ann.skipTask(1, "x"))
    data(ann.skipTask(2, "x"))
    found = error(bob.startNextTask(), "INVALID_STATUS")["details"]
    assert (found["reason"], found["ids"]) == ("all_done", [])


def test_r2_05_complete_starts_an_executable_task_first_and_no_other() -> None:
    manager = make_manager("a", "b")
    data(manager.addTask("c", [1, 2]))
    found = error(manager.completeTask(3, "x"), "INVALID_STATUS")
    assert found["details"]["unmet_dependencies"] == [1, 2]
    data(manager.completeTask(2, "x"))
    assert manager.plan.task(2).started_at is not None
    assert data(manager.getCurrentTask()) is None
    data(manager.failTask(1, "x"))
    assert data(manager.getPlanStatus())["status"] == "running"


def test_r2_06_three_retries_then_failed() -> None:
    manager = make_manager("a")
    data(manager.addTask("b", [1]))
    for count in (1, 2, 3):
        found = data(manager.failTask(1, "x"))
        assert (found["will_retry"], found["retry_count"]) == (True, count)
    found = data(manager.failTask(1, "x"))
    assert (found["will_retry"], found["message"]) == (False, "Task failed")
    assert data(manager.getTaskList("failed"))["filtered"] == 1
    assert data(manager.getTaskById(2))["task"]["outlast"] == {"blocked_by": [1]}
    data(manager.updateTask(2, {"dependencies": []}))
    data(manager.completeTask(2, "x"))


def test_r2_06_should_retry_false_fails_at_once() -> None:
    manager = make_manager("a")
    assert data(manager.failTask(1, "x", should_retry=False))["will_retry"] is False
    assert manager.plan.task(1).status == "failed"


def test_r2_07_after_task_id_moves_no_dependencies() -> None:
    manager = make_manager("a")
    data(manager.addTask("b", [1]))
    data(manager.addTask("between", [], "", 1))
    assert [task["id"] for task in data(manager.getTaskList())["tasks"]] == [1, 3, 2]
    assert data(manager.getTaskById(2))["task"]["dependencies"] == [1]


def test_r2_07_ids_are_never_reused() -> None:
    manager = make_manager("a", "b")
    data(manager.removeTask(2))
    assert data(manager.addTask("c"))["new_task"]["id"] == 3


def test_r2_07_remove_names_who_depends_on_it() -> None:
    manager = make_manager("a")
    data(manager.addTask("b", [1]))
    data(manager.addTask("c", [1], after_task_id=1))
    found = error(manager.removeTask(1), "INVALID_DEPENDENCY")
    assert found["details"]["dependents"] == [3, 2]
    error(manager.addTask("d", [99]), "INVALID_DEPENDENCY")


def test_r2_07_skip_works_on_anything_unfinished() -> None:
    manager = make_manager("a", "b", "c")
    data(manager.addTask("blocked", [3]))
    data(manager.startNextTask())
    data(manager.failTask(2, "x", should_retry=False))
    for task in (1, 2, 4, 3):
        data(manager.skipTask(task, "not needed"))
    assert data(manager.getPlanStatus())["status"] == "completed"
    assert data(manager.getTaskById(1))["task"]["result"] == "not needed"


def test_r2_08_a_paused_plan_can_be_read_and_edited_but_not_worked_on() -> None:
    manager = make_manager("a", "b", "c")
    data(manager.startNextTask())
    data(manager.pausePlan())
    error(manager.startNextTask(), "PLAN_NOT_ACTIVE")
    error(manager.completeTask(1, "x"), "PLAN_NOT_ACTIVE")
    error(manager.failTask(1, "x"), "PLAN_NOT_ACTIVE")
    data(manager.getCurrentTask())
    data(manager.getExecutableTaskList())
    data(manager.addTask("d"))
    data(manager.updateTask(4, {"name": "D"}))
    data(manager.skipTask(2, "x"))
    data(manager.removeTask(3))
    assert data(manager.getPlanStatus())["status"] == "paused"


def test_r2_08_reset_clears_the_work_and_keeps_the_plan() -> None:
    manager = make_manager("a", "b", "c")
    data(manager.addTask("d", [1]))
    data(manager.completeTask(1, "x"))
    data(manager.failTask(2, "x"))
    data(manager.startNextTask())
    manager.plan.set_progress(3, 1, 2)
    data(manager.pausePlan())
    assert data(manager.resetPlan())["reset_tasks"] == 4
    assert manager.plan.status == "idle"
    for task in manager.plan.tasks():
        assert (task.status, task.result, task.error, task.retry_count) == (
            "pending",
            None,
            None,
            0,
        )
        assert (task.progress, task.started_at, task.ended_at, task.actor) == (None, None, None, "")
    assert data(manager.getTaskById(4))["task"]["dependencies"] == [1]
    revision = manager.plan.revision
    data(manager.resetPlan())
    assert manager.plan.revision == revision


def test_r2_08_an_empty_manager() -> None:
    manager = PlanManager()
    assert data(manager.getCurrentTask()) is None
    assert data(manager.getTaskList()) == {"tasks": [], "total": 0, "filtered": 0}
    assert data(manager.getExecutableTaskList()) == {"executable_tasks": [], "count": 0}
    assert data(manager.getPlanStatus())["progress"] == 0.0
    assert data(manager.resetPlan())["reset_tasks"] == 0
    for answer in (manager.startNextTask(), manager.completeTask(1, ""), manager.failTask(1, "")):
        error(answer, "PLAN_NOT_ACTIVE")
    error(manager.getTaskById(1), "TASK_NOT_FOUND")


def test_r2_09_the_plan_status_adds_up() -> None:
    manager = make_manager("a", "b", "c", "d")
    data(manager.addTask("e", [4]))
    data(manager.completeTask(1, "x"))
    data(manager.skipTask(2, "x"))
    data(manager.failTask(3, "x", should_retry=False))
    data(manager.startNextTask())
    assert data(manager.getPlanStatus()) == {
        "status": "running",
        "progress": 0.4,
        "current_task_id": 4,
        "total_tasks": 5,
        "completed_tasks": 1,
        "failed_tasks": 1,
        "pending_tasks": 1,
        "in_progress_tasks": 1,
        "skipped_tasks": 1,
        "blocked_tasks": 1,
    }


def test_r2_09_filters() -> None:
    manager = make_manager("a", "b")
    data(manager.addTask("c", [1]))
    listed = {
        status: [task["id"] for task in data(manager.getTaskList(status))["tasks"]]
        for status in FILTERS
    }
    assert listed == {"pending": [1, 2, 3], "blocked": [3], "completed": [], None: [1, 2, 3]}
    blocked = data(manager.getTaskList("blocked"))["tasks"][0]
    assert (blocked["status"], blocked["outlast"]) == ("pending", {"blocked_by": [1]})
    found = error(manager.call("getTaskList", {"status_filter": "done"}), "INVALID_ARGUMENT")
    assert "status_filter: expected one of pending" in found["message"]


def test_m1_a_description_is_an_extra_field_in_the_extension() -> None:
    manager = make_manager()
    first = {"name": "read", "description": "The manual.\nAll of it."}
    (read,) = data(manager.initializePlan("Goal", [first]))["tasks"]
    assert read["outlast"] == {"description": "The manual.\nAll of it."}
    assert [*read] == ["id", "name", "status", "dependencies", "reasoning", "result", "outlast"]
    added = data(manager.addTask("write", description="In euros"))["new_task"]
    assert added["outlast"] == {"description": "In euros"}
    changed = data(manager.updateTask(2, {"description": ""}))["updated_task"]
    assert "outlast" not in changed
    saved = PlanManager.from_dict(manager.to_dict())
    assert saved.plan.task(1).description == "The manual.\nAll of it."
    wrong: Any = 3
    found = error(manager.addTask("x", description=wrong), "INVALID_ARGUMENT")
    assert found["details"]["argument"] == "description"


def test_r2_07_a_dependency_may_be_named() -> None:
    manager = make_manager("read", "write", "write")
    assert data(manager.addTask("print", ["read"]))["new_task"]["dependencies"] == [1]
    update = data(manager.updateTask(4, {"dependencies": ["read", 2]}))
    assert update["updated_task"]["dependencies"] == [1, 2]
    found = error(manager.addTask("send", ["write"]), "INVALID_ARGUMENT")
    assert found["details"] == {"argument": "dependencies", "name": "write", "ids": [2, 3]}
    found = error(manager.updateTask(4, {"dependencies": ["write"]}), "INVALID_ARGUMENT")
    assert found["details"]["argument"] == "updates.dependencies"
    found = error(manager.addTask("send", ["fax"]), "INVALID_DEPENDENCY")
    assert found["details"]["unknown"] == ["fax"]


def test_r2_03_the_details_of_a_refusal_are_short_for_any_plan() -> None:
    manager = make_manager(*(f"task {number}" for number in range(1, 1001)))
    for number in range(2, 1001):
        data(manager.updateTask(number, {"dependencies": [number - 1]}))
    found = error(manager.updateTask(1, {"dependencies": [1000]}), "CIRCULAR_DEPENDENCY")
    assert found["details"]["cycle"] == [1, *range(1000, 991, -1), *range(10, 0, -1)]
    assert found["details"]["cycle_count"] == 1001
    found = error(manager.updateTask(1, {"dependencies": [20]}), "CIRCULAR_DEPENDENCY")
    assert found["details"]["cycle_count"] == 21
    found = error(manager.updateTask(1, {"dependencies": [19]}), "CIRCULAR_DEPENDENCY")
    assert found["details"] == {"cycle": [1, *range(19, 0, -1)]}


def test_a_plan_manager_shows_its_plan_and_its_actor() -> None:
    manager = make_manager("a", "b")
    assert repr(manager) == f"<PlanManager {manager.plan!r} as agent>"
