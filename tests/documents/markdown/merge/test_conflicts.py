"""F7: a person edits `task_plan.md` while agents work on the plan; nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.rejected import rejection_comment
from outlast.documents.markdown.render import render
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.model import Check, Phase, Prose, Task
from tests.documents.markdown.plan_texts import (
    NOW,
    apply_edits,
    copy,
    create_state,
    names,
    prose,
    small,
)

if TYPE_CHECKING:
    from outlast.documents.markdown.merge.edits import MergeResult
    from outlast.model.commands import Command
    from outlast.model.state import PlanState


def edit_meanwhile(
    state: PlanState, commands: tuple[Command, ...], *changes: tuple[str, str], ids: bool = True
) -> tuple[MergeResult, list[str]]:
    """Edit the file while an agent executes these commands; return the merge of the edit."""
    base, text = copy(state), render(state, bare=not ids)
    for old, new in changes:
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    for command in commands:
        execute(state, (command,), NOW)
    found = merge(base, state, parse(text))
    return found, apply_edits(state, found)


def reports_of(found: MergeResult) -> list[tuple[str, object]]:
    return [
        (one.text, one.details.get("what", one.details.get("task_id"))) for one in found.reports
    ]


def test_f7_different_tasks_and_fields_are_merged() -> None:
    state = small("a", "b", "c")
    found, refused = edit_meanwhile(
        state,
        (c.Complete(1, "bo"), c.EditTask(2, name="bee"), c.AddTasks((c.NewTask("d"),), 1)),
        ("- [ ] ○ **2** b", "- [x] ○ **2** b"),
        ("○ **3** c", "○ **3** see"),
    )
    assert (found.reports, refused) == ((), [])
    assert [(t.name, t.status) for t in state.tasks_in_order()] == [
        ("a", "completed"),
        ("d", "pending"),
        ("bee", "completed"),
        ("see", "pending"),
    ]


def test_f7_a_task_finished_meanwhile_is_not_reopened_by_an_old_line() -> None:
    state = small("a")
    found, _ = edit_meanwhile(state, (c.Complete(1, "bo"),), ("○ **1** a", "○ **1** new name"))
    assert (state.tasks[1].status, state.tasks[1].name, found.reports) == (
        "completed",
        "new name",
        (),
    )


@pytest.mark.parametrize(
    ("command", "change", "what"),
    [
        (c.EditTask(1, name="theirs"), ("○ **1** a", "○ **1** mine"), "name"),
        (c.Skip(1), ("- [ ] ○ **1** a", "- [x] ○ **1** a"), "status"),
        (c.EditTask(1, run="theirs"), ("**1** a\n", "**1** a\n  - run: mine\n"), "run"),
        (c.EditTask(1, files=("x",)), ("**1** a\n", "**1** a\n  - files: mine\n"), "files"),
        (c.EditTask(2, needs=(1,)), ("**2** b\n", "**2** b\n  - needs: 3\n"), "needs"),
        (c.EditPlan(title="theirs"), ("# Goal", "# Mine"), "title"),
        (c.EditPlan(goal="theirs"), ("** Goal", "** Mine"), "goal"),
        (c.EditPhase("main", title="theirs"), ("Main Tasks", "Mine"), "title"),
        (c.EditPhase("main", notes="theirs"), ("Main Tasks\n", "Main Tasks\n> mine\n"), "notes"),
    ],
)
def test_f7_of_a_true_conflict_both_sides_are_kept_and_reported(
    command: Command, change: tuple[str, str], what: str
) -> None:
    state = small("a", "b", "c")
    twin = small("a", "b", "c")
    execute(twin, (command,), NOW)
    found, refused = edit_meanwhile(state, (command,), change)
    assert (reports_of(found), found.edits, refused) == ([("task_plan_conflict", what)], (), [])
    said = change[1].strip().splitlines()[-1].replace("**1** ", "").strip()
    kept = [line for one in state.notes.prose for line in one.lines]
    assert len(kept) == 1
    assert kept[0].startswith("<!-- outlast: not applied: ")
    assert said.rpartition("> ")[2].strip("*# ") in kept[0]
    execute(twin, (prose(*kept, anchor=state.notes.prose[0].anchor),), NOW)
    assert render(state).replace("r3 -->", "r2 -->") == render(twin).replace("r3 -->", "r2 -->")


def test_f7_all_that_was_written_is_kept() -> None:
    state = small("a", "b")
    edit_meanwhile(
        state,
        (c.EditTask(1, checks=(Check("command", "theirs"),)), c.EditPlan(goal="theirs")),
        ("**1** a\n", "**1** a\n  - check: one\n  - check: two -->\n"),
        ("** Goal", "** Mine\n> and more"),
    )
    assert state.notes.prose == (
        Prose("head", ("<!-- outlast: not applied: Mine&#10;and more -->",)),
        Prose("task:1", tuple(map(rejection_comment, ("- check: one", "- check: two -->")))),
    )
    assert merge(copy(state), state, parse(render(state))).edits == ()


def test_f7_the_same_change_on_both_sides_is_no_conflict() -> None:
    state = small("a", "b")
    found, _ = edit_meanwhile(
        state,
        (c.EditTask(1, name="new", run="r"), c.Complete(2, "bo"), c.EditPlan(title="T")),
        ("○ **1** a", "○ **1** new\n  - run: r"),
        ("- [ ] ○ **2** b", "- [x] ● **2** b"),
        ("# Goal", "# T"),
    )
    assert (found.edits, found.reports) == ((), ())


def test_f7_a_tick_of_a_task_that_was_started_meanwhile_counts() -> None:
    state = small("a", "b")
    found, refused = edit_meanwhile(
        state,
        (c.Start("bo", 1),),
        ("- [ ] ○ **1** a", "- [x] ○ **1** a"),
        ("- [ ] ○ **2** b", "- [ ] ◐ **2** b"),
    )
    assert (found.reports, refused) == ((), [])
    assert [task.status for task in state.tasks_in_order()] == ["completed", "in_progress"]
    found, _ = edit_meanwhile(
        small("a"), (c.Start("bo", 1),), ("- [ ] ○ **1** a", "- [ ] ◐ **1** a")
    )
    assert (found.reports, found.edits) == ((), ())


def test_f7_a_line_of_a_task_that_is_gone() -> None:
    state = small("a", "b", "c")
    found, _ = edit_meanwhile(state, (c.RemoveTask(2),), ("○ **1** a", "○ **1** x"))
    assert (names(state), found.reports) == (["x", "c"], ())
    for change in (
        ("○ **3** c", "○ **3** see"),
        ("- [ ] ○ **3** c", "- [x] ○ **3** c"),
        ("**3** c\n", "**3** c\n  - needs: 1\n"),
        ("**3** c\n", "**3** c\n  - run: x\n"),
    ):
        state = small("a", "b", "c")
        found, _ = edit_meanwhile(state, (c.RemoveTask(3),), change)
        assert (reports_of(found), names(state)) == ([("task_plan_task_removed", 3)], ["a", "b"])
        assert state.notes.prose[0].anchor == "task:2"
        assert state.notes.prose[0].lines[0].startswith("<!-- outlast: not applied: - [")


def test_f7_prose_below_a_task_that_is_gone_moves_up() -> None:
    state = small("a", "b")
    edit_meanwhile(state, (c.RemoveTask(1),), ("**1** a\n", "**1** a\n> about a\n"))
    assert state.notes.prose == (Prose("phase:main", ("> about a",)),)
    assert merge(copy(state), state, parse(render(state))).edits == ()


def test_f7_a_deleted_line_whose_task_changed_meanwhile_stays() -> None:
    state = small("a", "b")
    found, _ = edit_meanwhile(state, (c.Complete(1, "bo"),), ("- [ ] ○ **1** a\n", ""))
    assert (reports_of(found), names(state)) == ([("task_plan_missing_changed", 1)], ["a", "b"])


def test_f7_a_task_in_progress_is_not_removed() -> None:
    state = small("a", "b")
    execute(state, (c.Start("bo", 1),), NOW)
    _, refused = edit_meanwhile(state, (), ("- [ ] ◐ **1** a\n", ""))
    assert refused == ["gone 0: task_not_removable"]
    assert state.notes.prose == ()


def test_f7_moves_on_both_sides() -> None:
    a, c_ = "- [ ] ○ **1** a\n", "- [ ] ○ **3** c\n"
    state = small("a", "b", "c", "d")
    found, _ = edit_meanwhile(state, (c.MoveTask(4, first=True),), (a, ""), (c_, c_ + a))
    assert (names(state), found.reports) == (["d", "b", "c", "a"], ())
    state = small("a", "b", "c", "d")
    found, _ = edit_meanwhile(state, (c.MoveTask(1, insert_after=4),), (a, ""), (c_, c_ + a))
    assert (names(state), reports_of(found)) == (
        ["b", "c", "d", "a"],
        [("task_plan_conflict", "place")],
    )
    state = small("a", "b", "c", "d")
    move = (c.MoveTask(1, insert_after=3), c.AddTasks((c.NewTask("x"),), 3))
    found, _ = edit_meanwhile(state, move, (a, ""), (c_, c_ + a))
    assert (names(state), found.reports, found.edits) == (["b", "c", "x", "a", "d"], (), ())
    two = (Phase("main", "M"), Phase("two", "Two"))
    tasks = (Task(1, "a"), Task(4, "d"), Task(2, "b"), Task(3, "c", "two"))
    state = create_state(c.CreatePlan("plan_x", "g", phases=two, tasks=tasks, next_id=5))
    found, _ = edit_meanwhile(
        state, (c.MoveTask(1, "two"),), (a, ""), ("**2** b\n", "**2** b\n" + a + "- [ ] n\n")
    )
    assert (names(state), reports_of(found)) == (
        ["d", "b", "n", "c", "a"],
        [("task_plan_conflict", "place")],
    )


def phases(names: str = "xyz") -> PlanState:
    """Return a plan with phases of these names and a task in each."""
    made = tuple(Phase(name, name.upper()) for name in names)
    tasks = tuple(Task(n, name, name) for n, name in enumerate(names, 1))
    return create_state(c.CreatePlan("plan_x", "g", phases=made, tasks=tasks, next_id=9))


def section(state: PlanState, title: str) -> str:
    text = render(state)
    start = text.index(f"## ○ Phase: {title}\n")
    return text[start : text.index("\n\n", text.index("- [", start)) + 2]


def test_f7_phases_moved_on_both_sides() -> None:
    for command, order, what in (
        (c.AddPhase("V", insert_after="w"), ["v", "x", "y", "z", "w"], []),
        (c.MovePhase("w", "y"), ["x", "y", "w", "z"], [("task_plan_conflict", "place")]),
        (c.MovePhase("w", "z"), ["x", "y", "z", "w"], []),
    ):
        state = phases("wxyz")
        w, z = section(state, "W"), section(state, "Z")
        found, _ = edit_meanwhile(state, (command,), (w, ""), (z, z + w))
        assert ([*state.phases], reports_of(found)) == (order, what)
    state = phases("wxyz")
    w, z = section(state, "W"), section(state, "Z")
    found, _ = edit_meanwhile(state, (c.MovePhase("z"),), (z, ""), (w, z + w))
    assert ([*state.phases], reports_of(found)) == (["z", "w", "x", "y"], [])


def test_f7_a_phase_that_others_removed_comes_back_only_for_new_lines() -> None:
    gone = (c.MoveTask(2, "x"), c.RemovePhase("y"))
    state = phases()
    found, _ = edit_meanwhile(
        state, gone, ("Phase: Y\n", "Phase: Y\n\nbelow y\n"), ("**2** y", "**2** why")
    )
    assert ([*state.phases], state.tasks[2].name, found.reports) == (["x", "z"], "why", ())
    assert state.notes.prose == (Prose("task:1", ("", "below y")),)
    state = phases()
    edit_meanwhile(state, gone, ("**2** y\n", "**2** y\n- [ ] more\n"))
    assert [phase.title for phase in state.phases.values()] == ["X", "Y", "Z"]
    assert names(state) == ["x", "y", "more", "z"]


def test_f7_a_deleted_phase_with_a_task_added_meanwhile_stays() -> None:
    state = phases()
    _, refused = edit_meanwhile(
        state, (c.AddTasks((c.NewTask("new", "y"),)),), (section(state, "Y"), "")
    )
    assert refused == ["gone 0: phase_not_empty"]
    assert names(state) == ["x", "new", "z"]
    state = phases()
    edit_meanwhile(state, (c.EditPhase("y", title="Why"),), (section(state, "Y"), ""))
    assert [phase.title for phase in state.phases.values()] == ["X", "Why", "Z"]


def test_f7_an_old_buffer_saved_twice_adds_nothing_twice() -> None:
    state = small("a", "b")
    base, text = (
        copy(state),
        render(state).replace("- [ ] ○ **2** b", "- [ ] new\nnote\n## P\n- [ ] ○ **2** b"),
    )
    assert apply_edits(state, merge(base, state, parse(text))) == []
    kept = state.notes.prose
    again = merge(base, state, parse(text))
    assert (again.edits, again.reports, again.prose) == ((), (), kept)
    execute(state, (c.Complete(3, "bo"),), NOW)
    assert merge(base, state, parse(text)).edits == ()
    ticked = text.replace("- [ ] new", "- [x] new")
    assert merge(base, state, parse(ticked)).edits == ()
    execute(state, (c.Reopen(3),), NOW)
    assert [edit.kind for edit in merge(base, state, parse(ticked)).edits] == ["status"]


def test_f7_prose_of_both_sides_is_kept() -> None:
    state = small("a", "b")
    execute(state, (prose("", "one", "two", "", anchor="task:1"),), NOW)
    theirs = prose("", "one", "two", "theirs", anchor="task:1")
    edit_meanwhile(state, (theirs,), ("two\n", "mine\n"))
    assert state.notes.prose == (Prose("task:1", ("", "one", "mine", "", "theirs")),)
    edit_meanwhile(state, (prose("one", "theirs", anchor="task:2"),), ("○ **1** a", "○ **1** x"))
    assert state.notes.prose == (Prose("task:2", ("one", "theirs")),)


def test_f7_with_no_base_nothing_is_removed() -> None:
    state = small("a", "b")
    text = render(state).replace("- [ ] ○ **1** a\n", "").replace("Phase: Main Tasks", "Phase: X")
    found = merge(None, state, parse(text))
    assert reports_of(found) == [("task_plan_missing", 1)]
    assert [edit.kind for edit in found.edits] == ["title"]


def test_f7_a_task_whose_line_is_hidden_stays() -> None:
    state = small("a", "b")
    found, _ = edit_meanwhile(state, (), ("- [ ] ○ **2** b\n", "```\n- [ ] ○ **2** b\n```\n"))
    assert (reports_of(found), names(state)) == ([("task_plan_hidden", 2)], ["a", "b"])
