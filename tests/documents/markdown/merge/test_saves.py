"""F19, F20: later saves of one buffer, files that are cut off, and files of another history."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest

from outlast.documents.markdown.merge.edits import EarlierSaves
from outlast.documents.markdown.merge.three_way import merge, merge_new_lines
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.model import Check, Phase, Task
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
    from outlast.model.state import PlanState


def save_again(state: PlanState, *lines: str, added: tuple[int, ...]) -> list[tuple[int, str]]:
    """Save a buffer whose first task is numbered, and whose others are the lines typed below it."""
    base, first = copy(state), "- [ ] ○ **1** a\n"
    frame = render(small("a"))
    text = frame.replace(first, first + "".join(f"{line}\n" for line in lines))
    earlier = EarlierSaves(frozenset(added), {1: "pending"})
    found = merge(base, state, parse(text), earlier=earlier)
    assert apply_edits(state, found) == []
    return [(task.id, task.name) for task in state.tasks_in_order()]


@pytest.mark.parametrize("typed", ["R", "Ro", "Roof tiles", "Garden", "oof"])
def test_f20_a_line_at_its_place_is_the_task_it_became(typed: str) -> None:
    state = small("a", "Roof")
    assert save_again(state, f"- [ ] {typed}", added=(2,)) == [(1, "a"), (2, typed)]


def test_f20_of_several_lines_the_similar_ones_are_found_first() -> None:
    state = small("a", "Roof", "Garden")
    typed = ("- [ ] Door", "- [ ] Garden shed", "- [ ] Roof tiles")
    assert save_again(state, *typed, added=(2, 3)) == [
        (1, "a"),
        (4, "Door"),
        (3, "Garden shed"),
        (2, "Roof tiles"),
    ]


def test_f20_one_that_was_changed_elsewhere_does_not_become_another_of_several() -> None:
    state = small("a", "Roof", "Garden")
    base = copy(state)
    execute(state, (c.Complete(2, "bo"),), NOW)
    text = render(small("a")).replace("**1** a\n", "**1** a\n- [ ] Pond\n- [ ] Fence\n")
    earlier = EarlierSaves(frozenset((2, 3)), {1: "pending"})
    apply_edits(state, merge(base, state, parse(text), earlier=earlier))
    assert sorted((task.id, task.name) for task in state.tasks.values()) == [
        (1, "a"),
        (2, "Roof"),
        (3, "Pond"),
        (4, "Fence"),
    ]


@pytest.mark.parametrize("typed", ["Roof tiles", "Garden"])
def test_f20_an_open_line_in_the_place_of_a_finished_task_is_a_new_one(typed: str) -> None:
    state = small("a", "Roof")
    execute(state, (c.Complete(2, "human"),), NOW)
    assert save_again(state, f"- [ ] {typed}", added=(2,)) == [(1, "a"), (3, typed)]


def test_f20_a_status_is_read_against_what_the_file_showed() -> None:
    base = small("a", "b")
    execute(base, (c.Complete(1, "human"),), NOW)
    text = render(small("a", "b")).replace("[ ] ○ **1**", "[x] ○ **1**")
    earlier = EarlierSaves(frozenset((2,)), {1: "pending"})
    assert merge(base, copy(base), parse(text), earlier=earlier).edits == ()
    untick = render(small("a", "b"))
    [edit] = merge(base, copy(base), parse(untick), earlier=earlier).edits
    assert edit.commands == (c.Reopen(1),)


def test_f20_names_and_titles_are_compared_in_one_form() -> None:
    phases = (Phase("main", normalize("NFC", "Später")),)
    tasks = (Task(1, normalize("NFC", "Prüfen")), Task(2, normalize("NFD", "Größe")))
    state = create_state(c.CreatePlan("plan_x", "Größe", phases=phases, tasks=tasks, next_id=3))
    for form in ("NFC", "NFD"):
        text = normalize(form, render(state))
        assert merge(copy(state), state, parse(text)).edits == ()
        text = text.replace("**1** ", "").replace("**2** ", "")
        assert merge(copy(state), state, parse(text)).edits == ()


def whole_plan() -> PlanState:
    checked = Task(
        3, "last", needs=(1,), checks=(Check("command", "true"),), description="More about it."
    )
    tasks = (Task(1, "first"), Task(2, "second"), checked)
    state = create_state(c.CreatePlan("plan_x", "Goal", tasks=tasks, next_id=4))
    execute(state, (c.KeepProse(()),), NOW)
    return state


def test_f20_wherever_a_file_is_cut_off_nothing_goes() -> None:
    text = render(whole_plan(), mark="0123abcd")
    for cut in range(len(text) + 1):
        state = whole_plan()
        before = render(state)
        found = merge(copy(state), state, parse(text[:cut]))
        if not found.needs_confirmation:
            apply_edits(state, found)
        assert render(state) == before, text[:cut]


def test_f20_a_file_without_its_end_that_lacks_nothing_is_applied() -> None:
    state = small("a", "b")
    apply_edits(state, merge(copy(state), state, parse("- [x] a\n- [ ] ○ **2** c\n- [ ] new\n")))
    assert names(state) == ["a", "c", "new"]
    assert state.tasks[1].status == "completed"
    assert merge(copy(state), state, parse("# Goal\n")).needs_confirmation
    assert not merge(copy(small()), small(), parse("# Goal\n")).needs_confirmation


def test_f20_without_its_end_a_file_removes_no_phase_and_no_prose() -> None:
    phases = (Phase("p", "P"), Phase("q", "Q"))
    state = create_state(
        c.CreatePlan("plan_x", "g", phases=phases, tasks=(Task(1, "a", "p"),), next_id=2)
    )
    execute(state, (prose("Mind the gap.", anchor="end"),), NOW)
    found = merge(copy(state), state, parse("# g\n\n## ○ Phase: P\n\n- [x] **1** a\n"))
    apply_edits(state, found)
    assert state.tasks[1].status == "completed"
    assert list(state.phases) == ["p", "q"]
    assert "Mind the gap." in render(state)


def test_f19_of_another_history_only_new_lines_count() -> None:
    phases = (Phase("p", "P"), Phase("q", "Q"))
    state = create_state(
        c.CreatePlan("plan_x", "g", phases=phases, tasks=(Task(1, "a", "p"),), next_id=2)
    )
    text = """# other

## ○ Phase: Q

- [x] ● **1** renamed
- [x] ● **9** there
- [ ] a
- [ ] new
- [x] old

## ○ Phase: Unknown

- [ ] odd
<!-- outlast r77 0123abcd -->
"""
    found = merge_new_lines(state, parse(text))
    assert [(report.text, report.details) for report in found.reports] == [
        ("task_plan_foreign", {"line": 0, "revision": 77, "mark": "0123abcd"})
    ]
    assert apply_edits(state, found) == []
    assert [(task.name, task.phase, task.status) for task in state.tasks_in_order()] == [
        ("a", "p", "pending"),
        ("new", "q", "pending"),
        ("old", "q", "completed"),
        ("odd", "q", "pending"),
    ]


def test_r4_02_an_open_line_in_the_place_of_a_finished_task_is_a_new_task() -> None:
    state = small("a", "deploy 1", "c")
    execute(state, (c.Complete(2, "bo", "done"),), NOW)
    text = render(state).replace("- [x] ● **2** deploy 1\n  - result: done", "- [ ] deploy 2")
    assert apply_edits(state, merge(copy(state), state, parse(text))) == []
    assert [(task.id, task.name) for task in state.tasks_in_order()] == [
        (1, "a"),
        (4, "deploy 2"),
        (3, "c"),
    ]
