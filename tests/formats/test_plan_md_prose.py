"""R4.02: people's own lines stay where they are, whatever else is edited."""

from __future__ import annotations

from outlast.domain import commands as c
from outlast.domain.enact import enact
from outlast.domain.model import Phase, Prose
from outlast.formats.markdown.merge.comments import not_taken_in
from outlast.formats.markdown.merge.merge import merge
from outlast.formats.markdown.parse import parse
from outlast.formats.markdown.render import render
from tests.formats.plan_texts import (
    NOW,
    copy,
    created,
    edited,
    names,
    prose,
    small,
    taken_in,
    two_phases,
)


def test_r4_02_prose_is_kept_where_it_stands_and_survives_other_edits() -> None:
    state = two_phases()
    found, _ = edited(
        state,
        ("# Goal", "Intro\n\n# Goal"),
        ("---\n\n##", "Head\n\n---\n\n##"),
        ("> first\n\n", "> first\n\nBelow the phase\n\n"),
        ("- [ ] ○ b", "\n<!-- a comment -->\nnote\n\n- [ ] ○ b"),
        ("<!-- t4 -->\n", "<!-- t4 -->\n\n---\nlast\n"),
    )
    assert (found.wishes, found.reports) == ((), ())
    assert state.notes.prose == (
        Prose("top", ("Intro",)),
        Prose("head", ("Head",)),
        Prose("phase:one", ("Below the phase",)),
        Prose("task:1", ("", "<!-- a comment -->", "note", "")),
        Prose("task:4", ("", "---", "last")),
    )
    kept = state.notes.prose
    found, _ = edited(state, ("- [ ] ○ c", "- [x] ○ c"))
    assert (state.notes.prose, found.prose) == (kept, kept)
    edited(state, ("note\n", "another note\n"), ("---\nlast\n", ""))
    assert state.notes.prose[3].lines == ("", "<!-- a comment -->", "another note", "")
    assert state.notes.prose[4:] == (Prose("task:4", ("",)),)


def test_r4_02_prose_below_new_tasks_and_phases_finds_its_place() -> None:
    state = small("a")
    edited(
        state, ("<!-- t1 -->\n", "<!-- t1 -->\n- [ ] b\nbelow b\n## P\nbelow P\n- [ ] c\nbelow c\n")
    )
    assert state.notes.prose == (
        Prose("task:2", ("below b",)),
        Prose("phase:p", ("below P",)),
        Prose("task:3", ("below c",)),
    )


def test_r4_02_prose_below_a_line_that_was_taken_out_stays() -> None:
    state = small("a", "b", "c")
    enact(state, (prose("about b", anchor="task:2"),), NOW)
    edited(state, ("- [ ] ○ b <!-- t2 -->\n", ""))
    assert (names(state), state.notes.prose) == (["a", "c"], (Prose("task:1", ("about b",)),))


def test_r4_02_a_quotation_below_a_phase_without_notes_stays_prose() -> None:
    state = small("a", "b")
    enact(state, (prose("> not notes", anchor="phase:main"),), NOW)
    found, _ = edited(state)
    assert (found.wishes, state.phases["main"].notes) == ((), "")
    assert state.notes.prose == (Prose("phase:main", ("> not notes",)),)


def test_r4_02_an_odd_line_is_reported_once() -> None:
    state = small("a")
    found, _ = edited(state, ("<!-- t1 -->\n", "<!-- t1 -->\n  - colour: red\n"))
    assert [(one.text, one.details) for one in found.reports] == [
        ("plan_md_line", {"line": 12, "said": "- colour: red"})
    ]
    found, _ = edited(state, ("○ a", "○ b"))
    assert (found.reports, state.tasks[1].name) == ((), "b")
    assert "  - colour: red\n" in render(state)


def test_r4_02_a_line_of_prose_can_be_of_any_length() -> None:
    state = small("a")
    edited(state, ("<!-- t1 -->\n", "<!-- t1 -->\n" + "中" * 40_000 + "\n"))
    assert sum(map(len, state.notes.prose[0].lines)) == 40_000
    long = created(c.CreatePlan("plan_x", "g", phases=(Phase("p" * 300, "P"),)))
    edited(long, ("Phase: P\n", "Phase: P\n\nbelow\n"))
    assert long.notes.prose == (Prose("end", ("below",)),)


def test_r4_02_what_needs_a_refused_line_is_left_out() -> None:
    state = small("a")
    new = "<!-- t1 -->\n- [x] b\n  - check: x\n  - run: y\nbelow"
    found = merge(copy(state), state, parse(render(state).replace("<!-- t1 -->", new)))
    enact(state, (c.RemoveTask(1),), NOW)
    assert taken_in(state, found) == ["new 12: task_not_found"]
    lost = map(not_taken_in, ("- [x] b", "- check: x", "- run: y"))
    assert state.notes.prose == (Prose("task:1", ("below", *lost)),)


def test_r4_02_a_refused_phase_leaves_its_lines_above() -> None:
    state = small("a")
    text = render(state).replace("<!-- t1 -->\n", "<!-- t1 -->\n## P\n> n\n\nbelow P\n- [ ] b\n")
    found = merge(copy(state), state, parse(text))
    enact(state, (c.AddPhase("Q"), c.MoveTask(1, "q"), c.RemovePhase("main")), NOW)
    assert taken_in(state, found) == ["new 12: phase_not_found"]
    lost = map(not_taken_in, ("## P", "n"))
    assert state.notes.prose == (Prose("task:1", ("below P", *lost)),)


def test_f7_a_refused_icon_is_kept_though_the_box_says_what_is_so() -> None:
    state = small("a", "b")
    enact(state, (c.Complete(1, "ann", "done"), c.Pause()), NOW)
    text = render(state).replace("- [x] ● a", "- [x] ◐ better")
    assert taken_in(state, merge(copy(state), state, parse(text))) == ["status 11: plan_paused"]
    assert not_taken_in("- [x] ◐ better (status)") in render(state)
