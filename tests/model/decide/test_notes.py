"""R4.07, R4.09: findings, errors and the rest that a plan keeps beside its tasks."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.errors import InvalidArgument
from outlast.model import commands as c
from outlast.model.changes import IdsSkipped, fold
from outlast.model.changes.plan import Fact
from outlast.model.commands import Strike
from outlast.model.history.rebuild import commits_from_snapshot
from outlast.model.ledger import Notes, strike_key
from outlast.model.limits import LARGEST_ID
from outlast.model.model import CATEGORIES, ErrorRecord, Finding, Prose
from outlast.model.state import PlanState
from tests.model.indexes import encode_all
from tests.model.timed_plan import TimedPlan

FOUND = c.NoteFinding("code", "Title", "Content", "a book", "ann")
OTHER = c.NoteFinding("code", "Other", "Content", "a book", "ann")


def notes(plan: TimedPlan) -> Notes:
    return plan.state.notes


# --- findings


def test_r4_09_a_finding_is_kept_with_its_time_and_its_finder() -> None:
    plan = TimedPlan()
    plan.do(FOUND)
    assert notes(plan).findings == {
        1: Finding(1, "code", "Title", "Content", plan.now, "a book", "ann")
    }


def test_r4_09_equal_findings_are_kept_once_with_their_count() -> None:
    plan = TimedPlan()
    plan.do(c.NoteFinding("code", "Title", "Content"))
    first = plan.now
    plan.wait(1)
    plan.do(FOUND, OTHER, replace(FOUND, category="issue"), replace(FOUND, content="more"))
    plan.do(replace(FOUND, source="a film", count=3))
    assert [finding.count for finding in notes(plan).findings.values()] == [5, 1, 1, 1]
    known = notes(plan).findings[1]
    assert known == Finding(1, "code", "Title", "Content", first, "a book", "", 5)
    for wrong in (0, -1, True, "2", LARGEST_ID + 1):
        command = c.NoteFinding("code", "Title", "Content", count=wrong)  # type: ignore[arg-type]
        plan.refused("INVALID_ARGUMENT", command)
    plan.do(replace(FOUND, count=LARGEST_ID))
    assert notes(plan).findings[1].count == LARGEST_ID


@pytest.mark.parametrize("category", CATEGORIES)
def test_r4_09_there_are_five_categories(category: Any) -> None:
    assert len(CATEGORIES) == 5
    TimedPlan().do(c.NoteFinding(category, "Title", ""))


@pytest.mark.parametrize(
    "command",
    [
        c.NoteFinding("gossip", "Title", ""),  # type: ignore[arg-type]
        c.NoteFinding("code", "two\nlines", ""),
        c.NoteFinding("code", " ", ""),
        c.NoteFinding("code", "Title", "x" * 65537),
        c.NoteFinding("code", "Title", "", "two\nlines"),
        c.NoteFinding("code", "Title", "", "", "two\nlines"),
        c.EditFinding(2, title="x"),
        c.EditFinding(1, "gossip"),  # type: ignore[arg-type]
        c.EditFinding(1, title=""),
        c.EditFinding("1"),  # type: ignore[arg-type]
        c.ForgetFinding(2),
        c.ForgetFinding(0),
    ],
    ids=repr,
)
def test_r4_09_what_is_no_finding_is_refused(command: c.Command) -> None:
    plan = TimedPlan()
    plan.do(FOUND)
    plan.refused("INVALID_ARGUMENT", command)


def test_r4_09_a_finding_can_be_edited_and_stays_whose_it_was() -> None:
    plan = TimedPlan()
    plan.do(FOUND)
    at = plan.now
    plan.wait(9)
    assert plan.do(c.EditFinding(1)).changes == ()
    assert plan.do(c.EditFinding(1, title="Title")).changes == ()
    plan.do(c.EditFinding(1, "issue", "New", "Other", ""))
    assert notes(plan).findings == {1: Finding(1, "issue", "New", "Other", at, "", "ann")}


def test_r4_09_the_number_of_a_forgotten_finding_is_not_given_again() -> None:
    plan = TimedPlan()
    plan.do(FOUND, OTHER)
    plan.do(c.ForgetFinding(2))
    plan.do(OTHER)
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
    plan = TimedPlan()
    first = plan.now
    plan.do(c.NoteError("sh", "exit 1", '{"a":1}', "stack"))
    last = plan.wait(7)
    plan.do(c.NoteError("sh", "exit 2", count=2), c.NoteError("git", "exit 2"))
    assert notes(plan).errors == {
        "sh:exit N": ErrorRecord(1, "sh", "exit 2", first, last, 3, '{"a":1}', "stack"),
        "git:exit N": ErrorRecord(2, "git", "exit 2", last, last),
    }


def test_r4_09_errors_are_forgotten_by_key_or_all_and_numbers_go_on() -> None:
    plan = TimedPlan()
    plan.do(*(c.NoteError(tool, "no") for tool in "abc"))
    assert plan.do(c.ForgetErrors(("a:no", "x:no", "a:no"))).changes != ()
    assert list(notes(plan).errors) == ["b:no", "c:no"]
    assert plan.do(c.ForgetErrors(("a:no",))).changes == ()
    plan.do(c.ForgetErrors())
    assert plan.do(c.ForgetErrors()).changes == ()
    plan.do(c.NoteError("a", "no"))
    assert [(error.id, error.count) for error in notes(plan).errors.values()] == [(4, 1)]


@pytest.mark.parametrize(
    "command",
    [
        c.NoteError("", "no"),
        c.NoteError("sh", 5),  # type: ignore[arg-type]
        c.NoteError("sh", "x" * 65537),
        c.NoteError("sh", "no", count=0),
        c.ForgetErrors("sh:no"),  # type: ignore[arg-type]
        c.ForgetErrors((5,)),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_r4_09_what_is_no_error_is_refused(command: c.Command) -> None:
    TimedPlan().refused("INVALID_ARGUMENT", command)


# --- what came out, and people's own lines


def test_r4_09_the_deliverable_stays_until_it_is_replaced() -> None:
    plan = TimedPlan()
    assert plan.do(c.Deliver("")).changes == ()
    plan.do(c.Deliver("# Report"))
    assert plan.do(c.Deliver("# Report")).changes == ()
    assert notes(plan).deliverable == "# Report"
    plan.do(c.Deliver(""))
    assert notes(plan).deliverable == ""


def test_r0_06_the_answer_of_a_run_is_kept_beside_the_deliverable() -> None:
    plan = TimedPlan()
    plan.do(c.Deliver("# Report"), c.Deliver("All sorted.", answer=True))
    assert plan.do(c.Deliver("All sorted.", answer=True)).changes == ()
    assert (notes(plan).deliverable, notes(plan).answer) == ("# Report", "All sorted.")
    plan.do(c.Deliver("Sorted again.", answer=True))
    assert notes(plan).answer == "Sorted again."
    plan.refused("INVALID_ARGUMENT", c.Deliver("x", answer=1))  # type: ignore[arg-type]


def test_r4_02_people_s_own_lines_are_kept_as_they_are() -> None:
    plan = TimedPlan()
    prose = (Prose("top", ("<!-- mine -->", "", "\ta \u2028 b")), Prose("task:9", ()))
    plan.do(c.KeepProse(prose))
    assert plan.do(c.KeepProse(prose)).changes == ()
    assert notes(plan).prose == prose
    plan.do(c.KeepProse(()))
    assert notes(plan).prose == ()


def test_f7_lines_that_others_have_added_since_then_stay() -> None:
    plan = TimedPlan()
    known = (Prose("top", ("old", "out")),)
    plan.do(c.KeepProse((Prose("top", ("old", "", "theirs")), Prose("end", ("theirs too",)))))
    plan.do(c.KeepProse((Prose("top", ("old", "mine")),), known))
    top, end = Prose("top", ("old", "mine", "theirs")), Prose("end", ("theirs too",))
    assert notes(plan).prose == (top, end)
    plan.do(c.KeepProse((end,), (top, end)))
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
    TimedPlan().refused("INVALID_ARGUMENT", c.KeepProse(prose))
    TimedPlan().refused("INVALID_ARGUMENT", c.KeepProse((), prose))


# --- facts


NOTED: tuple[c.Command, ...] = (
    *(FOUND, OTHER, c.ForgetFinding(2)),
    *(c.NoteError("sh", "no"), c.NoteError("git", "no"), c.ForgetErrors(("git:no",))),
    *(c.Deliver("out"), c.KeepProse((Prose("top", ("line",)),))),
)


def test_r4_09_notes_are_facts_that_nothing_takes_back() -> None:
    plan = TimedPlan()
    for command in NOTED:
        (change,) = plan.do(command).changes
        assert isinstance(change, Fact)


def test_r4_09_a_commit_that_is_refused_half_way_leaves_the_notes_as_they_were() -> None:
    plan = TimedPlan()
    plan.do(FOUND, c.NoteError("sh", "no"))
    kept = deepcopy(notes(plan))
    plan.refused("TASK_NOT_FOUND", *NOTED, c.ForgetFinding(1), c.ForgetErrors(), c.Skip(9))
    assert notes(plan) == kept


def test_r4_09_a_reset_keeps_the_notes_and_a_plan_that_follows_begins_without() -> None:
    plan = TimedPlan()
    plan.do(*NOTED)
    plan.do(c.Skip(1))
    kept = deepcopy(notes(plan))
    plan.do(c.Reset())
    assert notes(plan) == kept
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_b", "Goal", ()))
    assert notes(plan) == Notes()


def test_f6_notes_are_rebuilt_and_their_numbers_continue() -> None:
    plan, other = TimedPlan(), TimedPlan(0)
    plan.do(*NOTED)
    made = commits_from_snapshot(other.state, plan.state)
    assert other.state.notes == plan.state.notes
    assert (other.state.notes.last_finding, other.state.notes.last_error) == (2, 2)
    again = PlanState(plan.now)
    for commit in made:
        fold(again, commit.changes, commit.revision, commit.at)
    assert encode_all(again)["notes"] == plan.state.notes


def test_f6_numbers_that_are_passed_never_go_back() -> None:
    plan = TimedPlan()
    plan.do(*NOTED)
    fold(plan.state, (IdsSkipped(0, 0, 1, 1),), 9, plan.now)
    assert (plan.state.notes.last_finding, plan.state.notes.last_error) == (2, 2)


def test_r4_07_forgetting_the_errors_of_a_tool_allows_it_again() -> None:
    plan = TimedPlan()
    plan.do(c.NoteError("sh", "exit 1"), c.NoteError("git", "exit 1"), c.NoteError("ls", "no"))
    plan.do(Strike("sh", "x"), Strike("sh", "y"), Strike("git", "x"))
    plan.do(c.ForgetErrors(("ls:no", "sh:exit N")))
    assert plan.state.ledger.strikes == {"git": ("x",)}
    plan.do(c.ForgetErrors())
    assert plan.state.ledger.strikes == {}


@pytest.mark.parametrize("at", ["now", 1, datetime(2026, 1, 1)])  # noqa: DTZ001 - without a zone
def test_r4_09_the_time_of_an_error_has_a_zone(at: Any) -> None:
    with pytest.raises(InvalidArgument) as refused:
        TimedPlan().do(c.NoteError("bash", "failed", at=at))
    assert refused.value.details["argument"] == "at"


def test_r4_09_an_error_may_have_occurred_earlier_and_not_later() -> None:
    plan = TimedPlan()
    for days, seen in ((-2, -2), (2, 0)):
        at = plan.now + timedelta(days=days)
        plan.do(c.NoteError(f"tool {days}", "failed", at=at))
        (error,) = (e for e in plan.state.notes.errors.values() if e.tool == f"tool {days}")
        assert error.at == plan.now + timedelta(days=seen)
