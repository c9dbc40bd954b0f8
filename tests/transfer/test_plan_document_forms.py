"""U9: a form is recognized by its content, and what has none is refused with what was expected."""

from __future__ import annotations

import json

import pytest

from outlast.documents.json.reader import LARGEST_BYTES
from outlast.errors import InvalidDocument, UnknownForm
from outlast.transfer.imports.document import ImportSource
from outlast.transfer.plan_document import FORMS, read_source, recognize
from tests.transfer.imports.samples import HERE, NOW, create, read_sample, read_text

SAMPLES = {
    "planning-with-files": "planning-with-files",
    "planning-with-files-zh": "planning-with-files",
    "claude-tasks": "claude-tasks",
    "todos.json": "todos",
    "task-master.json": "task-master",
    "spec-kit.md": "spec-kit",
    "kiro.md": "kiro",
    "kiro-waves.md": "kiro",
    "nested.md": "checklist",
}


@pytest.mark.parametrize(("name", "form"), SAMPLES.items())
def test_u9_every_sample_is_recognized_and_becomes_a_plan(name: str, form: str) -> None:
    document = read_sample(name)
    assert document.form == form
    assert create(document).tasks


def test_every_sample_is_tried() -> None:
    assert {path.name for path in HERE.iterdir()} == set(SAMPLES)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("# Trip\n- [ ] ○ A\n  - [ ] ○ B\n", "markdown"),
        ("- [ ] T001 A\n\n*Last updated: 2026-01-01T00:00:00Z*\n", "markdown"),
        ("- [ ] T001 A\n\n<!-- outlast r1 -->\n", "markdown"),
        ("# Tasks\n- [ ] 3 eggs\n", "markdown"),
        ("# Trip\n- [ ] 1. A\n", "markdown"),
        ("# Trip\n- [ ] 1. A\n  _Requirements: 1.2_\n", "kiro"),
        ("# Trip\n- [ ] 1. A\n- [ ]* 2. B\n", "kiro"),
        ("# Task Plan: X\n- [ ] A\n", "markdown"),
        ("### Phase 1\n**Status:** blocked\n- [ ] A\n", "planning-with-files"),
        ("### Phase 1\n**Status:** of no use\n- [ ] A\n", "markdown"),
        ("- [ ] A\n\t- [ ] B\n", "checklist"),
        ("[\n- [ ] A\n", "markdown"),
        ('{"tasks": [{"subject": "a", "status": "pending", "id": "1"}]}', "claude-tasks"),
        ('[{"subject": "a", "status": "pending", "id": "1"}]', "claude-tasks"),
        ('{"steps": [], "subject": "a", "status": "running"}', "plan.json"),
        ('{"tasks": [{"title": "a"}]}', "task-master"),
        ('{"tasks": []}', "manager"),
        ('{"tasks": [{"id": 1, "name": "a"}, {"id": 2}]}', "manager"),
        ('{"goal": "a"}', "plan.json"),
        ('{"goal": "a", "status": "running", "iteration_count": 0}', "plan.json"),
        ('{"steps": [{"id": 1, "description": "a"}, {}], "x": 1}', "plan.json"),
        ('{"steps": ["boil"], "tasks": [{"title": "a"}]}', "task-master"),
    ],
)
def test_u9_a_form_is_recognized_by_what_only_it_has(text: str, form: str) -> None:
    assert recognize(ImportSource("document", {"document": text.encode()})) == form


@pytest.mark.parametrize(
    ("text", "key", "near", "line"),
    [
        ("", "form_unknown", "", 1),
        ("Dear all,\n\nbye\n", "form_unknown", "", 3),
        ("# T\n\n1) one\n", "form_unknown_near", "checklist", 3),
        ("{\n", "form_no_json", "", 2),
        ('{\n"todos": [}', "form_no_json", "todos", 2),
        ('[\n\n{"activeForm": 1}]', "form_unknown_near", "todos", 3),
        ('{"a":\n1,"steps\\u0020": 2}', "form_unknown", "", 1),
        ('{"todos": ' + "1" * 5_000 + "}", "form_no_json", "todos", 1),
        ('{"x": {"subtasks": 1, "todos": 2}}', "form_unknown_near", "task-master", 1),
        ('{"goal": "Launch", "milestones": [1]}', "form_unknown_near", "plan.json", 1),
        ('{"goal": "Make tea", "steps": ["boil"]}', "form_unknown_near", "plan.json", 1),
        ('{\n"steps": [{"uses": "checkout"}]}', "form_unknown_near", "plan.json", 2),
        ('{"tasks": [{"label": "build"}]}', "form_unknown_near", "manager", 1),
        ('{"tasks": {"build": "make"}}', "form_unknown_near", "manager", 1),
        ('[{"role": "user", "content": "hi"}]', "form_unknown", "", 1),
    ],
)
def test_u9_a_refusal_names_the_forms_the_nearest_one_and_the_line(
    text: str, key: str, near: str, line: int
) -> None:
    with pytest.raises(UnknownForm) as refused:
        read_text(text)
    details = refused.value.details
    assert (refused.value.text, details["near"], details["line"]) == (key, near, line)
    assert details["expected"] == [*FORMS]


@pytest.mark.parametrize("form", ["planning-with-files", "spec-kit", "kiro"])
def test_u9_a_document_that_is_not_in_the_form_that_was_named_is_refused(form: str) -> None:
    with pytest.raises(UnknownForm) as refused:
        read_text("# Nothing\n", form)
    assert refused.value.details["near"] == form
    assert [task.name for task in read_text("- [ ] 1. A", form).plan.tasks] in (["1. A"], ["A"])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xff", "document_not_text"),
        (b"[\xff", "document_not_text"),
        (b"\x00" * (LARGEST_BYTES + 1), "document_too_large"),
        (b"[" * 100_000, "document_too_deep"),
        (b'{"a": 1, "a": 2}', "document_field_twice"),
    ],
)
def test_f15_bytes_that_are_no_document_are_refused(data: bytes, text: str) -> None:
    with pytest.raises(InvalidDocument) as refused:
        read_text(data)
    assert refused.value.text == text


def test_u9_files_beside_a_plan_are_read_with_it() -> None:
    source = ImportSource("here", {"task_plan.md": b"### Phase 1\n- [ ] a\n"})
    source = source.add({"findings.md": b"## Notes\nn\n"})
    document = read_source(source, "planning-with-files", "plan_new", NOW)
    assert len(document.notes) == 1


def directory(**files: str) -> ImportSource:
    data = {name.replace("_", "."): text.encode() for name, text in files.items()}
    return ImportSource("here", data, "here", is_directory=True)


TASK = json.dumps({"id": "1", "subject": "a", "status": "pending"})


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (directory(), "form_no_directory"),
        (directory(a_txt=""), "form_no_directory"),
        (directory(a_json="{", b_json="[]"), "form_no_directory"),
        (directory(a_json=TASK, b_json="{"), "form_no_json"),
        (directory(a_json=TASK, b_json="[]"), "document_missing"),
    ],
)
def test_u9_a_directory_without_a_plan_is_refused(source: ImportSource, text: str) -> None:
    with pytest.raises(InvalidDocument) as refused:
        read_source(source, None, "plan_new", NOW)
    assert refused.value.text == text


def test_u9_a_file_among_several_is_named_where_it_is_no_text() -> None:
    files = {"task_plan.md": b"### Phase 1\n- [ ] a\n", "findings.md": b"\xff"}
    with pytest.raises(InvalidDocument) as refused:
        read_source(ImportSource("here", files), "planning-with-files", "plan_new", NOW)
    assert refused.value.details["where"] == "here/findings.md"
