"""F6: what is no `plan.json` is refused with the place, and never with another error."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.documents.json import manager_render, plan_render
from outlast.documents.json.plan_parse import parse
from outlast.documents.json.reader import LARGEST_BYTES
from outlast.errors import InvalidArgument, InvalidDocument, Refused
from outlast.language import explain
from outlast.model.commands import CreatePlan
from tests.documents.json.plan_files import (
    EXAMPLE,
    NOW,
    create_state,
    example,
    load_state,
    save_state,
    step,
)

HALF = "\ud800"
NAMES = [
    *("id", "goal", "status", "created_at", "updated_at", "steps", "current_step_index"),
    *("iteration_count", "description", "result", "progress", "current", "total", "started_at"),
    *("completed_at", "outlast", "extra", "key", "title", "order", "phases", "next_id", "begun"),
    *("hold", "phase", "dependencies", "reasoning", "error", "retry_count", "active_form", "kind"),
    *("checks", "rule", "how", "actor", "times", "meta", "state", "top", "plan_json", "fields"),
]
WORDS = [
    *("", HALF, "step_1", "step_2", "1", "a", "running", "completed", "pending", "skipped"),
    *("graph", "main", "command", "2024-01-01T00:00:00Z", "paused", "x" * 300),
]
_hostile = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.just(2**70)
    | st.just(0.5)
    | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)
_objects = st.dictionaries(st.sampled_from(NAMES), _hostile, max_size=6)


def refusal_of(data: object) -> InvalidDocument:
    with pytest.raises(InvalidDocument) as caught:
        parse(data, "plan_new", NOW)
    return caught.value


def assert_plan_or_refusal(data: object) -> None:
    """A plan or a refusal with a place, and a plan that is accepted can be written and read."""
    try:
        command = parse(data, "plan_new", NOW)
        state = create_state(command)
    except InvalidDocument as error:
        if not error.details["where"]:
            raise
        return
    except Refused:
        return
    manager_render.render(state)
    written = plan_render.render(state)
    assert plan_render.render(load_state(written)) == written


def test_f6_the_example_cut_at_every_offset_is_refused() -> None:
    whole = EXAMPLE.rstrip()
    assert isinstance(parse(whole, "plan_new", NOW), CreatePlan)
    for offset in range(len(whole)):
        assert refusal_of(whole[:offset]).details["where"] == "document"


@pytest.mark.slow
def test_f6_the_example_with_any_byte_changed_is_a_plan_or_refused() -> None:
    for offset in range(len(EXAMPLE)):
        for other in (EXAMPLE[offset] ^ 1, 0, 255, *b'"{}[],0'):
            assert_plan_or_refusal(EXAMPLE[:offset] + bytes((other,)) + EXAMPLE[offset + 1 :])


@given(st.binary())
def test_f6_bytes_are_a_plan_or_refused(data: bytes) -> None:
    assert_plan_or_refusal(data)


@pytest.mark.slow
@settings(max_examples=600, deadline=None, derandomize=True)
@given(_objects, st.lists(_objects, max_size=3), _objects)
def test_f6_a_hostile_document_is_a_plan_or_refused(top: Any, steps: Any, own: Any) -> None:
    named = [{"id": f"step_{at}", "description": "a", **step} for at, step in enumerate(steps, 1)]
    assert_plan_or_refusal({**top, "steps": named, "outlast": own})
    assert_plan_or_refusal(json.dumps({**example(), **top}).encode())


@pytest.mark.slow
@settings(max_examples=400, deadline=None, derandomize=True)
@given(_objects, _objects)
def test_f6_a_hostile_extension_is_a_plan_or_refused(own: Any, of_step: Any) -> None:
    assert_plan_or_refusal({**step(outlast={"extra": of_step}), "outlast": {"extra": own}})
    assert_plan_or_refusal({**step(outlast=of_step), "outlast": own})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "document: not valid JSON: Expecting value"),
        (b"\xff", "document: not valid JSON: 'utf-8' codec"),
        (b"[]", "document: expected object, got array"),
        ([], "document: expected object, got array"),
        (b'{"x": NaN}', "document: not valid JSON: NaN"),
        (b'{"x": -Infinity}', "document: not valid JSON: -Infinity"),
        (b'{"x": 1e999}', "document: not valid JSON: 1e999"),
        ({"x": math.inf}, "document: not valid JSON: "),
        (b'{"x": ' + b"1" * 5000 + b"}", "document: not valid JSON: "),
        (b'{"x": {"goal": 1, "goal": 1}}', "goal: the field is given twice"),
        (b'{"\\ud800": 1, "\\ud800": 1}', "\\ud800: the field is given twice"),
        (b'{"x": ' + b"[" * 100_000, "document: nested more than 100 levels deep"),
        (b'{"x": ' + b"[" * 150 + b"]" * 150 + b"}", "document: nested more than 100 levels"),
        (b" " * (LARGEST_BYTES + 1), f"document: larger than {LARGEST_BYTES:,} bytes"),
        ({"goal": 1}, "goal: expected string, got integer"),
        ({"goal": HALF}, "goal: not valid JSON: 'utf-8' codec can't encode"),
        ({"id": 1}, "id: expected string, got integer"),
        ({"status": "idle"}, "status: expected one of pending, running, paused"),
        ({"iteration_count": -1}, "iteration_count: expected a number of at least 0"),
        ({"iteration_count": True}, "iteration_count: expected integer, got boolean"),
        ({"current_step_index": "0"}, "current_step_index: expected integer, got string"),
        ({"created_at": []}, "created_at: expected string, integer, number, got array"),
        ({"steps": {}}, "steps: expected array, got object"),
        ({"steps": [1]}, "steps[0]: expected object, got integer"),
        ({"steps": [{"description": "a"}]}, "steps[0].id: missing"),
        ({"steps": [{"id": "step_1"}]}, "steps[0].description: missing"),
        (step(id=True), "steps[0].id: expected integer, string, got boolean"),
        (step(id=""), "steps[0].id: missing"),
        (step(id=HALF), "steps[0].id: not valid JSON: "),
        ({"steps": [*step()["steps"], *step(id=1)["steps"]]}, "steps[1].id: the id 1 is given"),
        (step(status="skipped"), "steps[0].status: expected one of pending, running"),
        (step(result=1), "steps[0].result: expected string, got integer"),
        (step(description=HALF), "steps[0].description: not valid JSON: "),
        (step(progress=0.5), "steps[0].progress: expected object, got number"),
        (
            step(progress={"current": -1}),
            "steps[0].progress.current: expected a number of at least 0",
        ),
        (step(x=[[[1]] * 2] * 2, outlast={"checks": [{"rule": HALF}]}), "steps[0].outlast.checks"),
        (step(outlast={"dependencies": [2]}), "steps[0].outlast.dependencies[0]: no task has"),
        (step(outlast={"dependencies": [True]}), "steps[0].outlast.dependencies[0]: expected task"),
        (step(outlast={"status": "failed"}), "steps[0].outlast.status: expected one of"),
        (step(outlast={"started_at": "now"}), "steps[0].outlast.started_at: expected a time"),
        (step(outlast={"extra": {"outlast": 5}}), "steps[0].outlast.extra.outlast: expected obj"),
        ({"outlast": {"extra": {"meta": 5}}}, "outlast.extra.meta: expected object, got integer"),
        (
            step(outlast={"extra": {"outlast": {"plan_json": {}}}}),
            "steps[0].outlast.extra.outlast.plan_json: unknown field",
        ),
        ({"outlast": 5}, "outlast: expected object, got integer"),
        ({"outlast": {"phases": [{"id": "p"}]}}, "outlast.phases[0].title: missing"),
    ],
)
def test_f6_what_is_no_plan_is_refused_with_the_place(data: Any, message: str) -> None:
    assert explain(refusal_of(data)).startswith(message)


@pytest.mark.parametrize(
    "document",
    [
        step(description=" "),
        step(description="a\nb"),
        step(progress={"current": 3, "total": 2}),
        step(result="x" * 70_000),
        step(id=-1),
    ],
)
def test_f6_a_plan_against_the_rules_is_read_and_not_created(document: Any) -> None:
    command = parse(document, "plan_new", NOW)
    with pytest.raises(InvalidArgument):
        create_state(command)


def test_f6_a_byte_order_mark_is_skipped() -> None:
    assert plan_render.render(load_state(b"\xef\xbb\xbf" + EXAMPLE)) == EXAMPLE


def test_m7_half_a_character_in_an_unknown_field_is_written_as_it_can_be_read() -> None:
    document = {**example(), "x": HALF}
    data = plan_render.render(load_state(document))
    assert b'"x": "\\ud800"' in data
    assert save_state(load_state(data)) == document


def test_f15_a_plan_with_many_steps_comes_back() -> None:
    steps = [{"id": f"step_{n}", "description": "a"} for n in range(1, 20_001)]
    steps[1]["outlast"] = {"dependencies": [1]}  # type: ignore[assignment]
    state = load_state({"steps": steps})
    assert len(save_state(state)["steps"]) == 20_000
