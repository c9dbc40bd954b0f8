"""U9: the tasks.md of spec-kit and of Kiro, and nested checklists, become plans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.transfer.imports.samples import create, prose_text, read_sample, read_text, row

if TYPE_CHECKING:
    from outlast.transfer.imports.document import PlanDocument


def rows(document: PlanDocument) -> list[tuple[int, str, str, tuple[int, ...]]]:
    create(document)
    return [row(task) for task in document.plan.tasks]


def test_u9_tasks_of_spec_kit_keep_ids_phases_and_paths() -> None:
    document = read_sample("spec-kit.md")
    plan = document.plan
    assert (document.form, plan.goal, plan.order) == ("spec-kit", "Photo albums", "graph")
    assert [phase.title for phase in plan.phases] == [
        "Phase 1: Setup",
        "Phase 2: Foundational",
        "Phase 3: User Story 1 - Albums (Priority: P1)",
        "Phase 4: User Story 2 - Sharing (Priority: P2)",
        "Phase 5: Polish",
    ]
    assert rows(document)[2] == (3, "Configure CI in .github/workflows/ci.yml", "pending", (1,))
    contract = plan.tasks[4]
    assert (contract.alias, contract.phase) == ("T005", plan.phases[2].id)
    assert json.loads(contract.extra) == {"story": "US1", "parallel": True}
    assert "**Checkpoint**: Stories can begin" in plan.phases[1].notes
    assert "### Tests for User Story 1" in plan.phases[2].notes
    assert "## Dependencies & Execution Order" in prose_text(document)
    assert document.unread == ()


def test_u9_parallel_tasks_of_spec_kit_wait_for_what_stands_before_their_group() -> None:
    needs = {task.id: set(task.needs) for task in read_sample("spec-kit.md").plan.tasks}
    assert needs == {
        1: set(),
        2: {1},
        3: {1},
        4: {2, 3},
        5: {4},
        6: {4},
        7: {5, 6},
        8: {7, 4},
        9: {4},  # the second story does not wait for the first
        10: {8, 9},
    }


def test_u9_tasks_of_spec_kit_without_marks_are_done_one_after_the_other() -> None:
    document = read_text("- [x] T001 A\n- [ ] **T002** B (depends on T001)\n  - [ ] T003 C\n")
    assert (document.form, document.plan.order) == ("spec-kit", "sequential")
    assert rows(document) == [
        (1, "A", "completed", ()),
        (3, "C", "pending", ()),
        (2, "B (depends on T001)", "pending", (3, 1)),
    ]


def test_u9_a_dependency_that_cannot_be_kept_is_reported() -> None:
    text = "- [ ] T001 A (depends on T002)\n- [ ] T002 B (depends on T009)\n- [ ] T002 C [P]\n"
    document = read_text(text)
    assert [(line.line, line.why) for line in document.unread] == [
        (1, "import_need"),
        (2, "import_need"),
    ]
    assert [(task.id, task.alias) for task in document.plan.tasks] == [
        (1, "T001"),
        (2, "T002"),
        (3, ""),
    ]


def test_u9_marks_of_spec_kit_that_mean_nothing_to_a_plan_are_kept() -> None:
    document = read_text("- [ ] T001 [US1] [US2] [API] A\n- [ ] T000 [P]\n- [ ] B\n")
    first, second, third = document.plan.tasks
    assert json.loads(first.extra) == {"story": "US1", "marks": ["US2", "API"]}
    assert [task.name for task in (second, third)] == ["T000 [P]", "B"]


def test_u9_tasks_of_kiro_keep_numbers_requirements_and_what_is_in_progress() -> None:
    document = read_sample("kiro.md", directory="user-auth")
    plan = document.plan
    assert (document.form, plan.goal, plan.order) == ("kiro", "user-auth", "graph")
    assert rows(document) == [
        (1, "Set up the project", "completed", ()),
        (4, "Store the passwords as hashes", "completed", (1,)),
        (5, "Write property tests for the hashes", "pending", (4,)),
        (6, "Add the endpoint", "pending", (4,)),
        (2, "Sign in", "in_progress", (6, 4)),
        (3, "Checkpoint - all tests pass", "pending", (2,)),
    ]
    hashes, tests = plan.tasks[1:3]
    assert (hashes.alias, tests.alias) == ("2.1", "2.2")
    assert hashes.description == "- argon2, in src/auth/hash.ts\n- _Requirements: 1.2, 2.1_"
    assert json.loads(hashes.extra) == {"requirements": ["1.2", "2.1"]}
    assert json.loads(tests.extra) == {"optional": True, "requirements": ["2.1"]}
    assert json.loads(plan.tasks[4].extra) == {"box": "-"}


def test_u9_tasks_of_kiro_without_options_are_done_one_after_the_other() -> None:
    document = read_text(
        "# Implementation Plan: Shop\n- [~] 1. A\n- [ ] 2. B\n  - [ ] 2.1 C\n- [ ] D\n"
    )
    assert (document.plan.goal, document.plan.order) == ("Shop", "sequential")
    assert rows(document) == [
        (1, "A", "pending", ()),
        (3, "C", "pending", ()),
        (2, "B", "pending", (3,)),
        (4, "D", "pending", ()),
    ]


def test_u9_waves_of_kiro_are_needs() -> None:
    document = read_sample("kiro-waves.md")
    assert document.plan.order == "graph"
    needs = {task.alias or task.id: task.needs for task in document.plan.tasks}
    ids = {task.alias: task.id for task in document.plan.tasks}
    first, second = ids["1.1"], ids["1.2"]
    assert needs == {
        "1.1": (),
        "1.2": (),
        "1.3": (first, second),
        1: (first, second),
        2: (1,),
        "3.1": (first, second),
        "3.2": (ids["3.1"],),
        3: (ids["3.1"], ids["3.2"]),
    }
    assert '"waves"' in prose_text(document)
    create(document)


@pytest.mark.parametrize(
    "graph",
    [
        '{"waves": 1}',
        '{"waves": [1, {"tasks": 2}]}',
        '{"waves": ',
        '"waves" {}',
        '{"waves": [["7"]]}',
        '{"x": "waves"} [}',
    ],
)
def test_u9_a_graph_of_kiro_that_cannot_be_read_is_kept_and_ignored(graph: str) -> None:
    document = read_text(f"# Tasks\n- [ ] 1. A\n- [ ] 2. B\n## Graph\n{graph}\n")
    assert (document.form, document.plan.order) == ("kiro", "sequential")
    assert graph in prose_text(document)


def test_u9_a_checkpoint_waits_for_all_above_it_and_nothing_for_what_is_optional() -> None:
    text = (
        "- [ ] 1. A\n- [ ]* 2. B\n- [ ]* 3. C\n  - [ ] 3.1 D\n- [ ] 4. E\n"
        '## Graph\n{"waves": [["1", "1"], ["3"], ["3.1"]]}\n'
    )
    document = read_text(text)
    needs = {task.name: task.needs for task in document.plan.tasks}
    assert needs == {"A": (), "B": (1,), "D": (1,), "C": (), "E": (1,)}
    create(document)


def test_u9_nested_tasks_in_no_wave_wait_for_all_above_them() -> None:
    text = (
        "- [ ] 1. A\n- [ ] 2. B\n  - [ ] 2.1 C\n  - [ ] 2.2 D\n  - [ ] 2.3 E\n- [ ] 3. F\n"
        '- [ ] 4. G\n## Graph\n{"waves": [["1"], ["2.1"]]}\n_Requirements: 1_\n'
    )
    document = read_text(text)
    ids = {task.name: task.id for task in document.plan.tasks}
    names = {number: name for name, number in ids.items()}
    needs = {task.name: [names[need] for need in task.needs] for task in document.plan.tasks}
    assert needs == {
        "A": [],
        "C": ["A"],
        "D": ["A", "C"],
        "E": ["D"],
        "B": ["C", "D", "E"],
        "F": ["B"],
        "G": ["F"],
    }
    create(document)


def test_f15_waves_with_too_many_needs_become_an_order() -> None:
    names = [f"{number}.1" for number in range(1, 601)]
    tasks = "".join(f"- [ ] {name} T\n" for name in names)
    waves = json.dumps({"waves": [names[:300], names[300:]]})
    plan = read_text(f"# Tasks\n{tasks}## Graph\n{waves}\n").plan
    assert (plan.order, plan.tasks[400].needs) == ("sequential", ())


def test_f15_groups_with_too_many_needs_become_an_order() -> None:
    group = "".join(f"- [ ] T{number:03} [P] A\n" for number in range(1, 401))
    plan = read_text(f"## One\n{group}## Two\n{group}").plan
    assert (plan.order, len(plan.tasks)) == ("sequential", 800)


def test_u9_tasks_in_tasks_are_needed_by_them_and_come_before() -> None:
    document = read_sample("nested.md")
    assert (document.form, document.plan.goal) == ("checklist", "Move house")
    assert rows(document) == [
        (1, "Pack the plates", "completed", ()),
        (2, "Sell the oven", "skipped", ()),
        (3, "Kitchen", "pending", (1, 2)),
        (4, "Ask Ben", "in_progress", ()),
        (5, "Ask Cleo", "pending", ()),
        (6, "Van", "pending", (4, 5)),
    ]
    assert document.plan.tasks[0].description == "in newspaper"
    assert document.plan.phases[0].notes.startswith("Call Ada first.")
    assert [(line.line, line.why) for line in document.unread] == [
        (11, "task_plan_box"),
        (12, "task_plan_name"),
    ]


def test_u9_headings_of_a_nested_checklist_are_phases() -> None:
    text = "- [ ] A\n\n# Trip\n- [ ] B\n  - [ ] C\n## Trip ##\nText\n<!-- hint -->\n"
    text += "- [ ] D\n#\n## Empty\n"
    document = read_text(text)
    create(document)
    titles = {phase.id: (phase.title, phase.notes) for phase in document.plan.phases}
    assert titles == {
        "main": ("Main Tasks", ""),
        "trip": ("Trip", ""),
        "trip-2": ("Trip", "Text\n#"),
    }
    assert "## Empty" in prose_text(document)
    assert "<!-- hint -->" in prose_text(document)


def test_u9_phases_with_equal_titles_have_ids_of_their_own() -> None:
    text = "".join(f"## {title}\n- [ ] A\n  - [ ] B\n" for title in ("P", "P 2", "P", "P"))
    ids = [phase.id for phase in read_text(text).plan.phases]
    assert ids == ["p", "p-2", "p-3", "p-4"]


def test_u9_code_and_comments_hold_no_tasks() -> None:
    text = "- [ ] A\n  - [ ] B\n\n```\n# no\n- [ ] C\n```\n<!--\n- [ ] D\n-->\n"
    assert [task.name for task in read_text(text).plan.tasks] == ["B", "A"]


def test_f15_long_texts_are_kept() -> None:
    name, details = "n" * 1_500, "\n".join(f"    {'d' * 1_000}" for _ in range(40))
    document = read_text(f"- [ ] A\n  - [ ] {name}\n{details}\n\n## Notes\n{'x' * 70_000}\n")
    create(document)
    task = document.plan.tasks[0]
    assert (len(task.name), task.name[-1]) == (1_000, "…")
    assert task.description.startswith(name)
    kept = task.description + prose_text(document)
    assert (kept.count("d"), prose_text(document).count("x")) == (40_000, 70_000)


def test_f15_long_notes_of_a_phase_are_kept() -> None:
    text = "\n".join("y" * 100 for _ in range(400))
    document = read_text(f"## P\n{text}\n- [ ] A\n  - [ ] B\n### Q\n- [ ] T001 C\n")
    kept = document.plan.phases[0].notes + prose_text(document)
    assert (document.form, kept.count("y")) == ("spec-kit", 40_000)


def test_f15_deep_and_long_lists_are_read() -> None:
    deep = "".join(f"{'  ' * n}- [ ] {n}\n" for n in range(3_000))
    assert len(read_text(deep).plan.tasks) == 3_000
    long = read_text("- [ ] T001 A\n" + "- [ ] T001 [P] B\n" * 20_000).plan
    assert (long.tasks[-1].id, long.order) == (20_001, "graph")
