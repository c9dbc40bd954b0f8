"""M7 for `plan.json`: plan and document come back from each other, and nothing is lost."""

from __future__ import annotations

import copy
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.documents.json import manager_parse, manager_render
from outlast.documents.json import plan_render as plan_json
from outlast.errors import InvalidDocument, Refused
from outlast.model.commands import Complete, CountIteration, CreatePlan
from outlast.model.execute import execute
from outlast.model.model import Check, Phase, Progress, Task
from tests.documents.json.plan_files import (
    NOW,
    create_state,
    example,
    load_state,
    rounded,
    save_state,
    step,
    value,
)
from tests.model.indexes import assert_indexes
from tests.model.strategies import moment, plans, requests

if TYPE_CHECKING:
    from outlast.model.state import PlanState

_settings = settings(
    max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
scripts = st.lists(st.none() | requests | requests | requests, min_size=20, max_size=20)
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # A lone surrogate is no text, but an unknown field may hold one.
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_unknown = st.dictionaries(st.text().map("x-{}".format), _json, max_size=3)


def everything() -> PlanState:
    fields: dict[str, Any] = {"kind": "k", "active_form": "Doing", "reasoning": "why"}
    fields["description"] = "in\nlines"
    fields |= {"run": "make it", "files": ("a", "b, c"), "protect": ("tests/**",)}
    checks = (Check("file", "x"), Check("command", "make"))
    tasks = (
        Task(4, "a", "late", (9,), progress=Progress(1, 3), checks=checks, alias="A", **fields),
        Task(9, "b", status="failed", error="broke", retry_count=3, alias="step_9"),
        Task(2, "c", status="completed", how="assumed", actor="bo", ended_at=NOW),
        Task(3, "d", status="completed", how="unproved"),
    )
    phases = (Phase("late", "Late", "notes"), Phase("main", "Main Tasks"))
    return create_state(
        CreatePlan("plan_x", "g\nh", "k", "T", "graph", phases, tasks, 40, hold="paused")
    )


def test_m7_what_the_form_cannot_say_is_in_the_extension() -> None:
    document = save_state(everything())
    assert document["outlast"] == {
        "key": "k",
        "title": "T",
        "order": "graph",
        "phases": [
            {"id": "late", "title": "Late", "notes": "notes"},
            {"id": "main", "title": "Main Tasks"},
        ],
        "next_id": 40,
        "begun": False,
        "hold": "paused",
    }
    first, second, third, fourth = document["steps"]
    assert (first["id"], second["id"], third["id"]) == ("A", "step_9", "step_2")
    assert first["outlast"] == {
        "description": "in\nlines",
        "phase": "late",
        "active_form": "Doing",
        "kind": "k",
        "checks": [{"kind": "file", "rule": "x"}, {"kind": "command", "rule": "make"}],
        "run": "make it",
        "files": ["a", "b, c"],
        "protect": ["tests/**"],
        "id": 4,
        "dependencies": [9],
        "reasoning": "why",
    }
    assert second["outlast"] == {"error": "broke", "retry_count": 3, "id": 9}
    assert third["outlast"] == {"how": "assumed", "actor": "bo"}
    assert fourth["outlast"] == {"how": "unproved"}
    assert value(load_state(document)) == value(everything())


def test_m7_a_file_that_says_proved_counts_as_a_report() -> None:
    document = save_state(everything())
    document["steps"][3]["outlast"]["how"] = "proved"
    assert load_state(document).tasks[3].how == "reported"


@pytest.mark.parametrize(
    ("field", "found", "where"),
    [("run", [], "run"), ("files", "a", "files"), ("protect", ["a", 5], "protect[1]")],
)
def test_m7_rules_of_the_wrong_type_are_refused_with_their_place(
    field: str, found: Any, where: str
) -> None:
    with pytest.raises(InvalidDocument) as caught:
        load_state(step(outlast={field: found}))
    assert caught.value.details["where"] == f"steps[0].outlast.{where}"


@_settings
@given(plans, scripts)
def test_m7_any_plan_comes_back_and_is_written_the_same(plan: CreatePlan, script: Any) -> None:
    state = create_state(plan)
    for at, request in enumerate(script):
        if request is not None and request.kind != "prove":  # which no file can
            try:
                execute(state, (request.command(state),), moment(at))
            except Refused:
                continue
    data = plan_json.render(state)
    again = load_state(data)
    assert plan_json.render(again) == data
    rounded(state)
    assert manager_render.render(again) == manager_render.render(state)
    assert value(again) == value(state)
    assert_indexes(again)


@_settings
@given(_unknown, _unknown, _unknown, _unknown, _unknown)
def test_m7_unknown_fields_stay_where_they_were(
    top: Any, own: Any, inside: Any, deep: Any, progress: Any
) -> None:
    document = {**example(), **top}
    first, second = document["steps"]
    first |= inside
    first["progress"] |= progress
    if own:
        document["outlast"] = own
    if deep:
        second["outlast"] = deep
    state = load_state(document)
    assert save_state(state) == document
    assert plan_json.render(load_state(plan_json.render(state))) == plan_json.render(state)
    # Another form carries them along.
    other = manager_parse.parse(manager_render.render(state), "plan_new", NOW)
    assert save_state(create_state(other)) == document
    execute(state, (CountIteration(), Complete(2, "agent")), NOW)
    assert top.items() <= save_state(state).items()


@pytest.mark.parametrize(
    "time",
    [
        *("2024-01-01T08:00:00+08:00", "2024-01-01T00:00:00.123456Z", "2024-01-01 00:00:00"),
        *("2024-01-01", "yesterday", "", "0001-01-01T00:00:00+14:00", "2024-01-01T00:00:00+00:00"),
        *(1704067200, 1704067200123, 1704067200.5, 10**30),
    ],
)
def test_m7_foreign_times_stay_until_they_change(time: Any) -> None:
    document = {**example(), "created_at": time, "updated_at": time}
    document["steps"][1]["started_at"] = document["steps"][1]["completed_at"] = time
    state = load_state(document)
    assert save_state(state) == document
    assert save_state(load_state(save_state(state))) == document
    execute(state, (Complete(2, "agent"),), NOW + timedelta(seconds=1))
    changed = save_state(state)
    assert (changed["created_at"], changed["updated_at"]) == (time, "2026-03-01T12:00:01Z")
    assert changed["steps"][1]["started_at"] == time
    assert changed["steps"][1]["completed_at"] == "2026-03-01T12:00:01Z"


def test_m7_foreign_ids_are_kept_as_aliases() -> None:
    document = example()
    refs = ["open", "7", 3, "step_007", "step_0", "step_5", f"step_{10**20}"]
    document["steps"] = [{**copy.deepcopy(document["steps"][0]), "id": ref} for ref in refs]
    document["steps"][1]["outlast"] = {"dependencies": ["open"]}
    document["current_step_index"], document["status"] = 7, "completed"
    state = load_state(document)
    assert list(state.graph.order) == [8, 7, 3, 9, 10, 5, 11]
    assert state.find("open") is state.tasks[8]
    assert state.tasks[7].needs == (8,)
    again = save_state(state)
    assert [found["id"] for found in again["steps"]] == refs
    assert again["steps"][0]["outlast"] == {"id": 8}
    assert "outlast" not in again["steps"][2]
    assert plan_json.render(load_state(again)) == plan_json.render(state)
    assert value(load_state(again)) == value(state)


def test_m7_progress_of_nothing_is_no_progress_and_stays() -> None:
    for said in ({"current": 0, "total": 0}, {"unit": "MB"}):
        state = load_state(step(progress=said))
        assert state.tasks[1].progress is None
        assert save_state(state)["steps"][0]["progress"] == said
    state.replace_task(
        state.tasks[1], Task(1, "a", progress=Progress(1, 2), extra=state.tasks[1].extra)
    )
    assert save_state(state)["steps"][0]["progress"] == {"current": 1, "total": 2, "unit": "MB"}
    assert "progress" not in save_state(load_state(step(progress={})))["steps"][0]


def test_m7_a_reasoning_that_is_null_stays_null() -> None:
    like = {"name": "a", "status": "pending", "dependencies": []}
    tasks: list[dict[str, Any]] = [{"id": id_, **like} for id_ in (1, 2, 3)]
    tasks[0] |= {"reasoning": None}
    tasks[1] |= {"reasoning": ""}
    tasks[2] |= {"reasoning": None, "colour": "red"}
    document = {"meta": {"goal": "g"}, "tasks": tasks}
    state = create_state(manager_parse.parse(document, "plan_new", NOW))
    rendered = manager_render.render(state)
    assert [task["reasoning"] for task in rendered["tasks"]] == [None, "", None]
    assert manager_render.render(load_state(plan_json.render(state))) == rendered
    state.replace_task(state.tasks[1], replace(state.tasks[1], reasoning="why"))
    assert manager_render.render(state)["tasks"][0]["reasoning"] == "why"


def test_m7_what_another_form_keeps_is_carried_along() -> None:
    document = {
        "meta": {"goal": "g", "created_at": "yesterday", "owner": "ann", "updated_at": 1},
        "state": {"current_task_id": None, "status": "idle", "note": "\ud800"},
        "tasks": [
            {"id": 1, "name": "a", "status": "pending", "dependencies": [], "reasoning": ""}
            | {"result": None, "description": "b", "steps": 1, "outlast": {"colour": "red"}}
        ],
        "id": 3,
        "steps": "x",
        "outlast": {"flavour": 1},
    }
    state = create_state(manager_parse.parse(document, "plan_new", NOW))
    data = plan_json.render(state)
    assert json.loads(data)["steps"][0]["description"] == "a"
    assert manager_render.render(load_state(data)) == manager_render.render(state)
    assert plan_json.render(load_state(data)) == data


def test_m7_what_another_form_let_in_unread_breaks_nothing() -> None:
    task = {"id": 1, "name": "a", "outlast": {"plan_json": {"times": 5}}}
    document = {"tasks": [task], "outlast": {"plan_json": 5}}
    state = create_state(manager_parse.parse(document, "plan_new", NOW))
    data = plan_json.render(state)
    assert "outlast" not in json.loads(data)["steps"][0]
    assert plan_json.render(load_state(data)) == data


def test_r0_06_a_long_result_is_shown_short_and_kept_whole() -> None:
    state = load_state(step(status="completed"))
    found = "found " * 60
    state.replace_task(state.tasks[1], Task(1, "a", status="completed", result=found))
    saved = save_state(state)
    shown = saved["steps"][0]["result"]
    assert len(shown) <= 200 < len(found)
    assert found.startswith(shown.rstrip("…. "))
    assert load_state(saved).tasks[1].result == found
