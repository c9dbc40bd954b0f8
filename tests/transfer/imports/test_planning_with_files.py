"""U9: the three files of planning-with-files become a plan with its findings and errors."""

from __future__ import annotations

import json

from outlast.model.commands import NoteError, NoteFinding
from outlast.transfer.imports.document import ImportSource, PlanDocument
from outlast.transfer.plan_document import read_source
from tests.transfer.imports.samples import NOW, create, prose_text, read_sample, read_text, row


def read_files(**files: str) -> PlanDocument:
    data = {f"{name}.md": text.encode() for name, text in files.items()}
    return read_source(ImportSource("here", data), "planning-with-files", "plan_new", NOW)


def findings(document: PlanDocument) -> list[tuple[str, str, str, str]]:
    return [
        (note.category, note.title, note.content, note.source)
        for note in document.notes
        if isinstance(note, NoteFinding)
    ]


def errors(document: PlanDocument) -> list[NoteError]:
    return [note for note in document.notes if isinstance(note, NoteError)]


def test_u9_phases_and_their_statuses_are_kept() -> None:
    document = read_sample("planning-with-files")
    plan = document.plan
    assert (document.form, plan.order) == ("planning-with-files", "sequential")
    assert plan.title == "Move the shop to one currency table"
    assert plan.goal == "All prices come from one table, and the old constants are gone."
    assert [row(task)[1:3] for task in plan.tasks] == [
        ("List every place with a price", "completed"),
        ("Ask Mira about rounding", "completed"),
        ("Write prices.py", "completed"),
        ("Replace the constants in cart.py", "in_progress"),
        ("Replace the constants in invoice.py", "pending"),
        ("Phase 3: Release", "pending"),
    ]
    assert [task.how for task in plan.tasks[:3]] == ["reported", "assumed", "reported"]
    assert plan.tasks[3].description == "keep the names of the functions"
    create(document)


def test_u9_decisions_errors_and_findings_are_kept() -> None:
    document = read_sample("planning-with-files")
    state = create(document)
    assert len(state.notes.findings) == len(findings(document))
    assert findings(document)[:3] == [
        ("architecture", "Half-even rounding", "Mira: the bank does it too", "task_plan.md"),
        ("insight", "Requirements", "- One table, no constants", "findings.md"),
        ("architecture", "Decimal, not float", "Cents must add up", "findings.md"),
    ]
    assert ("issue", "Two tables for Norway", "Kept the newer one", "findings.md") in findings(
        document
    )
    session = next(text for _, title, text, _ in findings(document) if title.startswith("Session"))
    assert "### Phase 1: Look around" in session
    assert "Searched for prices" in session
    known, hanging = errors(document)
    assert (known.tool, known.message, known.count) == ("task_plan.md", "ImportError: prices", 2)
    assert [one["Resolution"] for one in json.loads(known.params)["rows"]] == [
        "Renamed the old module",
        "Removed its cache",
    ]
    assert (hanging.tool, str(hanging.at)) == ("progress.md", "2026-11-02 10:15:00+00:00")
    assert json.loads(hanging.params)["Resolution"] == "Raised the timeout"


def test_u9_what_is_no_part_of_a_plan_is_kept_as_prose_or_as_foreign_fields() -> None:
    document = read_sample("planning-with-files")
    for text in ("## Current Phase", "## Key Questions", "Who uses the old constants", "## Notes"):
        assert text in prose_text(document)
    assert "| Decision |" not in prose_text(document)
    assert json.loads(document.plan.extra)["top"]["planning-with-files"]["comments"] == {
        "task_plan.md": ["<!-- keep this file short -->", "<!-- one task a file -->"]
    }


def test_u9_a_plan_in_chinese_is_read() -> None:
    document = read_sample("planning-with-files-zh")
    plan = document.plan
    assert (plan.title, plan.goal) == ("统一价格表", "所有价格来自同一张表。")
    assert [row(task)[1:3] for task in plan.tasks] == [
        ("列出所有价格", "completed"),
        ("编写 prices.py", "in_progress"),
        ("替换 cart.py 中的常量", "pending"),
        ("等待 Mira 批准", "pending"),
    ]
    assert "**状态：** blocked" in plan.phases[2].notes
    assert "**结果：** pending" in plan.phases[2].notes
    assert findings(document) == [("architecture", "银行家舍入", "银行也这样做", "task_plan.md")]
    assert [(error.message, error.params) for error in errors(document)] == [
        ("导入失败", '{"": "→ 改了旧模块的名称"}')
    ]
    create(document)


def test_u9_phases_may_be_a_list_of_boxes() -> None:
    text = (
        "# Task Plan: [Brief Description]\n## Goal\n[One sentence]\n## Phases\n"
        "- [x] Phase 1: Look ✓\n- [ ] Phase 2: Do (CURRENT)\n## Status\n**Currently in Phase 2**\n"
        "## Errors Encountered\n| Error | Attempt |\n|---|---|\n|  | 1 |\n"
    )
    document = read_text(text, directory="morning")
    assert (document.form, document.plan.goal, document.plan.title) == (
        "planning-with-files",
        "morning",
        None,
    )
    assert [task.status for task in document.plan.tasks] == ["completed", "pending"]
    assert ("Currently" in prose_text(document), "Error" in prose_text(document)) == (True, False)


