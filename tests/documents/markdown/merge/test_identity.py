"""R4.02: which line is which task, and when nothing is applied without a confirmation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.history.diff import moved_items
from outlast.model.model import Phase, Task
from tests.documents.markdown.plan_texts import (
    NOW,
    apply_edits,
    copy,
    create_state,
    edit_file,
    small,
)

if TYPE_CHECKING:
    from outlast.model.state import PlanState


def tasks(state: PlanState) -> list[tuple[int, str]]:
    return [(task.id, task.name) for task in state.tasks_in_order()]


def apply_text(state: PlanState, text: str, *, confirmed: bool = False) -> list[str]:
    """Apply a file; return the keys of the reports."""
    found = merge(copy(state), state, parse(text), confirmed=confirmed)
    assert apply_edits(state, found) == []
    return [report.text for report in found.reports]


def test_r4_02_of_lines_with_the_same_id_the_closest_keeps_it() -> None:
    state = small("Write the docs", "b")
    line = "- [ ] ○ **1** Write the docs"
    new = line.replace("Write the docs", "Read them")
    told = apply_text(
        state, render(state).replace(line, f"{new}\n{line.replace('docs', 'doc')}\n{new}")
    )
    assert tasks(state) == [(3, "Read them"), (1, "Write the doc"), (4, "Read them"), (2, "b")]
    assert told == ["task_plan_id_twice", "task_plan_id_twice"]


def test_r4_02_a_copied_line_is_a_new_task() -> None:
    state = small("a", "b")
    line = "- [ ] ○ **1** a\n"
    apply_text(state, render(state).replace(line, line + line))
    assert tasks(state) == [(1, "a"), (3, "a"), (2, "b")]


def test_r4_02_an_unknown_id_is_a_new_task() -> None:
    state = small("a")
    told = apply_text(state, render(state).replace("**1** a", "**1** a\n- [ ] ○ **77** x"))
    assert (tasks(state), told) == ([(1, "a"), (2, "x")], ["task_plan_id_unknown"])


def test_r4_02_a_line_that_lost_its_id_is_found_by_its_name() -> None:
    state = small("a", "b", "c")
    text = render(state).replace("**2** ", "")
    assert merge(copy(state), state, parse(text)).edits == ()
    first = "- [ ] ○ **1** a"
    moved_up = text.replace("- [ ] ○ b\n", "").replace(first, f"- [x] b\n{first}")
    apply_text(state, moved_up)
    assert (tasks(state), state.tasks[2].status) == ([(2, "b"), (1, "a"), (3, "c")], "completed")


def test_r4_02_tasks_of_one_name_are_told_apart_by_state_and_phase() -> None:
    phases = (Phase("p", "P"), Phase("q", "Q"))
    same = (Task(1, "x", "p", status="completed"), Task(2, "x", "p"), Task(3, "x", "q"))
    state = create_state(c.CreatePlan("plan_x", "g", phases=phases, tasks=same, next_id=4))
    apply_text(state, render(state, bare=True).replace("- [x] ● x\n", ""))
    assert tasks(state) == [(2, "x"), (3, "x")]
    apply_text(state, render(state, bare=True).replace("Phase: P\n\n- [ ] ○ x\n", "Phase: P\n\n"))
    assert tasks(state) == [(3, "x")]


def test_r4_02_of_tasks_of_one_name_the_ticked_line_is_the_one_at_its_place() -> None:
    state = small("a", "b", "a", "a")
    text = render(state, bare=True)
    first, second, third, fourth = (line for line in text.splitlines() if line.startswith("- ["))
    ticked = text.replace(f"{third}\n{fourth}", f"{third.replace('[ ]', '[x]')}\n{fourth}")
    apply_text(state, ticked)
    assert tasks(state) == [(1, "a"), (2, "b"), (3, "a"), (4, "a")]
    assert [task.status == "completed" for task in state.tasks_in_order()] == [
        False,
        False,
        True,
        False,
    ]
    moved_up = (
        render(state, bare=True)
        .replace("- [x] ● a\n", "")
        .replace(f"{first}\n{second}", f"- [x] ● a\n{first}\n{second}")
    )
    apply_text(state, moved_up)
    assert [task.id for task in state.tasks_in_order()] == [3, 1, 2, 4]


def test_r4_02_without_ids_a_renamed_line_is_the_task_at_its_place() -> None:
    state = small("Design the cache", "b", "Test it")
    text = render(state, bare=True)
    apply_text(
        state, text.replace("Design the cache", "Design a cache").replace("Test it", "Other")
    )
    assert tasks(state) == [(1, "Design a cache"), (2, "b"), (3, "Other")]
    text = render(state, bare=True)
    apply_text(state, text.replace("- [ ] ○ Other", "- [x] Wholly new"))
    assert tasks(state) == [(1, "Design a cache"), (2, "b"), (4, "Wholly new")]
    apply_text(state, render(state, bare=True).replace("○ b", "○ xyz\n- [ ] uvw"))
    assert tasks(state)[1:] == [(5, "xyz"), (6, "uvw"), (4, "Wholly new")]


def test_r4_02_with_ids_a_line_without_one_that_is_not_alike_is_new() -> None:
    state = small("a", "b")
    apply_text(state, render(state).replace("○ **2** b", "○ something else"))
    assert tasks(state) == [(1, "a"), (3, "something else")]
    apply_text(state, render(state).replace("**3** something else", "something else again"))
    assert tasks(state) == [(1, "a"), (3, "something else again")]


def test_r4_02_a_file_that_was_rewritten_is_not_compared_line_by_line() -> None:
    state = small(*(f"task {n}" for n in range(30)))
    other = render(small(*(f"job {n}" for n in range(30))), bare=True)
    found = merge(copy(state), state, parse(other))
    assert found.needs_confirmation
    assert found.prose == ()


@pytest.mark.parametrize("ids", [True, False])
def test_r4_02_more_than_two_tasks_are_removed_only_if_the_file_has_ids(ids: bool) -> None:  # noqa: FBT001
    state = small("a", "b", "c", "d", "e")
    lines = [
        line
        for line in render(state, bare=not ids).splitlines()
        if line[:3] != "- [" or line.endswith(" a")
    ]
    found = merge(copy(state), state, parse("\n".join(lines)))
    assert found.needs_confirmation is not ids
    if not ids:
        assert (found.edits, [one.text for one in found.reports]) == ((), ["task_plan_held_back"])
        assert found.reports[0].details == {"line": 0, "removed": [2, 3, 4, 5], "reopened": []}
        found = merge(copy(state), state, parse("\n".join(lines)), confirmed=True)
    assert apply_edits(state, found) == []
    assert tasks(state) == [(1, "a")]


@pytest.mark.parametrize("cut", range(0, 400, 7))
def test_f6_a_truncated_file_removes_no_more_than_two_tasks(cut: int) -> None:
    state = small("a", "b", "c", "d", "e")
    text = render(state)
    found = merge(copy(state), state, parse(text[: len(text) * cut // 400]))
    if not found.needs_confirmation:
        apply_edits(state, found)
    assert len(state.tasks) >= 3


def test_f6_a_blank_file_removes_nothing() -> None:
    state = small("a")
    for text in ("", "\n \n"):
        found = merge(copy(state), state, parse(text))
        assert (found.needs_confirmation, found.edits) == (True, ())
    assert not merge(copy(small()), small(), parse("")).needs_confirmation
    found = merge(copy(state), state, parse("# Goal\n"))
    assert (found.needs_confirmation, found.reports[0].text) == (True, "task_plan_cut")


def test_r4_02_without_ids_up_to_two_are_removed_or_reopened() -> None:
    state = small("a", "b", "c", "d")
    for task in (1, 2, 3):
        execute(state, (c.Complete(task, "bo"),), NOW)
    text = render(state, bare=True)
    opened = text.replace("[x] ●", "[ ] ○")
    found = merge(copy(state), state, parse(opened))
    assert (found.needs_confirmation, found.reports[0].details["reopened"]) == (True, [1, 2, 3])
    assert not merge(
        copy(state), state, parse(render(state).replace("[x] ●", "[ ] ○"))
    ).needs_confirmation
    apply_text(state, text.replace("[x] ●", "[ ] ○", 2))
    assert [task.status for task in state.tasks_in_order()] == [
        "pending",
        "pending",
        "completed",
        "pending",
    ]


def test_r4_02_a_file_without_headings_leaves_the_phases_alone() -> None:
    phases = (Phase("p", "P"), Phase("q", "Q"))
    state = create_state(
        c.CreatePlan(
            "plan_x", "g", phases=phases, tasks=(Task(1, "a", "p"), Task(2, "b", "q")), next_id=3
        )
    )
    apply_text(state, "- [x] a\n- [ ] new\n- [ ] b\n- [ ] last\n")
    assert [(t.name, t.phase) for t in state.tasks_in_order()] == [
        *(("a", "p"), ("new", "p"), ("b", "q"), ("last", "q"))
    ]
    empty = create_state(c.CreatePlan("plan_x", "g"))
    apply_text(empty, "- [ ] a\n")
    assert tasks(empty) == [(1, "a")]


def test_r4_02_a_renamed_phase_is_known_by_its_tasks() -> None:
    phases = (Phase("p", "Same", "1"), Phase("q", "Same", "2"), Phase("r", "Other"))
    state = create_state(
        c.CreatePlan(
            "plan_x",
            "g",
            phases=phases,
            tasks=(Task(1, "a", "p"), Task(2, "b", "q"), Task(3, "c", "r")),
            next_id=4,
        )
    )
    assert merge(copy(state), state, parse(render(state))).edits == ()
    apply_text(state, render(state).replace("Phase: Other", "Phase: New"))
    assert state.phases["r"].title == "New"
    apply_text(
        state,
        render(state).replace("## ○ Phase: New", "## Empty\n## Split\n- [ ] x\n## ○ Phase: New"),
    )
    assert [*state.phases] == ["p", "q", "empty", "split", "r"]
    apply_text(
        state,
        render(state)
        .replace("- [ ] ○ **4** x", "## Half\n- [ ] ○ **3** c\n- [ ] ○ **4** x", 1)
        .replace("New\n\n- [ ] ○ **3** c\n", "New\n\n"),
    )
    assert [(t.name, t.phase) for t in state.tasks_in_order()][2:] == [("c", "half"), ("x", "half")]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([], [], set()),
        ([1, 2, 3], [1, 2, 3], set()),
        ([1, 2, 3], [3, 1, 2], {3}),
        ([1, 2, 3], [2, 3, 1], {1}),
        ([1, 2, 3, 4], [9, 4, 1, 2], {4}),
    ],
)
def test_r4_02_as_few_as_can_be_are_moved(
    before: list[int], after: list[int], found: set[int]
) -> None:
    assert moved_items(before, after) == found


def test_f15_a_large_plan_is_written_and_read() -> None:
    many = 10_000
    state = create_state(
        c.CreatePlan("plan_x", "g"), c.AddTasks(tuple(c.NewTask(f"t {n}") for n in range(many)))
    )
    text = render(state).replace("○ **5001** t", "● **5001** t", 1)
    found = merge(copy(state), state, parse(text))
    assert [edit.kind for edit in found.edits] == ["status"]
    assert merge(copy(state), state, parse(render(state, bare=True))).edits == ()


def test_r4_02_edits_of_computed_lines_are_ignored() -> None:
    state = small("a")
    found, _ = edit_file(
        state, ("## ○", "## ●"), ("0/1 steps", "1/1 steps"), ("2026-01-14", "2027-01-14")
    )
    assert (found.edits, found.reports, found.prose) == ((), (), ())
