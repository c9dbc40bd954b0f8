"""R0.02: `plan.json` has exactly the form of its document."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from outlast.documents.json import plan_render as plan_json
from outlast.model.commands import CreatePlan
from outlast.model.model import Progress, Task
from tests.documents.json.plan_files import (
    EXAMPLE,
    NOW,
    create_state,
    example,
    load_state,
    rounded,
    save_state,
    step,
    value,
)
from tests.making import make_plan, state_of
from tests.model.indexes import assert_indexes

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast import Plan

PLAN_KEYS = [
    *("id", "goal", "status", "created_at", "updated_at"),
    *("steps", "current_step_index", "iteration_count"),
]


def test_r0_02_the_documents_example_loads_and_saves_unchanged() -> None:
    assert plan_json.render(load_state(EXAMPLE)) == EXAMPLE
    assert plan_json.render(load_state(example())) == EXAMPLE


def test_r0_02_the_example_is_read_for_what_it_says() -> None:
    state = load_state(EXAMPLE)
    assert (state.id, state.status, state.order) == ("plan_abc123", "running", "sequential")
    assert (state.iteration_count, state.next_id, state.current_step_index) == (15, 3, 1)
    assert (state.extra, [task.extra for task in state.tasks_in_order()]) == ("", ["", ""])
    first, second = state.tasks_in_order()
    assert (first.id, first.status, first.progress) == (1, "completed", Progress(5, 5))
    assert (second.id, second.status, second.result) == (2, "in_progress", None)
    assert second.started_at == datetime(2026, 2, 24, 10, 2, 35, tzinfo=UTC)
    assert second.ended_at is None
    assert_indexes(state)


def test_r0_02_a_new_plan_has_exactly_the_documents_fields() -> None:
    document = save_state(state_of(make_plan("a", order="sequential")))
    assert list(document) == PLAN_KEYS
    assert (document["status"], document["current_step_index"]) == ("pending", 0)
    assert document["steps"] == [
        {
            "id": "step_1",
            "description": "a",
            "status": "pending",
            "result": "",
            "started_at": None,
            "completed_at": None,
        }
    ]


def test_r0_02_a_plan_without_steps_is_laid_out_like_the_document() -> None:
    text = plan_json.render(state_of(make_plan(order="sequential", goal='五 "x"\n'))).decode()
    assert '  "goal": "五 \\"x\\"\\n",\n' in text
    assert text.endswith('  "steps": [],\n  "current_step_index": 0,\n  "iteration_count": 0\n}\n')


def test_r0_02_a_plan_that_has_begun_without_steps_is_running() -> None:
    state = load_state({"goal": "g", "status": "running", "steps": [], "current_step_index": 0})
    assert (state.status, state.id, state.created_at) == ("running", "plan_new", NOW)
    assert save_state(state)["status"] == "running"
    assert list(save_state(state)) == PLAN_KEYS


def pause_before_work(plan: Plan) -> None:
    plan.pause()


def pause_at_work(plan: Plan) -> None:
    plan.start()
    plan.pause()


def finish(plan: Plan) -> None:
    plan.complete(1)
    plan.skip(2)


def finish_while_paused(plan: Plan) -> None:
    plan.pause()
    plan.skip(1)
    plan.skip(2)


def fail_and_abort(plan: Plan) -> None:
    plan.edit(order="graph")
    plan.fail(1, "x", retry=False)
    plan.abort()


@pytest.mark.parametrize(
    ("prepare", "status", "index"),
    [
        (lambda _: None, "pending", 0),
        (lambda plan: plan.start(), "running", 0),
        (lambda plan: plan.complete(1), "running", 1),
        (pause_before_work, "paused", 0),
        (pause_at_work, "paused", 0),
        (finish, "completed", 2),
        (finish_while_paused, "completed", 2),
        (lambda plan: plan.fail(1, "x", retry=False), "failed", 0),
        (lambda plan: plan.abort(), "failed", 0),
        (fail_and_abort, "failed", 0),
    ],
)
def test_r0_02_every_state_of_a_plan(
    prepare: Callable[[Plan], object], status: str, index: int
) -> None:
    plan = make_plan("a", "b", order="sequential")
    prepare(plan)
    state = state_of(plan)
    document = save_state(state)
    assert (document["status"], document["current_step_index"]) == (status, index)
    assert value(load_state(document)) == value(state)


def test_r0_02_every_state_of_a_step() -> None:
    plan = make_plan("a", "b", "c", "d", "e")
    plan.complete(1, "done")
    plan.fail(2, "broke", retry=False)
    plan.skip(3, "no need")
    plan.start(4)
    steps = save_state(state_of(plan))["steps"]
    names = [found["status"] for found in steps]
    assert names == ["completed", "failed", "completed", "running", "pending"]
    assert value(load_state(save_state(state_of(plan)))) == value(state_of(plan))


def test_r0_02_skipped_is_written_completed_with_the_truth_in_the_extension() -> None:
    plan = make_plan("a", "b", order="sequential")
    plan.skip(1)
    document = save_state(state_of(plan))
    assert document["steps"][0]["status"] == "completed"
    assert document["steps"][0]["outlast"]["status"] == "skipped"
    assert load_state(document).tasks[1].status == "skipped"
    document["steps"][0]["status"] = "pending"
    assert load_state(document).tasks[1].status == "pending"


def test_r0_02_an_empty_result_is_an_empty_string() -> None:
    assert load_state(step(result="")).tasks[1].result is None
    assert load_state(step(result=None)).tasks[1].result is None
    plan = make_plan("a", "b", order="sequential")
    plan.complete(1, "")
    plan.complete(2)
    state = state_of(plan)
    steps = save_state(state)["steps"]
    assert [found["result"] for found in steps] == ["", ""]
    assert not [found for found in steps if "result" in found.get("outlast", {})]
    older = load_state(step(result="", outlast={"result": ""}))
    assert (older.tasks[1].result, "outlast" in save_state(older)["steps"][0]) == ("", False)


def test_r0_02_a_plan_without_tasks_has_no_extension() -> None:
    for order in ("graph", "sequential"):
        state = create_state(CreatePlan("plan_x", "g", order=order, begun=True))
        assert (save_state(state)["steps"], "outlast" in save_state(state)) == ([], False)


def test_r0_02_times_are_in_seconds_and_ordinary_work_needs_no_extension() -> None:
    at = NOW + timedelta(microseconds=999_999)
    tasks = (
        Task(1, "a", status="completed", how="reported", actor="agent", started_at=at, ended_at=at),
        Task(2, "b", status="in_progress", actor="agent", started_at=at),
        Task(3, "c"),
    )
    state = create_state(
        CreatePlan("plan_x", "g", order="sequential", tasks=tasks, created_at=at, begun=True)
    )
    document = save_state(state)
    assert (document["created_at"], document["updated_at"]) == ("2026-03-01T12:00:00Z",) * 2
    first = document["steps"][0]
    assert (first["started_at"], first["completed_at"]) == ("2026-03-01T12:00:00Z",) * 2
    assert not [each for each in (document, *document["steps"]) if "outlast" in each]
    again = load_state(document)
    assert save_state(again) == document
    assert value(again) == value(rounded(state))


def test_r0_02_finer_times_that_an_older_file_has_are_read() -> None:
    exact = {"started_at": "2026-03-01T12:00:00.000005Z"}
    document = step(status="running", started_at="2026-03-01T12:00:00Z", outlast=exact)
    state = load_state(document)
    assert state.tasks[1].started_at == NOW + timedelta(microseconds=5)
    assert "outlast" not in save_state(state)["steps"][0]
    document["steps"][0]["started_at"] = "2026-03-01T11:00:00Z"
    assert load_state(document).tasks[1].started_at == NOW - timedelta(hours=1)


@pytest.mark.parametrize(
    ("fields", "extension"),
    [
        ({"how": "assumed", "actor": "agent"}, {"how": "assumed"}),
        ({"how": "reported", "actor": "ann"}, {"actor": "ann"}),
        ({"how": "reported", "actor": "agent", "description": "b\nc"}, {"description": "b\nc"}),
    ],
)
def test_r0_02_the_extension_has_only_what_is_not_ordinary(fields: Any, extension: Any) -> None:
    task = Task(1, "a", status="completed", ended_at=NOW, **fields)
    state = create_state(CreatePlan("plan_x", "g", order="sequential", tasks=(task,)))
    found = save_state(state)["steps"][0]
    assert (found["description"], found["outlast"]) == ("a", extension)
    assert value(load_state(save_state(state))) == value(rounded(state))


def test_r0_02_the_number_of_a_step_is_its_id() -> None:
    plan = make_plan("a", "b", "c", order="sequential")
    plan.remove(2)
    plan.move(3, first=True)
    document = save_state(state_of(plan))
    assert [found["id"] for found in document["steps"]] == ["step_3", "step_1"]
    assert [task.id for task in load_state(document).tasks_in_order()] == [3, 1]
    assert load_state(document).next_id == 4


def test_m5_the_index_is_derived_and_not_believed() -> None:
    document = {**example(), "current_step_index": 77}
    assert plan_json.render(load_state(document)) == EXAMPLE


def test_m2_a_plan_is_a_sequence_unless_it_says_otherwise() -> None:
    graph = state_of(make_plan("a", "b"))
    assert save_state(graph)["outlast"] == {"order": "graph"}
    assert load_state(save_state(graph)).ready_tasks() == [1, 2]
    assert load_state(example()).order == "sequential"


def test_m3_blocked_is_read_as_pending_and_never_written() -> None:
    state = load_state(step(status="blocked"))
    assert state.tasks[1].status == save_state(state)["steps"][0]["status"] == "pending"


def test_r0_02_a_file_that_is_named_by_its_key_does_not_repeat_it() -> None:
    state = create_state(CreatePlan("plan_x", "Goal", key="ship"))
    keyed, bare = (plan_json.to_object(state, with_key=with_key) for with_key in (True, False))
    assert keyed["outlast"]["key"] == "ship"
    assert "key" not in bare.get("outlast", {})
