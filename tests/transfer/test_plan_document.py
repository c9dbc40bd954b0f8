"""M7: a whole plan in one document: every form is written, detected and read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast import Plan
from outlast.documents.json.reader import LARGEST_BYTES
from outlast.errors import InvalidDocument
from outlast.model.commands import CreatePlan
from outlast.transfer.plan_document import write
from tests.making import make_plan, state_of
from tests.transfer.imports.samples import read_text

FORMS = ["plan.json", "manager", "markdown", "checklist"]


def write_plan(plan: Plan, form: str) -> bytes:
    return write(state_of(plan), form)


def names(plan: CreatePlan) -> list[tuple[str, bool]]:
    return [(task.name, task.finished) for task in plan.tasks]


@pytest.mark.parametrize("form", FORMS)
def test_m7_the_form_of_a_document_is_detected(form: str) -> None:
    plan = make_plan("Build", "● Test", "- [ ] Tell")
    plan.complete(1)
    plan.skip(3)
    read_back = read_text(write_plan(plan, form))
    assert read_back.form == ("markdown" if form == "checklist" else form)
    assert names(read_back.plan) == [("Build", True), ("● Test", False), ("- [ ] Tell", True)]
    assert read_text(write_plan(plan, form), form).plan == read_back.plan


def test_m7_a_checklist_keeps_its_phases() -> None:
    plan = make_plan("Build")
    plan.add_phase("Later on")
    plan.add("Tell", phase="later-on")
    text = write_plan(plan, "checklist").decode()
    assert text == ("# Test things\n\n## Main Tasks\n\n- [ ] Build\n\n## Later on\n\n- [ ] Tell\n")
    made = read_text(text.encode()).plan
    assert [phase.title for phase in made.phases] == ["Main Tasks", "Later on"]


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(
    lambda name: len(name.splitlines()) == 1 and name.strip() != "" and name.splitlines() == [name]
)


@given(st.lists(st.tuples(st.sampled_from(["", "● ", "✖", "[x] ", "## "]), NAMES), min_size=1))
def test_a3_names_on_a_checklist_are_read_as_they_are(parts: list[tuple[str, str]]) -> None:
    plan = make_plan(*(head + tail for head, tail in parts))
    read_back = read_text(write_plan(plan, "checklist")).plan
    assert [name for name, _ in names(read_back)] == [task.name for task in plan.tasks()]


def test_m7_an_object_is_a_manager_s_if_it_has_tasks_and_no_steps() -> None:
    assert read_text(b'\xef\xbb\xbf {"tasks": [], "meta": {"goal": "g"}}').form == "manager"
    assert read_text(b'{"goal": "g", "steps": []}').form == "plan.json"
    assert read_text(b'{"goal": "g"}').form == "plan.json"
    assert read_text(b'{"steps": [], "todos": [{"content": "a"}]}').form == "plan.json"
    assert read_text(b'{"goal": "g", "tasks": []}').form == "manager"
    assert read_text(b"- [ ] a\n").form == "markdown"


def test_r4_02_prose_and_lines_that_cannot_be_understood_are_reported() -> None:
    told = read_text(b"# T\n\nMine.\n\n- [ ] a\n- [?] b\n")
    assert [one.line for one in told.unread] == [6]
    assert any("Mine." in prose.lines for prose in told.prose)


def test_m7_unknown_halves_of_characters_are_written_as_json_does() -> None:
    plan = make_plan("a")
    document = json.loads(write_plan(plan, "manager"))
    document["theirs"] = "\ud800"
    assert read_text(json.dumps(document).encode()).plan.extra


@pytest.mark.parametrize(
    ("data", "form", "text"),
    [
        (b"x" * (LARGEST_BYTES + 1), None, "document_too_large"),
        (b"{", None, "form_no_json"),
        (b"{", "manager", "document_not_json"),
        (b"# \xff", None, "document_not_text"),
        (b"[]", "plan.json", "document_wrong_type"),
        (b"[]", "manager", "document_wrong_type"),
        (b"{}", None, "form_unknown"),
        (b"[]", None, "form_unknown"),
        (b'{"todos": [{"text": "a"}]}', None, "form_unknown_near"),
        (b"# Title\n\n## Phase\n\n- bullet\n", None, "form_unknown_near"),
        (b"# Title\n", "checklist", "form_unknown"),
    ],
)
def test_f15_what_is_no_plan_is_refused(data: bytes, form: str | None, text: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        read_text(data, form)
    assert caught.value.text == text
