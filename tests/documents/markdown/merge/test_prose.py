"""R4.02: prose stays where it is, whatever else is edited."""

from __future__ import annotations

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.rejected import rejection_comment
from outlast.documents.markdown.render import render
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.model import Phase, Prose
from tests.documents.markdown.plan_texts import (
    NOW,
    apply_edits,
    copy,
    create_state,
    edit_file,
    names,
    prose,
    small,
    two_phases,
)


def test_r4_02_prose_is_kept_where_it_stands_and_survives_other_edits() -> None:
    state = two_phases()
    found, _ = edit_file(
        state,
        ("# Goal", "Intro\n\n# Goal"),
        ("---\n\n##", "Head\n\n---\n\n##"),
        ("> first\n\n", "> first\n\nBelow the phase\n\n"),
        ("- [ ] ○ **2** b", "\n<!-- a comment -->\nnote\n\n- [ ] ○ **2** b"),
        ("**4** d\n", "**4** d\n\n---\nlast\n"),
    )
    assert (found.edits, found.reports) == ((), ())
    assert state.notes.prose == (
        Prose("top", ("Intro",)),
        Prose("head", ("Head",)),
        Prose("phase:one", ("Below the phase",)),
        Prose("task:1", ("", "<!-- a comment -->", "note", "")),
        Prose("task:4", ("", "---", "last")),
    )
    kept = state.notes.prose
    found, _ = edit_file(state, ("- [ ] ○ **3** c", "- [x] ○ **3** c"))
    assert (state.notes.prose, found.prose) == (kept, kept)
    edit_file(state, ("note\n", "another note\n"), ("---\nlast\n", ""))
    assert state.notes.prose[3].lines == ("", "<!-- a comment -->", "another note", "")
    assert state.notes.prose[4:] == (Prose("task:4", ("",)),)


def test_r4_02_prose_below_new_tasks_and_phases_finds_its_place() -> None:
    state = small("a")
    edit_file(
        state, ("**1** a\n", "**1** a\n- [ ] b\n\nbelow b\n## P\nbelow P\n- [ ] c\n\nbelow c\n")
    )
    assert state.notes.prose == (
        Prose("task:2", ("", "below b")),
        Prose("phase:p", ("below P",)),
        Prose("task:3", ("", "below c")),
    )


def test_r4_02_prose_below_a_deleted_line_stays() -> None:
    state = small("a", "b", "c")
    execute(state, (prose("", "about b", anchor="task:2"),), NOW)
    edit_file(state, ("- [ ] ○ **2** b\n", ""))
    assert (names(state), state.notes.prose) == (["a", "c"], (Prose("task:1", ("", "about b")),))


def test_r4_02_a_quotation_below_a_phase_without_notes_stays_prose() -> None:
    state = small("a", "b")
    execute(state, (prose("> not notes", anchor="phase:main"),), NOW)
    found, _ = edit_file(state)
    assert (found.edits, state.phases["main"].notes) == ((), "")
    assert state.notes.prose == (Prose("phase:main", ("> not notes",)),)


def test_r4_02_an_odd_line_is_reported_once() -> None:
    state = small("a")
    found, _ = edit_file(state, ("**1** a\n", "**1** a\n  - chek: make test\n"))
    assert [(one.text, one.details) for one in found.reports] == [
        ("task_plan_line", {"line": 12, "line_text": "- chek: make test"})
    ]
    found, _ = edit_file(state, ("○ **1** a", "○ **1** b"))
    assert (found.reports, state.tasks[1].name) == ((), "b")
    assert "  - chek: make test\n" in render(state)


def test_r4_02_a_line_of_prose_can_be_of_any_length() -> None:
    state = small("a")
    edit_file(state, ("**1** a\n", "**1** a\n\n" + "中" * 40_000 + "\n"))
    assert sum(map(len, state.notes.prose[0].lines)) == 40_000
    long = create_state(c.CreatePlan("plan_x", "g", phases=(Phase("p" * 300, "P"),)))
    edit_file(long, ("Phase: P\n", "Phase: P\n\nbelow\n"))
    assert long.notes.prose == (Prose("end", ("below",)),)


def test_r4_02_an_edit_that_needs_a_refused_line_is_skipped() -> None:
    state = small("a")
    new = "**1** a\n- [x] b\n  - check: x\n  - run: y\n  more\n\nbelow"
    found = merge(copy(state), state, parse(render(state).replace("**1** a", new)))
    execute(state, (c.RemoveTask(1),), NOW)
    assert apply_edits(state, found) == ["new 12: task_not_found"]
    lost = map(rejection_comment, ("- [x] b", "- check: x", "- run: y", "more"))
    assert state.notes.prose == (Prose("task:1", ("", "below", *lost)),)


def test_r4_02_a_refused_phase_leaves_its_lines_above() -> None:
    state = small("a")
    text = render(state).replace("**1** a\n", "**1** a\n## P\n> n\n\nbelow P\n- [ ] b\n")
    found = merge(copy(state), state, parse(text))
    execute(state, (c.AddPhase("Q"), c.MoveTask(1, "q"), c.RemovePhase("main")), NOW)
    assert apply_edits(state, found) == ["new 12: phase_not_found"]
    lost = map(rejection_comment, ("## P", "n"))
    assert state.notes.prose == (Prose("task:1", ("below P", *lost)),)


def test_f7_a_refused_icon_is_kept_although_the_box_is_right() -> None:
    state = small("a", "b")
    execute(state, (c.Complete(1, "ann", "done"), c.Pause()), NOW)
    text = render(state).replace("- [x] ● **1** a", "- [x] ◐ **1** better")
    assert apply_edits(state, merge(copy(state), state, parse(text))) == ["status 11: plan_paused"]
    assert rejection_comment("- [x] ◐ better (status)") in render(state)
