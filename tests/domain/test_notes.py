"""R4.07, R4.09: findings, errors and the rest that a plan keeps beside its tasks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.domain import commands as c
from outlast.domain import note_commands as n
from outlast.domain.apply import fold
from outlast.domain.changes import NumbersPassed
from outlast.domain.history.rebuild import retell
from outlast.domain.invert import FACTS, INVERSES
from outlast.domain.loop_commands import Strike
from outlast.domain.model import CATEGORIES, ErrorRecord, Finding, Prose
from outlast.domain.notes import Notes
from outlast.domain.state import PlanState
from outlast.domain.strikes import strike_key
from tests.domain.acting import Acting
from tests.domain.recompute import whole

FOUND = n.NoteFinding("code", "Title", "Content", "a book", "ann")


def notes(plan: Acting) -> Notes:
    return plan.state.notes


# --- findings


def test_r4_09_a_finding_is_kept_with_its_time_and_its_finder() -> None:
    plan = Acting()
    plan.do(FOUND)
    assert notes(plan).findings == {
        1: Finding(1, "code", "Title", "Content", plan.now, "a book", "ann")
    }


@pytest.mark.parametrize("category", CATEGORIES)
def test_r4_09_there_are_five_categories(category: Any) -> None:
    assert len(CATEGORIES) == 5
    Acting().do(n.NoteFinding(category, "Title", ""))


@pytest.mark.parametrize(
    "command",
    [
        n.NoteFinding("gossip", "Title", ""),  # type: ignore[arg-type]
        n.NoteFinding("code", "two\nlines", ""),
        n.NoteFinding("code", " ", ""),
        n.NoteFinding("code", "Title", "x" * 65537),
        n.NoteFinding("code", "Title", "", "two\nlines"),
        n.NoteFinding("code", "Title", "", "", "two\nlines"),
        n.EditFinding(2, title="x"),
        n.EditFinding(1, "gossip"),  # type: ignore[arg-type]
        n.EditFinding(1, title=""),
        n.EditFinding("1"),  # type: ignore[arg-type]
        n.ForgetFinding(2),
        n.ForgetFinding(0),
    ],
    ids=repr,
)
def test_r4_09_what_is_no_finding_is_refused(command: c.Command) -> None:
    plan = Acting()
    plan.do(FOUND)
    plan.refused("INVALID_ARGUMENT", command)


def test_r4_09_a_finding_can_be_edited_and_stays_whose_it_was() -> None:
    plan = Acting()
    plan.do(FOUND)
    at = plan.now
    plan.wait(9)
    assert plan.do(n.EditFinding(1)).changes == ()
    assert plan.do(n.EditFinding(1, title="Title")).changes == ()
    plan.do(n.EditFinding(1, "issue", "New", "Other", ""))
    assert notes(plan).findings == {1: Finding(1, "issue", "New", "Other", at, "", "ann")}


def test_r4_09_the_number_of_a_forgotten_finding_is_not_given_again() -> None:
    plan = Acting()
    plan.do(FOUND, FOUND)
    plan.do(n.ForgetFinding(2))
    plan.do(FOUND)
    assert list(notes(plan).findings) == [1, 3]


# --- errors


@pytest.mark.parametrize(
    ("message", "key"),
    [
        ("line 12: no", "sh:line N: no"),
        ("a1b22c333", "sh:aNbNcN"),
        ("", "sh:"),
        ("x" * 150, "sh:" + "x" * 100),
        ("12345" + "x" * 150, "sh:N" + "x" * 99),
        ("٣ ３", "sh:٣ ３"),
    ],
)
def test_r4_07_a_strike_is_counted_by_tool_and_message_without_numbers(
    message: str, key: str
) -> None:
    assert strike_key("sh", message) == key


@given(st.text(), st.integers(0), st.integers(0))
def test_r4_07_errors_that_differ_in_numbers_are_one(text: str, one: int, other: int) -> None:
    assert strike_key("sh", f"{text} {one}") == strike_key("sh", f"{text} {other}")


def test_r4_09_an_error_is_counted_and_shown_as_it_was_last() -> None:
    plan = Acting()
    first = plan.now
    plan.do(n.NoteError("sh", "exit 1", '{"a":1}', "stack"))
    last = plan.wait(7)
    plan.do(n.NoteError("sh", "exit 2", count=2), n.NoteError("git", "exit 2"))
    assert notes(plan).errors == {
        "sh:exit N": ErrorRecord(1, "sh", "exit 2", first, last, 3),
        "git:exit N": ErrorRecord(2, "git", "exit 2", last, last),
    }


def test_r4_09_errors_are_forgotten_by_key_or_all_and_numbers_go_on() -> None:
    plan = Acting()
    plan.do(*(n.NoteError(tool, "no") for tool in "abc"))
    assert plan.do(n.ForgetErrors(("a:no", "x:no", "a:no"))).changes != ()
    assert list(notes(plan).errors) == ["b:no", "c:no"]
    assert plan.do(n.ForgetErrors(("a:no",))).changes == ()
    plan.do(n.ForgetErrors())
    assert plan.do(n.ForgetErrors()).changes == ()
    plan.do(n.NoteError("a", "no"))
    assert [(error.id, error.count) for error in notes(plan).errors.values()] == [(4, 1)]


@pytest.mark.parametrize(
    "command",
    [
        n.NoteError("", "no"),
        n.NoteError("sh", 5),  # type: ignore[arg-type]
        n.NoteError("sh", "x" * 65537),
        n.NoteError("sh", "no", count=0),
        n.ForgetErrors("sh:no"),  # type: ignore[arg-type]
        n.ForgetErrors((5,)),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_r4_09_what_is_no_error_is_refused(command: c.Command) -> None:
    Acting().refused("INVALID_ARGUMENT", command)


# --- what came out, and people's own lines


def test_r4_09_what_came_out_is_kept_until_something_else_is_said() -> None:
    plan = Acting()
    assert plan.do(n.Deliver("")).changes == ()
    plan.do(n.Deliver("# Report"))
    assert plan.do(n.Deliver("# Report")).changes == ()
    assert notes(plan).deliverable == "# Report"
    plan.do(n.Deliver(""))
    assert notes(plan).deliverable == ""


def test_r4_02_people_s_own_lines_are_kept_as_they_are() -> None:
    plan = Acting()
    prose = (Prose("top", ("<!-- mine -->", "", "\ta \u2028 b")), Prose("task:9", ()))
    plan.do(n.KeepProse(prose))
    assert plan.do(n.KeepProse(prose)).changes == ()
    assert notes(plan).prose == prose
    plan.do(n.KeepProse(()))
    assert notes(plan).prose == ()


def test_f7_lines_that_others_have_added_since_then_stay() -> None:
    plan = Acting()
    known = (Prose("top", ("old", "out")),)
    plan.do(n.KeepProse((Prose("top", ("old", "", "theirs")), Prose("end", ("theirs too",)))))
    plan.do(n.KeepProse((Prose("top", ("old", "mine")),), known))
    top, end = Prose("top", ("old", "mine", "theirs")), Prose("end", ("theirs too",))
    assert notes(plan).prose == (top, end)
    plan.do(n.KeepProse((end,), (top, end)))
    assert notes(plan).prose == (end,), "what was known may go"


@pytest.mark.parametrize(
    "prose",
    [
        [],
        ("top",),
        (Prose("x" * 201, ()),),
        (Prose("top", ["a"]),),  # type: ignore[arg-type]
        (Prose("top", ("a\nb",)),),
        (Prose("top", (None,)),),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_r4_02_what_are_no_lines_is_refused(prose: Any) -> None:
    Acting().refused("INVALID_ARGUMENT", n.KeepProse(prose))
    Acting().refused("INVALID_ARGUMENT", n.KeepProse((), prose))


# --- facts


NOTED: tuple[c.Command, ...] = (
    *(FOUND, FOUND, n.ForgetFinding(2)),
    *(n.NoteError("sh", "no"), n.NoteError("git", "no"), n.ForgetErrors(("git:no",))),
    *(n.Deliver("out"), n.KeepProse((Prose("top", ("line",)),))),
)


def test_r4_09_notes_are_facts_that_nothing_takes_back() -> None:
    plan = Acting()
    for command in NOTED:
        (change,) = plan.do(command).changes
        assert type(change) in FACTS
        assert INVERSES[type(change)](plan.state, change) == ()


def test_r4_09_a_commit_that_is_refused_half_way_leaves_the_notes_as_they_were() -> None:
    plan = Acting()
    plan.do(FOUND, n.NoteError("sh", "no"))
    kept = notes(plan).copy()
    plan.refused("TASK_NOT_FOUND", *NOTED, n.ForgetFinding(1), n.ForgetErrors(), c.Skip(9))
    assert notes(plan) == kept


def test_r4_09_a_reset_keeps_the_notes_and_a_plan_that_follows_begins_without() -> None:
    plan = Acting()
    plan.do(*NOTED)
    plan.do(c.Skip(1))
    kept = notes(plan).copy()
    plan.do(c.Reset())
    assert notes(plan) == kept
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_b", "Goal", ()))
    assert notes(plan) == Notes()


def test_f6_notes_are_told_again_and_their_numbers_go_on() -> None:
    plan, other = Acting(), Acting(0)
    plan.do(*NOTED)
    made = retell(other.state, plan.state)
    assert other.state.notes == plan.state.notes
    assert (other.state.notes.noted, other.state.notes.logged) == (2, 2)
    again = PlanState(plan.now)
    for commit in made:
        fold(again, commit.changes, commit.revision, commit.at)
    assert whole(again)["notes"] == plan.state.notes


def test_f6_numbers_that_are_passed_never_go_back() -> None:
    plan = Acting()
    plan.do(*NOTED)
    fold(plan.state, (NumbersPassed(0, 0, 1, 1),), 9, plan.now)
    assert (plan.state.notes.noted, plan.state.notes.logged) == (2, 2)


def test_r4_07_forgetting_the_errors_of_a_tool_allows_it_again() -> None:
    acting = Acting()
    acting.do(n.NoteError("sh", "exit 1"), n.NoteError("git", "exit 1"), n.NoteError("ls", "no"))
    acting.do(Strike("sh", "x"), Strike("sh", "y"), Strike("git", "x"))
    acting.do(n.ForgetErrors(("ls:no", "sh:exit N")))
    assert acting.state.ledger.struck == {"git": ("x",)}
    acting.do(n.ForgetErrors())
    assert acting.state.ledger.struck == {}
