"""R4.02, F7: an edited `task_plan.md` is merged, task by task and field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.documents.markdown.merge.three_way import merge, merge_new_lines
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.rejected import lines_by_people, rejection_comment
from outlast.documents.markdown.render import render
from outlast.documents.markdown.to_plan import to_plan
from outlast.errors import InvalidDocument
from outlast.model import commands as c
from outlast.model.commands import KeepProse
from outlast.model.execute import execute
from outlast.model.model import PERSON, Check, Phase, Prose, Task
from tests.documents.markdown.plan_texts import (
    NOW,
    apply_edits,
    copy,
    create_state,
    edit_file,
    names,
    small,
    two_phases,
    visible_plan,
)
from tests.model.indexes import assert_indexes

if TYPE_CHECKING:
    from outlast.model.state import PlanState

LINES = "  - needs: 1\n  - check: x\n  - run: y\n  - files: f, g\n  - protect: p\n"


@pytest.mark.parametrize("ids", [True, False])
def test_r4_02_a_tick_completes_and_an_untick_reopens(ids: bool) -> None:  # noqa: FBT001
    state = small("a", "b")
    found, refused = edit_file(
        state,
        ("- [ ] ○ **2** b", "- [x] ○ **2** b") if ids else ("- [ ] ○ b", "- [x] ○ b"),
        ids=ids,
    )
    assert (state.tasks[2].status, state.tasks[2].how, state.tasks[2].actor) == (
        "completed",
        "reported",
        PERSON,
    )
    assert ([edit.kind for edit in found.edits], refused) == (["status"], [])
    edit_file(state, ("- [x] ●", "- [ ] ●"), ids=ids)
    assert state.tasks[2].status == "pending"


@pytest.mark.parametrize(
    ("was", "line", "wanted"),
    [
        ("pending", "- [x] ○", "completed"),
        ("pending", "- [x] ●", "completed"),
        ("pending", "- [ ] ●", "completed"),
        ("pending", "- [x]", "completed"),
        ("pending", "- [ ]", "pending"),
        ("pending", "- [ ] ◐", "in_progress"),
        ("pending", "- [ ] ⊘", "skipped"),
        ("pending", "- [ ] ✖", "failed"),
        ("in_progress", "- [ ] ○", "pending"),
        ("in_progress", "- [ ]", "in_progress"),
        ("in_progress", "- [x] ◐", "completed"),
        ("completed", "- [ ] ●", "pending"),
        ("completed", "- [x] ○", "pending"),
        ("completed", "- [x] ◐", "in_progress"),
        ("completed", "- [ ] ⊘", "skipped"),
        ("completed", "- [ ]", "pending"),
        ("completed", "- [ ] ✖", "failed"),
        ("skipped", "- [x] ⊘", "completed"),
        ("skipped", "- [ ] ○", "pending"),
        ("failed", "- [ ] ○", "pending"),
        ("failed", "- [x] ✖", "completed"),
        ("failed", "- [ ] ⊘", "skipped"),
        ("failed", "- [ ] ◐", "in_progress"),
    ],
)
def test_r4_02_box_and_icon_lead_from_any_state_to_any(was: str, line: str, wanted: str) -> None:
    task = Task(1, "a", status=was, actor="bo" if was == "in_progress" else "")  # type: ignore[arg-type]
    state = create_state(c.CreatePlan("plan_x", "g", tasks=(task, Task(2, "b")), next_id=3))
    old = next(line for line in render(state).splitlines() if line.startswith("- "))
    found, refused = edit_file(state, (old, f"{line} **1** a"))
    assert (state.tasks[1].status, refused, found.reports) == (wanted, [], ())
    assert_indexes(state)


def test_r4_02_box_and_icon_that_were_both_changed_and_disagree_are_reported() -> None:
    state = small("a")
    found, _ = edit_file(state, ("- [ ] ○ **1** a", "- [x] ◐ **1** a"))
    assert [(one.text, one.details["line"]) for one in found.reports] == [
        ("task_plan_box_icon", 11)
    ]
    assert state.tasks[1].status == "pending"
    assert state.notes.prose == (Prose("task:1", ("<!-- outlast: not applied: - [x] ◐ a -->",)),)


def test_r4_02_with_no_base_the_box_counts() -> None:
    state = small("a", "b")
    text = (
        render(state)
        .replace("- [ ] ○ **1** a", "- [x] ◐ **1** a")
        .replace("- [ ] ○ **2** b", "- [ ] ● **2** b")
    )
    assert apply_edits(state, merge(None, state, parse(text))) == []
    assert [task.status for task in state.tasks_in_order()] == ["completed", "pending"]


def test_r4_02_a_name_with_its_id_is_the_same_task_wherever_it_is_moved() -> None:
    state = small("a", "b", "c")
    edit_file(
        state,
        ("- [ ] ○ **1** a\n", ""),
        ("- [ ] ○ **3** c", "- [x] ● **1** new name\n- [ ] ○ **3** c"),
    )
    assert [(t.id, t.name, t.status) for t in state.tasks_in_order()] == [
        (2, "b", "pending"),
        (1, "new name", "completed"),
        (3, "c", "pending"),
    ]


def test_r4_02_new_lines_are_new_tasks_at_their_place() -> None:
    state = two_phases()
    found, refused = edit_file(
        state,
        ("- [ ] ○ **1** a", "- [x] first\n- [ ] second\n  - needs: first\n- [ ] ○ **1** a"),
        ("- [ ] ○ **4** d\n", "* [ ] third\n  - check: pytest\n- [ ] ○ **4** d\n- [ ] ◐ last\n"),
    )
    assert refused == []
    assert names(state) == ["first", "second", "a", "b", "c", "third", "d", "last"]
    by_name = {task.name: task for task in state.tasks_in_order()}
    assert by_name["first"].status == "completed"
    assert by_name["second"].needs == (by_name["first"].id,)
    assert by_name["third"].checks == (Check("command", "pytest"),)
    assert (by_name["last"].status, by_name["last"].phase) == ("in_progress", "two")
    assert [w.kind for w in found.edits].count("new") == 3


def test_r4_02_missing_lines_are_removed_and_nothing_depends_on_them() -> None:
    state = two_phases()
    execute(state, (c.Complete(3, "bo"),), NOW)
    edit_file(state, ("- [ ] ○ **1** a\n", ""), ("- [x] ● **3** c\n", ""))
    assert (names(state), state.tasks[2].needs) == (["b", "d"], ())


def test_r4_02_the_indented_lines_are_applied() -> None:
    state = small("a", "b")
    _, refused = edit_file(state, ("**2** b\n", "**2** b\n" + LINES))
    task = state.tasks[2]
    assert (task.needs, task.checks, task.run) == ((1,), (Check("command", "x"),), "y")
    assert (task.files, task.protect, refused) == (("f", "g"), ("p",), [])
    edit_file(state, (LINES, ""))
    task = state.tasks[2]
    assert (task.needs, task.checks, task.run, task.files, task.protect) == ((), (), "", (), ())


def test_r4_02_title_goal_and_phases_are_applied() -> None:
    state = two_phases()
    _, refused = edit_file(
        state,
        ("# Goal", "# Title"),
        ("Objective:** Goal", "Objective:** Other\n> goal"),
        ("Phase: One", "Phase: Uno"),
        ("> first\n", "> 1st\n> line\n"),
        ("Phase: Two\n", "Phase: Two\n\n> notes\n"),
    )
    assert refused == []
    assert (state.title, state.goal) == ("Title", "Other\ngoal")
    assert [*state.phases.values()] == [
        Phase("one", "Uno", "1st\nline"),
        Phase("two", "Two", "notes"),
    ]


def test_r4_02_a_new_goal_leaves_the_title_that_stands_above_it() -> None:
    state = small("a")
    edit_file(state, ("Objective:** Goal", "Objective:** Other"))
    assert (state.title, state.goal) == ("Goal", "Other")
    nameless = create_state(c.CreatePlan("plan_x", ""))
    edit_file(nameless, ("Objective:** ", "Objective:** Other"))
    assert nameless.goal == "Other"


def test_r4_02_phases_are_added_moved_and_removed() -> None:
    state = two_phases()
    text = render(state)
    one, two = text.index("## ○ Phase: One"), text.index("## ○ Phase: Two")
    end = text.rindex("---")
    parts = ["## Zero\n- [ ] z\n\n", text[two:end], "## New\n> n\n- [ ] y\n", text[one:two]]
    _, refused = apply_text(state, text[:one] + "".join(parts) + text[end:])
    assert refused == []
    assert [phase.title for phase in state.phases.values()] == ["Zero", "Two", "New", "One"]
    assert names(state) == ["z", "c", "d", "y", "a", "b"]
    assert state.phases["new"].notes == "n"
    edit_file(state, ("## ○ Phase: New\n\n> n\n\n", ""))
    assert [phase.title for phase in state.phases.values()] == ["Zero", "Two", "One"]
    assert state.tasks[6].phase == "two"


def apply_text(state: PlanState, text: str) -> tuple[object, list[str]]:
    found = merge(copy(state), state, parse(text))
    return found, apply_edits(state, found)


def test_r4_02_moves_within_and_between_phases() -> None:
    state = two_phases()
    line = "- [ ] ○ **1** a\n"
    found, _ = edit_file(state, (line, ""), ("- [ ] ○ **4** d", f"{line}- [ ] ○ **4** d"))
    assert (names(state), state.tasks[1].phase) == (["b", "c", "a", "d"], "two")
    assert len(found.edits) == 1
    found, _ = edit_file(
        state, ("- [ ] ○ **3** c\n", ""), ("- [ ] ○ **2** b", "- [ ] ○ **3** c\n- [ ] ○ **2** b")
    )
    assert (names(state), len(found.edits)) == (["c", "b", "a", "d"], 1)


def test_r4_02_a_block_is_moved_in_a_sequence_without_passing_what_it_needs() -> None:
    tasks = (Task(1, "a"), Task(2, "b", needs=(1,)), Task(3, "c", "two"), Task(4, "d", "two"))
    phases = (Phase("main", "Main"), Phase("two", "Two"))
    state = create_state(
        c.CreatePlan("plan_x", "g", order="sequential", phases=phases, tasks=tasks, next_id=5)
    )
    block = "- [ ] ○ **1** a\n- [ ] ○ **2** b\n  - needs: 1\n"
    _, refused = edit_file(state, (block, ""), ("- [ ] ○ **4** d", f"{block}- [ ] ○ **4** d"))
    assert (names(state), refused) == (["c", "a", "b", "d"], [])
    _, refused = edit_file(state, (block, ""), ("- [ ] ○ **3** c", f"{block}- [ ] ○ **3** c"))
    assert (names(state), refused) == (["a", "b", "c", "d"], [])


def test_r4_02_what_is_refused_is_kept_as_a_comment() -> None:
    state = two_phases()
    _, refused = edit_file(state, ("- [ ] ○ **1** a", "- [ ] ○ **1** a\n  - needs: 2"))
    assert refused == ["needs 14: cycle"]
    assert state.notes.prose == (Prose("task:1", ("<!-- outlast: not applied: - needs: 2 -->",)),)
    _, refused = edit_file(state, ("- [ ] ○ **1** a", "- [ ] ○ **1** a\n  - needs: 2"))
    assert len(state.notes.prose[0].lines) == 1


def test_r4_02_a_dependency_on_an_unknown_task_is_reported() -> None:
    state = small("a", "b")
    found, _ = edit_file(state, ("**2** b", "**2** b\n  - needs: 1, x"))
    assert [(one.text, one.details["unknown"]) for one in found.reports] == [
        ("task_plan_reference", ["x"])
    ]
    assert state.tasks[2].needs == ()
    assert "<!-- outlast: not applied: - needs: 1, x -->" in render(state)


def test_r4_02_without_ids_an_untouched_dependency_means_what_it_meant() -> None:
    state = two_phases()
    found, _ = edit_file(state, ("- [ ] ○ a", "- [ ] new\n- [ ] ○ a"), ids=False)
    assert state.tasks[2].needs == (1,)
    assert [edit.kind for edit in found.edits] == ["new", "place"]
    edit_file(state, ("  - needs: 2", "  - needs: 1"), ids=False)
    assert state.tasks[2].needs == (5,)


def test_r4_02_another_word_for_the_same_dependencies_is_no_edit() -> None:
    tasks = (Task(1, "a"), Task(2, "b"), Task(3, "c", needs=(1, 2)))
    state = create_state(c.CreatePlan("plan_x", "g", tasks=tasks, next_id=4))
    for line in ("after: 1, 2", "depends on: a, b", "依赖\uff1a1、2"):
        found, refused = edit_file(state, ("- needs: 1, 2", f"- {line}"))
        assert (found.edits, found.reports, found.prose, refused) == ((), (), (), [])


def test_r4_02_a_refused_dependency_goes_when_it_holds_under_any_word() -> None:
    state = two_phases()
    for line in ("- after: 2", "- 依赖\uff1at2"):
        edit_file(state, ("- [ ] ○ **1** a", f"- [ ] ○ **1** a\n  {line}"))
        assert line in render(state)
    execute(state, (c.EditTask(2, needs=()), c.EditTask(1, needs=(2,))), NOW)
    assert "- after: 2 -->" not in render(state)
    assert "- 依赖\uff1at2 -->" in render(state)


def test_r4_02_checks_of_a_task_that_somebody_works_on_are_not_changed() -> None:
    state = small("a")
    execute(state, (c.Start("bo", 1), c.BeginAttempt(1, "act", "sh")), NOW)
    _, refused = edit_file(state, ("**1** a\n", "**1** a\n  - check: true\n"))
    assert refused == ["check 12: checks_locked"]
    _, refused = edit_file(state, ("- [ ] ◐ **1** a\n", "- [ ] ○ **1** a\n  - check: true\n"))
    assert (refused, state.tasks[1].checks) == ([], (Check("command", "true"),))


def test_r4_02_the_same_plan_comes_out_whether_ids_are_shown_or_not() -> None:
    for ids in (True, False):
        state = two_phases()
        edit_file(
            state,
            (" c\n", " see\n"),
            (" a\n", " a\n- [ ] x\n"),
            ("- [ ] ○ **4** d", "- [x] ○ **4** d") if ids else ("- [ ] ○ d", "- [x] ○ d"),
            ids=ids,
        )
        assert visible_plan(state)["phases"][1][2][0][:3] == (3, "see", "pending")
        assert names(state) == ["a", "x", "b", "see", "d"]
        assert state.tasks[4].status == "completed"


def test_r4_02_a_merge_changes_neither_plan_nor_document() -> None:
    state = two_phases()
    before = render(state)
    merge(
        copy(state),
        state,
        parse(before.replace("○ **1** a", "● **1** a").replace("- [ ] ○ **4** d\n", "")),
    )
    assert render(state) == before
    assert KeepProse(state.notes.prose) == KeepProse(())


UNMERGED = ("- [ ] ○ **2** b", "<<<<<<< HEAD\n- [ ] ○ **2** b\n=======\n>>>>>>> other")


def test_f7_a_plan_is_not_made_from_a_file_with_conflict_markers() -> None:
    content = render(small("a", "b")).replace(*UNMERGED)
    with pytest.raises(InvalidDocument, match="line"):
        to_plan(parse(content), "plan_x", NOW)


def test_f7_of_a_file_with_another_history_only_new_lines_are_taken() -> None:
    state = small("a", "b")
    content = render(state).replace("- [ ] ○ **2** b", "- [x] ○ **2** b\n- [ ] c")
    found = merge_new_lines(state, parse(content))
    assert apply_edits(state, found) == []
    assert names(state) == ["a", "b", "c"]
    assert state.tasks[2].status == "pending"
    assert [report.text for report in found.reports] == ["task_plan_foreign"]
    assert merge_new_lines(state, parse(render(state))).edits == ()


def test_f7_comments_on_rejected_lines_are_not_what_people_wrote() -> None:
    prose = (Prose("task:1", ("mine", rejection_comment("- [ ] x"))),)
    assert lines_by_people(prose) == ["mine"]
