"""M7 for R2's dict: A → model → A loses nothing."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outlast import Check, Plan, PlanManager, Progress, Task, create_plan
from outlast.documents.json.extension import task_object
from outlast.errors import (
    CircularDependency,
    InvalidArgument,
    InvalidDependency,
    InvalidDocument,
    OutlastError,
    PhaseNotFound,
)
from tests.making import count_iteration, make_manager, state_of

SEED: dict[str, Any] = json.loads((Path(__file__).parent / "keyboard.json").read_text("utf-8"))


def copy_document(document: Any) -> Any:
    return json.loads(json.dumps(document))


def seed(**changes: Any) -> dict[str, Any]:
    return {**copy_document(SEED), **changes}


def task(**fields: Any) -> dict[str, Any]:
    return {"meta": {}, "state": {}, "tasks": [{"id": 1, "name": "a", **fields}]}


def round_trip(document: Any) -> dict[str, Any]:
    return PlanManager.from_dict(document).to_dict()


def test_m7_the_documents_example_loads_and_saves_unchanged() -> None:
    assert round_trip(SEED) == SEED


def test_m7_a_plan_with_everything_survives() -> None:
    manager = make_manager("a", "b", "c", "d", "e")
    plan = manager.plan
    plan.edit(title="Short", order="sequential")
    assert PlanManager(create_plan("memory:", "g", key="k")).to_dict()["outlast"]["key"] == "k"
    plan.add_phase("Later", notes="much")
    plan.add(
        "z",
        [1],
        "why",
        phase="later",
        active_form="Doing",
        kind="k",
        checks=[Check("file", "x"), Check("command", "make")],
    )
    plan.complete(1, "done", how="assumed")
    plan.fail(2, "boom")
    plan.skip(2, "no")
    plan.set_progress(3, 1, 4)
    plan.start()
    plan.remove(5)
    count_iteration(plan)
    document = manager.to_dict()
    again = PlanManager.from_dict(copy_document(document))
    assert again.to_dict() == document
    for name in ("id", "key", "title", "order", "status", "phases", "created_at", "updated_at"):
        assert getattr(again.plan, name) == getattr(plan, name)
    assert again.plan.tasks() == plan.tasks()
    assert again.plan.iteration_count == 1
    assert again.plan.add("new").id == plan.add("new").id


def test_m7_rules_survive_and_proof_does_not() -> None:
    rules = {"run": "make", "files": ["a", "b"], "protect": ["tests/**"]}
    checks = [{"kind": "person", "rule": "look"}]
    for said, kept in (("proved", {}), ("unproved", {"how": "unproved", "actor": ""})):
        own = {"checks": checks, **rules, "how": said, "actor": ""}
        document = PlanManager.from_dict(task(status="completed", outlast=own)).to_dict()
        assert document["tasks"][0]["outlast"] == {"checks": checks, **rules, **kept}
    with pytest.raises(InvalidDocument, match=r"tasks\[0\].outlast.files\[0\]: expected string"):
        PlanManager.from_dict(task(outlast={"files": [5]}))


def test_m7_unknown_fields_stay_where_they_were() -> None:
    document = seed(version=2, more={"deep": [1, None, 2**70]})
    document["meta"]["owner"] = "ann"
    document["state"]["note"] = "\ud800"
    document["tasks"][0] |= {"priority": 0, "tags": [], "note": None, "done": False}
    document["tasks"][1]["outlast"] = {"colour": "red"}
    document["outlast"] = {"id": "plan_x", "flavour": 1}
    assert round_trip(document) == document


@pytest.mark.parametrize(
    "moment",
    [
        *("2024-01-01T08:00:00+08:00", "2024-01-01T00:00:00.123456Z", "2024-01-01 00:00:00"),
        *(
            "0001-01-01T00:00:00+14:00",
            "2024-01-01",
            "yesterday",
            1704067200,
            1704067200123,
            1704067200.5,
            10**30,
            "",
        ),
    ],
)
def test_m7_foreign_times_stay_until_they_change(moment: Any) -> None:
    document = seed()
    document["meta"]["created_at"] = document["meta"]["updated_at"] = moment
    manager = PlanManager.from_dict(document)
    assert manager.to_dict() == document
    manager.addTask("more")
    assert manager.to_dict()["meta"]["created_at"] == moment
    assert manager.to_dict()["meta"]["updated_at"] != moment


def test_m7_foreign_ids_are_kept_as_aliases() -> None:
    document = seed()
    for index, alias in enumerate(["open", "7", "step_3", "uuid-1"]):
        document["tasks"][index]["id"] = alias
        document["tasks"][index]["dependencies"] = [document["tasks"][index - 1]["id"]][:index]
    document["state"]["current_task_id"] = "open"
    manager = PlanManager.from_dict(document)
    assert [manager.plan.task(ref).id for ref in ("open", "7", "step_3", "uuid-1")] == [8, 7, 3, 9]
    saved = manager.to_dict()
    assert [task["id"] for task in saved["tasks"]] == ["open", "7", "step_3", "uuid-1"]
    assert [task["dependencies"] for task in saved["tasks"]] == [[], ["open"], ["7"], ["step_3"]]
    assert round_trip(saved) == saved
    assert manager.plan.add("next", ["open"]).id == 10
    manager.completeTask("open", "x")
    manager.plan.update("uuid-1", needs=[])
    manager.removeTask("uuid-1")
    assert manager.getTaskById("uuid-1")["error"]["code"] == "TASK_NOT_FOUND"


def test_m7_two_aliases_for_one_number_get_two_ids() -> None:
    document = task()
    document["tasks"] = [
        {"id": "3", "name": "a"},
        {"id": "step_3", "name": "b"},
        {"id": 1, "name": "c"},
    ]
    manager = PlanManager.from_dict(document)
    assert [found.id for found in manager.plan.tasks()] == [3, 4, 1]
    assert [found["id"] for found in manager.to_dict()["tasks"]] == ["3", "step_3", 1]


def test_m3_blocked_is_read_as_pending() -> None:
    assert PlanManager.from_dict(task(status="blocked")).plan.task(1).status == "pending"


@pytest.mark.parametrize("status", ["idle", "running", "paused", "completed", "failed"])
def test_m4_every_status_comes_back(status: str) -> None:
    manager = make_manager("a", "b")
    plan = manager.plan
    if status != "idle":
        plan.start()
    if status == "paused":
        plan.pause()
    if status == "completed":
        plan.complete(1)
        plan.skip(2)
    if status == "failed":
        plan.abort()
    again = PlanManager.from_dict(manager.to_dict())
    assert again.plan.status == status
    assert again.to_dict() == manager.to_dict()
    assert (state_of(again.plan).begun, state_of(again.plan).hold) == (
        state_of(plan).begun,
        state_of(plan).hold,
    )


def skip_while_paused(plan: Plan) -> None:
    plan.pause()
    plan.skip(1)


def fail_then_abort(plan: Plan) -> None:
    plan.add("b")
    plan.fail(1, "x", retry=False)
    plan.abort()


def pause_with_nothing_left_to_show(plan: Plan) -> None:
    plan.reopen(plan.complete(1).id)
    plan.pause()


@pytest.mark.parametrize(
    "prepare", [skip_while_paused, fail_then_abort, pause_with_nothing_left_to_show]
)
def test_m4_what_the_status_does_not_show_comes_back_too(prepare: Callable[[Plan], None]) -> None:
    manager = make_manager("a")
    prepare(manager.plan)
    again = PlanManager.from_dict(manager.to_dict())
    state, other = state_of(manager.plan), state_of(again.plan)
    assert (other.begun, other.hold, other.status) == (state.begun, state.hold, state.status)


def test_m7_missing_parts_have_defaults() -> None:
    manager = PlanManager.from_dict({"tasks": [{"id": 1, "name": "a"}]})
    assert (manager.plan.goal, manager.plan.status, manager.plan.title) == ("", "idle", "")
    assert manager.plan.task(1).needs == ()
    assert PlanManager.from_dict({}).plan.tasks() == ()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "document: expected object, got array"),
        ({"meta": []}, "meta: expected object, got array"),
        ({"meta": {"goal": 1}}, "meta.goal: expected string, got integer"),
        ({"meta": {"x": math.nan}}, "document: not valid JSON: "),
        ({"meta": {"x": object()}}, "document: not valid JSON: "),
        ({"meta": {"created_at": []}}, "meta.created_at: expected string, integer, number"),
        ({"tasks": {}}, "tasks: expected array, got object"),
        ({"tasks": [1]}, "tasks[0]: expected object, got integer"),
        ({"tasks": [{"name": "a"}]}, "tasks[0].id: missing"),
        ({"tasks": [{"id": 1}]}, "tasks[0].name: missing"),
        ({"tasks": [{"id": True, "name": "a"}]}, "tasks[0].id: expected integer, string"),
        ({"state": {"status": "done"}}, "state.status: expected one of idle"),
        (task(status="done"), "tasks[0].status: expected one of pending"),
        (task(dependencies=[[]]), "tasks[0].dependencies[0]: expected task id, got array"),
        (task(dependencies=[2]), "tasks[0].dependencies[0]: no task has the id 2"),
        (
            task(outlast={"retry_count": -1}),
            "tasks[0].outlast.retry_count: expected a number of at least 0",
        ),
        (task(outlast={"started_at": "now"}), "tasks[0].outlast.started_at: expected a time"),
        ({"tasks": [{"id": "", "name": "a"}]}, "tasks[0].id: missing"),
        (task(outlast={"progress": {"currnt": 1}}), "tasks[0].outlast.progress.currnt: unknown"),
        ({"tasks": [{"id": "x", "name": "a"}] * 2}, "tasks[1].id: the id x is given twice"),
        (task(outlast={"checks": [{"kind": "x"}]}), "tasks[0].outlast.checks[0].kind: expected"),
    ],
)
def test_m7_what_is_no_plan_is_refused_with_the_place(document: Any, message: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        PlanManager.from_dict(document)
    assert str(caught.value).startswith(message)
    assert caught.value.code == "INVALID_DOCUMENT"


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"tasks": [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]}, InvalidDocument),
        ({"tasks": [{"id": -1, "name": "a"}]}, InvalidArgument),
        ({"tasks": [{"id": 2**60, "name": "a"}]}, InvalidArgument),
        ({"outlast": {"id": ""}}, InvalidArgument),
        ({"outlast": {"key": "\ud800"}}, InvalidArgument),
        ({"outlast": {"next_id": 2**53 + 5}}, InvalidArgument),
        ({"outlast": {"phases": [{"id": "\ud800", "title": "P"}]}}, InvalidArgument),
        ({"tasks": [{"id": "x" * 201, "name": "a"}]}, InvalidArgument),
        (task(outlast={"checks": [{"kind": "file", "rule": "\ud800"}]}), InvalidArgument),
        (task(name=""), InvalidArgument),
        (task(result="x" * 70_000), InvalidArgument),
        (task(dependencies=[1]), CircularDependency),
        (task(outlast={"phase": "nowhere"}), PhaseNotFound),
        ({**task(), "outlast": {"phases": [{"id": "p", "title": "P"}]}}, PhaseNotFound),
        ({"outlast": {"phases": [{"id": "p", "title": "P"}] * 2}}, InvalidArgument),
        ({"outlast": {"phases": [{"id": "p", "title": ""}]}}, InvalidArgument),
        (task(outlast={"progress": {"current": 3, "total": 2}}), InvalidArgument),
        (task(status="in_progress", outlast={"actor": " "}), InvalidArgument),
        (task(outlast={"retry_count": 99}), InvalidArgument),
    ],
)
def test_m7_a_plan_against_the_rules_is_refused(document: Any, kind: type[OutlastError]) -> None:
    with pytest.raises(kind) as caught:
        PlanManager.from_dict(document)
    assert str(caught.value)


def test_m7_a_sequence_is_checked_when_it_is_read() -> None:
    document = {
        "tasks": [{"id": 1, "name": "a", "dependencies": [2]}, {"id": 2, "name": "b"}],
        "outlast": {"order": "sequential"},
    }
    with pytest.raises(InvalidDependency, match="Task 1 needs 2"):
        PlanManager.from_dict(document)
    document["outlast"] = {"order": "graph"}
    assert PlanManager.from_dict(document).plan.blocked_by(1) == (2,)


def test_m7_progress_comes_back() -> None:
    loaded = PlanManager.from_dict(task(outlast={"progress": {"current": 1, "total": 2}}))
    assert loaded.plan.task(1).progress == Progress(1, 2)


def test_m7_a_deeply_nested_document_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidDocument):
        PlanManager.from_dict({"x": deep})
    while deep:
        deep = deep[0]


def test_r2_05_who_loads_a_document_goes_on_with_its_task_in_progress() -> None:
    manager = PlanManager.from_dict(task(status="in_progress"), actor="ada")
    assert manager.getCurrentTask()["data"]["id"] == 1
    assert manager.startNextTask()["error"]["code"] == "INVALID_STATUS"
    saved = manager.to_dict()
    assert PlanManager.from_dict(saved, actor="bob").getCurrentTask()["data"] is None
    worked = task(status="completed", outlast={"actor": "agent"})
    assert PlanManager.from_dict(worked, actor="ada").plan.task(1).actor == "agent"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"status": "pending"}, "idle"),
        ({"status": "skipped"}, "completed"),
        ({"status": "completed"}, "completed"),
        ({"status": "in_progress"}, "running"),
        ({"outlast": {"retry_count": 1}}, "running"),
    ],
)
def test_m4_a_document_without_a_state_has_the_status_of_its_tasks(
    fields: dict[str, Any], status: str
) -> None:
    document = {"tasks": [{"id": 1, "name": "a", **fields}]}
    assert PlanManager.from_dict(document).plan.status == status
    document["tasks"].append({"id": 2, "name": "b"})
    later = PlanManager.from_dict(document).plan.status
    assert later == ("idle" if fields.get("status") in ("pending", "skipped") else "running")


def test_m7_an_id_that_is_too_large_is_named_where_it_was_written() -> None:
    document = task()
    for largest in (10**20, 2**52):
        document["tasks"][0]["id"] = largest
        with pytest.raises(InvalidArgument, match=r"^tasks\[0\]\.id: expected a task id"):
            PlanManager.from_dict(document)
    document["tasks"][0]["id"] = 2**52 - 1
    assert PlanManager.from_dict(document).addTask("b")["data"]["new_task"]["id"] == 2**52
    document["outlast"] = {"next_id": 2**52 + 1}
    with pytest.raises(InvalidArgument, match=r"^next_id: "):
        PlanManager.from_dict(document)


def test_r2_04_a_blocked_task_names_what_blocks_it() -> None:
    task = Task(2, "b", needs=(1,))
    assert task_object(task, (1,))["outlast"]["blocked_by"] == [1]
    assert "blocked_by" not in task_object(task, ()).get("outlast", {})