def test_u9_a_task_that_is_in_progress_stays_the_only_one() -> None:
    text = "## A\n- [ ] one\n- [~] two\n  - **Status:** in_progress\n- [-] three\n"
    plan = read_text(text).plan
    assert [task.status for task in plan.tasks] == ["pending", "in_progress", "skipped"]
    assert "**Status:**" in plan.tasks[1].description


FOUND = [
    ("insight", "findings.md", "before", "findings.md"),
    ("issue", "I", "", "findings.md"),
    (
        "insight",
        "Requirements",
        "- [ ] Fast\n### Errors\ntext\n### Issues\n## \n### Deep\n#### Deeper\nlow",
        "findings.md",
    ),
]


def test_u9_questions_and_findings_with_boxes_are_no_tasks() -> None:
    document = read_files(
        task_plan="# T\n## Goal\ng\n## Key Questions\n- [ ] Why?\n### Phase 1\n* **Owner**: Mira\n",
        findings="before\n# Findings\n## Requirements\n- [ ] Fast\n### Errors\n| Error |\n|-|\n"
        "| E |\ntext\n### Issues\n- I\n## \n### Deep\n#### Deeper\nlow\n## Empty\n-\n",
        progress="",
    )
    assert [task.name for task in document.plan.tasks] == ["Phase 1"]
    assert "* **Owner**: Mira" in document.plan.phases[0].notes
    assert "- [ ] Why?" in prose_text(document)
    assert findings(document) == FOUND
    assert [error.message for error in errors(document)] == ["E"]


def test_u9_tables_are_read_as_they_are_written() -> None:
    text = (
        "# T\n## Goal\ng\n### Phase 1\n## Error Log\n"
        "| Time | Error | |\n|:--|:-:|--:|\n| soon | a \\| b | c | d |\n| 2026-01-01 |\n"
        "- bullet\n  more\n\nplain\n- next\n|---|\n"
    )
    document = read_files(task_plan=text)
    shown = [
        (error.message, json.loads(error.params or "{}"), error.at) for error in errors(document)
    ]
    assert shown == [
        ("a | b", {"Time": "soon", "3": "c", "4": "d"}, None),
        ("bullet", {"": "more"}, None),
        ("next", {}, None),
    ]
    assert "plain" in prose_text(document)


def test_u9_each_table_of_a_section_has_its_own_heading() -> None:
    rule = "|---|---|\n"
    text = (
        "# T\n## Goal\ng\n### Phase 1\n## Errors Encountered\n"
        f"| Error | Attempt |\n{rule}| first | 1 |\n| --- | - |\n| second | 2 |\n\n| third | 3 |\n"
        f"Session 2\n\n| Error | Resolution |\n{rule}| fourth | fixed |\n"
    )
    document = read_files(task_plan=text)
    shown = [(error.message, json.loads(error.params)) for error in errors(document)]
    assert shown == [
        ("first", {"Attempt": "1"}),
        ("second", {"Attempt": "2"}),
        ("third", {"Attempt": "3"}),
        ("fourth", {"Resolution": "fixed"}),
    ]


def test_f15_what_is_too_long_for_a_finding_becomes_several() -> None:
    document = read_files(
        task_plan="# T\n### Phase 1\n- [ ] a\n",
        findings=f"## {'t' * 1_200}\n" + ("x" * 99 + "\n") * 400,
    )
    create(document)
    assert {len(title) for _, title, _, _ in findings(document)} == {1_000}
    assert sum(text.count("x") for _, _, text, _ in findings(document)) == 99 * 400


def test_f15_too_many_rows_are_kept_as_text() -> None:
    rows = "".join(f"| decision {n} | why |\n" for n in range(6_000))
    document = read_files(
        task_plan=f"# T\n### Phase 1\n- [ ] a\n## Decisions Made\n| D | W |\n|--|--|\n{rows}",
        findings="## Notes\nn\n",
    )
    assert len(document.notes) == 1
    assert "| decision 5999 | why |" in prose_text(document)


def test_f15_a_goal_and_details_of_any_length_are_kept() -> None:
    lines = "".join(f"  {'d' * 1_000}\n" for _ in range(40))
    text = f"# Task Plan: T\n## Goal\n{lines}\n### Phase 1\n{lines}\n- [ ] a\n{lines}"
    document = read_text(text)
    create(document)
    task, phase = document.plan.tasks[0], document.plan.phases[0]
    kept = document.plan.goal + phase.notes + task.description + prose_text(document)
    assert kept.count("d") == 120_000


def test_u9_a_table_below_another_section_leaves_nothing_behind() -> None:
    document = read_files(
        task_plan="### Phase 1\n- [ ] a\n", findings="## Notes\nn\n### Decisions\n- d\n"
    )
    assert findings(document) == [
        ("architecture", "d", "", "findings.md"),
        ("insight", "Notes", "n", "findings.md"),
    ]
