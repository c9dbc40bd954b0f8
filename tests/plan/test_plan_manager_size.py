"""R2.11: the same answers for very large and very deep plans."""

import sys
from typing import Any

import pytest

from outlast import PlanManager
from outlast.errors import CircularDependency
from tests.making import data, error

pytestmark = pytest.mark.slow


def tasks(count: int, *, chained: bool) -> list[dict[str, Any]]:
    return [
        {"name": f"t{number}", "dependencies": [number - 1] if chained and number > 1 else []}
        for number in range(1, count + 1)
    ]


def test_r2_11_a_hundred_thousand_tasks() -> None:
    manager = PlanManager()
    data(manager.initializePlan("g", tasks(100_000, chained=False)))
    for number in range(1, 1001):
        assert data(manager.startNextTask())["task"]["id"] == number
        data(manager.completeTask(number, "x"))
    assert data(manager.getPlanStatus())["completed_tasks"] == 1000
    data(manager.addTask("between", after_task_id=50_000))
    assert data(manager.getExecutableTaskList())["count"] == 99_001
    assert len(PlanManager.from_dict(manager.to_dict()).plan.tasks()) == 100_001
    assert len(manager.plan.graph("ascii").splitlines()) == 100_001


def test_r2_11_a_chain_of_ten_thousand() -> None:
    assert sys.getrecursionlimit() < 10_000
    manager = PlanManager()
    data(manager.initializePlan("g", tasks(10_000, chained=True)))
    found = error(manager.updateTask(1, {"dependencies": [10_000]}), "CIRCULAR_DEPENDENCY")
    assert len(found["details"]["cycle"]) == 20
    assert found["details"]["cycle_count"] == 10_001
    assert len(found["message"]) < 200
    assert len(manager.plan.critical_path()) == len(manager.plan.parallel_groups()) == 10_000
    assert manager.plan.graph("ascii").count("\n") == 10_000
    again = PlanManager.from_dict(manager.to_dict())
    for number in range(1, 10_001):
        data(again.completeTask(number, "x"))
    assert data(again.getPlanStatus())["status"] == "completed"
    backwards = [
        {"name": f"t{number}", "dependencies": [number + 1] if number < 10_000 else []}
        for number in range(1, 10_001)
    ]
    data(again.initializePlan("g", backwards))
    assert data(again.getExecutableTaskList())["executable_tasks"][0]["id"] == 10_000
    with pytest.raises(CircularDependency):
        again.plan.update(10_000, needs=[1])
