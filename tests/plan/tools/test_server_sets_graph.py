"""The dependency tools of the package mcplanmanager: all edits or none."""

import json
from typing import Any

import pytest

from outlast import Plan
from outlast.plan.tools.dispatch import run_tool
from outlast.plan.tools.server_sets import GRAPH_TOOLS
from tests.making import make_plan

EDIT = GRAPH_TOOLS[0]
Json = dict[str, Any]


@pytest.fixture
def plan() -> Plan:
    """A chain of three tasks."""
    plan = make_plan()
    for task, needs in enumerate(((), (1,), (2,)), 1):
        plan.add(f"T{task}", needs)
    return plan


def edit(plan: Plan, *edits: object) -> Json:
    answer: Json = json.loads(run_tool(plan, EDIT, {"edits": [*edits]}).text)
    return answer


def needs_of(plan: Plan) -> list[tuple[int, ...]]:
    return [task.needs for task in plan.tasks()]


def test_r2_a_chain_is_turned_around_in_one_commit(plan: Plan) -> None:
    before = len(plan.history.commits())
    answer = edit(
        plan,
        {"task_id": 1, "action": "set", "dependencies": ["T2"]},
        {"task_id": "2", "action": "update", "add": [3], "remove": [1]},
        {"task_id": 3, "action": "set", "dependencies": []},
    )
    assert answer == {
        "success": True,
        "data": [
            {"task_id": 1, "new_dependencies": [2]},
            {"task_id": 2, "new_dependencies": [3]},
            {"task_id": 3, "new_dependencies": []},
        ],
    }
    assert needs_of(plan) == [(2,), (3,), ()]
    assert len(plan.history.commits()) == before + 1


def test_r2_edits_of_one_task_follow_each_other(plan: Plan) -> None:
    edit(
        plan,
        {"task_id": 3, "action": "set", "dependencies": [1, 1]},
        {"task_id": 3, "action": "update", "add": [2]},
    )
    assert needs_of(plan)[2] == (1, 2)


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ([{"task_id": 1, "action": "set", "dependencies": [3]}], "CIRCULAR_DEPENDENCY"),
        ([{"task_id": 9, "action": "set", "dependencies": []}], "TASK_NOT_FOUND"),
        ([{"task_id": 1, "action": "update", "add": [9]}], "TASK_NOT_FOUND"),
        ([{"task_id": 1, "action": "drop"}], "INVALID_ARGUMENT"),
        ([{"task_id": 3, "action": "set"}], "INVALID_ARGUMENT"),
        ([{"task_id": 3, "action": "set", "dependencies": None}], "INVALID_ARGUMENT"),
        ([{"task_id": 3, "action": "set", "dependencies": [1], "add": [2]}], "INVALID_ARGUMENT"),
        ([{"task_id": 3, "action": "update", "dependencies": [1]}], "INVALID_ARGUMENT"),
        ([{"task_id": 1}], "INVALID_ARGUMENT"),
        ([{"action": "set"}], "INVALID_ARGUMENT"),
        ([{"task_id": 1, "action": "set", "more": 1}], "INVALID_ARGUMENT"),
        ([], "INVALID_ARGUMENT"),
    ],
)
def test_r2_an_edit_that_is_refused_refuses_all(plan: Plan, edits: list[Json], code: str) -> None:
    before = needs_of(plan)
    good = [{"task_id": 3, "action": "set", "dependencies": [1]}] if edits else []
    assert edit(plan, *good, *edits)["error"]["code"] == code
    assert needs_of(plan) == before


@pytest.mark.parametrize("form", ["svg", 5])
def test_r2_another_form_of_drawing_is_refused(plan: Plan, form: object) -> None:
    outcome = run_tool(plan, GRAPH_TOOLS[1], {"format": form})
    assert outcome.text.startswith("INVALID_ARGUMENT")
