"""A3: no text breaks an importer, nothing is lost, and what is read is rendered and read again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.documents.json import manager_render
from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.errors import OutlastError
from outlast.transfer.imports.document import ImportSource, PlanDocument
from outlast.transfer.plan_document import FORMS, read_source, write
from tests.model.indexes import encode_all
from tests.transfer.imports.samples import HERE, NOW, create, read_sample, read_text
from tests.transfer.test_plan_document_forms import SAMPLES

if TYPE_CHECKING:
    from outlast.model.state import PlanState

MARKDOWN_FORMS = ["planning-with-files", "spec-kit", "kiro", "checklist"]
PIECES = st.sampled_from(
    [
        *("# ", "## ", "### Phase 1", "## Goal", "# Task Plan: ", "## Errors Encountered"),
        *("- [ ] ", "- [x] ", "  - [-] ", "\t* [~]* ", "1. [?] ", "- [ ]", "- ", "T001 ", "[P] "),
        *("[US1] ", "1.1 ", "2. ", "_Requirements: 1.2_", "(depends on T001)", "**Status:** "),
        *("complete", "in_progress", "| a | b |", "|---|", "```", "<!--", "-->", "<!-- t1 -->"),
        *('{"waves": [["1.1"]]}', "\n", "\n", "\n", "  ", "**", "○ ", "\u2028", "\x00", "\x1b[2J"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("pending"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "subject",
                    "status",
                    "blocks",
                    "blockedBy",
                    "tasks",
                    "title",
                    "subtasks",
                    "dependencies",
                    "todos",
                    "content",
                    "metadata",
                    "master",
                    "steps",
                    "goal",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def try_to_read(source: ImportSource, form: str | None) -> PlanDocument | None:
    """Return the document, or None if it was refused on purpose."""
    try:
        document = read_source(source, form, "plan_new", NOW)
        create(document)
    except OutlastError:
        return None
    return document


@given(TEXTS, st.sampled_from([None, *FORMS]))
def test_a3_no_text_breaks_an_importer(text: str, form: str | None) -> None:
    data = text.encode(errors="replace")
    try_to_read(ImportSource("document", {"task_plan.md": data, "findings.md": data}), form)
    try_to_read(ImportSource("document", {"document": data}), form)


@given(st.binary(max_size=60), st.sampled_from([None, *FORMS]))
def test_a3_no_bytes_break_an_importer(data: bytes, form: str | None) -> None:
    try_to_read(ImportSource("document", {"document": data}), form)


@given(
    st.lists(JSON, min_size=1, max_size=3), st.sampled_from([None, "claude-tasks", "task-master"])
)
def test_a3_no_json_breaks_an_importer(documents: list[Any], form: str | None) -> None:
    files = {f"{n}.json": json.dumps(document).encode() for n, document in enumerate(documents)}
    try_to_read(ImportSource("here", files, is_directory=True), form)
    try_to_read(ImportSource("here", {"0.json": files["0.json"]}), form)


@given(TEXTS, st.sampled_from(MARKDOWN_FORMS))
def test_a3_an_imported_plan_is_rendered_and_read_again_as_it_is(text: str, form: str) -> None:
    document = try_to_read(ImportSource("document", {"document": text.encode()}), form)
    if document is None:
        return
    for exported in ("plan.json", "manager"):
        state = create(document)
        again = read_text(write(state, exported))
        assert again.form == exported
        assert shape(create(again)) == shape(state)


def shape(state: PlanState) -> dict[str, Any]:
    """Return what both JSON forms keep: not times, notes and prose."""
    names = ("goal", "title", "order", "phases", "tasks")
    whole = encode_all(state)
    return {name: whole[name] for name in names if name in whole}


@pytest.mark.parametrize("name", SAMPLES)
def test_a3_the_view_of_an_imported_plan_asks_for_no_edit(name: str) -> None:
    state = create(read_sample(name))
    found = merge(create(read_sample(name)), state, parse(render(state)))
    assert (found.edits, found.reports) == ((), ())


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


@given(st.sampled_from([name for name in SAMPLES if name.endswith(".md")]), st.data())
def test_m7_no_word_is_lost(name: str, data: st.DataObject) -> None:
    lines = (HERE / name).read_text("utf-8").splitlines()
    kept = data.draw(st.lists(st.sampled_from(lines), max_size=30))
    text = "\n".join(["- [ ] T1 a", "  - [ ] 1.1 b", *kept])
    document = read_text(text, data.draw(st.sampled_from(MARKDOWN_FORMS)))
    assert lost(text, document) == set()


def test_m7_no_word_of_planning_with_files_is_lost() -> None:
    for name in ("planning-with-files", "planning-with-files-zh"):
        text = "\n".join(file.read_text("utf-8") for file in (HERE / name).iterdir())
        gone = lost(text, read_sample(name))
        # headings and statuses that the plan says in its own words
        assert gone <= {
            *("Task", "Plan", "Goal", "Status", "complete", "in_progress", "pending", "Progress"),
            *("Findings", "Decisions", "Technical", "Made", "Issues", "Issue", "Errors", "Error"),
            *("Encountered", "Log", "Decision", "Rationale", "Timestamp", "Attempt", "Resolution"),
            *("任务计划", "目标", "各阶段", "已做决策", "决策", "理由", "遇到的错误", "状态"),
        }


def lost(text: str, document: PlanDocument) -> set[str]:
    """Return the words of a text that nothing of the plan holds, nor the report."""
    state = create(document)
    whole = json.dumps(
        [
            manager_render.render(state),
            [note.__struct_fields__ and str(note) for note in document.notes],
            [line for block in document.prose for line in block.lines],
            [line.text for line in document.unread],
        ],
        ensure_ascii=False,
    )
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    present = words(json.dumps(json.loads(whole), ensure_ascii=False).replace("\\n", " "))
    marks = {"x", "P", "depends", "on"}
    return {word for word in words(text) - marks if word not in present and word not in whole}
