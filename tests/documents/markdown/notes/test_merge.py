"""R4.09: edits of `findings.md`, `errors.md` and `deliverable.md` are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.documents.markdown.merge.edits import MergeResult
from outlast.documents.markdown.notes import deliverable, errors, findings
from outlast.documents.markdown.notes.merge import merge_deliverable, merge_errors, merge_findings
from outlast.documents.markdown.notes.params import dump_params
from outlast.model.commands import (
    CreatePlan,
    Deliver,
    EditFinding,
    ForgetErrors,
    ForgetFinding,
    NoteError,
    NoteFinding,
)
from outlast.model.execute import execute
from outlast.model.model import PERSON, Phase, Task
from outlast.model.state import PlanState
from outlast.redact.structs import redact_commands
from tests.documents.markdown.notes.noted_plans import (
    NOON,
    error,
    finding,
    with_errors,
    with_findings,
)
from tests.documents.markdown.notes.noted_plans import errors as some_errors
from tests.documents.markdown.notes.noted_plans import findings as some_findings

if TYPE_CHECKING:
    from outlast.model.commands import Command
    from outlast.model.model import ErrorRecord, Finding

NOTHING = MergeResult()
AT = NOON.replace(microsecond=123_000)  # as the file tells it
A, B, C = (finding("code", name, f"about {name}") for name in "ABC")
E, F, G = (error(tool, f"{tool} broke", '{"x":1}', count=2) for tool in "EFG")


def commands_of(found: MergeResult) -> list[Command]:
    assert not found.reports
    return [command for edit in found.edits for command in edit.commands]


def reports_of(found: MergeResult) -> list[tuple[str, object]]:
    return [(report.text, report.details["line"]) for report in found.reports]


@given(st.lists(some_findings, max_size=3), st.lists(some_errors, max_size=3))
def test_r4_09_a_file_that_nobody_edited_asks_for_nothing(
    found: list[Finding], wrong: list[ErrorRecord]
) -> None:
    noted, logged = with_findings(found), with_errors(wrong)
    for base in (noted, None):
        assert merge_findings(base, noted, findings.render(noted)) == NOTHING
    for base in (logged, None):
        assert merge_errors(base, logged, errors.render(logged)) == NOTHING


def test_r4_09_findings_are_added_changed_moved_and_deleted() -> None:
    state = with_findings((A, B, C))
    text = findings.render(state)
    added = text + "## Insight\n\n### New\n\npassword=hunter2\n\n*Source: s*\n"
    [noted] = redact_commands(commands_of(merge_findings(state, state, added)))
    assert noted == NoteFinding("insight", "New", "password=[redacted]", "s", PERSON)
    changed = text.replace("about B", "else").replace("### A", "### a")
    found = merge_findings(state, state, changed)
    assert commands_of(found) == [EditFinding(1, title="a"), EditFinding(2, content="else")]
    assert [edit.line for edit in found.edits] == [7, 11]
    moved = text.replace("### C\n\nabout C\n\n", "## Issue\n\n### C\n\nabout C\n\n")
    assert commands_of(merge_findings(state, state, moved)) == [EditFinding(3, category="issue")]
    gone = text.replace("### C\n\nabout C\n\n", "")
    assert commands_of(merge_findings(state, state, gone)) == [ForgetFinding(3)]
    assert commands_of(merge_findings(None, state, gone)) == []


def test_r4_09_a_truncated_file_deletes_nothing() -> None:
    state = with_findings((A, B, C))
    assert reports_of(merge_findings(state, state, "")) == [("notes_blank", 1)]
    assert reports_of(merge_findings(state, state, "# Findings")) == [
        ("note_line_unknown", 1),
        ("notes_missing", 1),
    ]
    logged = with_errors((E, F, G))
    assert reports_of(merge_errors(logged, logged, "\ufeff \n")) == [("notes_blank", 1)]
    assert reports_of(merge_errors(logged, logged, "# Error Log\n")) == [("notes_missing", 1)]


def test_f33_nothing_of_a_file_with_a_merge_conflict_is_applied() -> None:
    conflict = "<<<<<<< HEAD\n### One\n=======\n### Two\n>>>>>>> side\n"
    state, logged = with_findings((A, B)), with_errors((E, F))
    for found in (
        merge_findings(state, state, findings.render(state) + conflict),
        merge_errors(logged, logged, errors.render(logged) + conflict),
        merge_deliverable(state, state, deliverable.render(state) + conflict),
    ):
        assert [report.text for report in found.reports] == ["notes_unmerged"]
        assert found.edits == ()
    quoted = with_findings((finding("code", "Conflict", conflict.replace("### ", "")),))
    added = findings.render(quoted) + "## Insight\n\n### New\n\nabout it\n"
    [noted] = commands_of(merge_findings(quoted, quoted, added))
    assert noted == NoteFinding("insight", "New", "about it", "", PERSON)


def test_r4_09_lines_that_cannot_be_understood_are_reported_and_not_lost() -> None:
    state = with_findings((A, B))
    text = findings.render(state).replace("## Code", "loose\n## Stuff")
    found = merge_findings(state, state, text)
    assert not found.edits
    assert reports_of(found) == [
        ("note_line_unknown", 5),
        ("note_category_unknown", 6),
        ("note_line_unknown", 8),
        ("note_line_unknown", 12),
    ]
    found = merge_errors(None, with_errors(()), "hello\n##\n**Message:** m\n")
    assert not found.edits
    assert reports_of(found) == [("note_line_unknown", 1), ("note_line_unknown", 2)]


def test_r4_09_both_versions_of_a_finding_changed_twice_are_kept() -> None:
    base, now = with_findings((A, B)), with_findings((finding("code", "A", "theirs"), B))
    text = findings.render(base)
    mine = merge_findings(base, now, text.replace("about A", "mine"))
    assert [edit.commands for edit in mine.edits] == [
        (NoteFinding("code", "A", "mine", "", PERSON),)
    ]
    assert reports_of(mine) == [("note_conflict", 7)]
    renamed = text.replace("### A", "### a")
    assert commands_of(merge_findings(base, now, renamed)) == [EditFinding(1, title="a")]
    same = merge_findings(base, now, text.replace("about A", "theirs"))
    assert same == NOTHING
    gone = merge_findings(base, now, text.replace("### A\n\nabout A\n\n", ""))
    assert reports_of(gone) == [("note_kept", 1)]


def test_r4_09_a_finding_edited_while_it_was_deleted_comes_back() -> None:
    base, now = with_findings((A, B)), with_findings((A, B))
    del now.notes.findings[1]
    text = findings.render(base)
    assert merge_findings(base, now, text) == NOTHING
    [back] = commands_of(merge_findings(base, now, text.replace("about A", "more")))
    assert back == NoteFinding("code", "A", "more", "", PERSON)


def test_r4_09_how_often_a_finding_was_noted_is_not_edited_but_read() -> None:
    often = replace(A, count=4)
    base, now = with_findings((A,)), with_findings((often,))
    assert merge_findings(base, now, findings.render(base)) == NOTHING
    text = findings.render(now)
    assert merge_findings(now, now, text.replace("4 times", "5 times")) == NOTHING
    assert merge_findings(now, now, text.replace("*Count: 4 times*\n", "")) == NOTHING
    [new] = commands_of(merge_findings(None, with_findings(()), text))
    assert new == NoteFinding("code", "A", "about A", "", PERSON, 4)


def test_r4_09_a_buffer_saved_twice_adds_nothing_twice() -> None:
    base, now = with_findings((A,)), with_findings((A, B))
    assert merge_findings(base, now, findings.render(now)) == NOTHING


def test_r4_09_errors_are_added_changed_and_deleted() -> None:
    state = with_errors((E, F))
    text = errors.render(state)
    hand = '## hand\n**Message:** m\n**Params:**\n```json\n{"token": "abc"}\n```\n'
    [noted] = redact_commands(commands_of(merge_errors(state, state, text + hand)))
    assert noted == NoteError("hand", "m", '{"token":"[redacted]"}')
    changed = text.replace("E broke", "E is broken").replace("**Count:** 2 times", "", 1)
    assert commands_of(merge_errors(state, state, changed)) == [
        ForgetErrors(("k1",)),
        NoteError("E", "E is broken", '{"x":1}', count=2, at=AT),
    ]
    counted = text.replace("**Count:** 2 times", "**Count:** 9 times")
    assert commands_of(merge_errors(state, state, counted))[-1] == NoteError(
        "E", "E broke", '{"x":1}', count=9, at=AT
    )
    gone = text[: text.index("## F")]
    assert commands_of(merge_errors(state, state, gone)) == [ForgetErrors(("k2",))]
    later = text.replace("12:00:00.123", "13:00:00.123")
    assert merge_errors(state, state, later) == NOTHING


def test_r4_09_an_error_that_happened_again_meanwhile_is_counted_on() -> None:
    base, now = with_errors((E,)), with_errors((error("E", "E broke", '{"x":1}', 5),))
    text = errors.render(base)
    renamed = commands_of(merge_errors(base, now, text.replace("E broke", "Else")))
    assert renamed[1] == NoteError("E", "Else", '{"x":1}', count=5, at=AT)
    clash = merge_errors(base, now, text.replace("2 times", "3 times"))
    assert not clash.edits
    assert reports_of(clash) == [("note_conflict", 5)]


def test_a5_params_keep_no_secret_and_no_endless_text() -> None:
    assert dump_params({"api_key": "abc", "n": 1}) == '{"api_key":"[redacted]","n":1}'
    assert (
        dump_params({"argv": ["--password", "hunter2"]}) == '{"argv":["--password","[redacted]"]}'
    )
    assert dump_params(["x" * 1_001, ("y",)]) == f'["{"x" * 1_000}…",["y"]]'
    assert dump_params({"at": NOON, "odd": "\ud800"}) == f'{{"at":"{NOON}","odd":"?"}}'
    round_and_round: list[object] = []
    round_and_round.append(round_and_round)
    assert dump_params(round_and_round) == ""
    assert dump_params(["x" * 1_000] * 100) == ""
    assert dump_params({"odd": ValueError("password=hunter2")}) == '{"odd":"password=[redacted]"}'


def test_r4_09_the_deliverable_is_the_file() -> None:
    state = _completed()
    state.notes.deliverable = "# Mine\r\n\n---"
    assert deliverable.render(state) == "# Mine\r\n\n---\n"
    assert merge_deliverable(state, state, deliverable.render(state)) == NOTHING
    state.notes.deliverable = "text\n"
    assert deliverable.render(state) == "text\n"
    assert merge_deliverable(None, state, "text") == NOTHING
    [said] = redact_commands(commands_of(merge_deliverable(state, state, "token=abc12345\r\n")))
    assert said == Deliver("token=[redacted]")


def test_r4_09_a_completed_plan_is_summarized() -> None:
    state = _completed()
    assert deliverable.render(state) == SUMMARY
    assert merge_deliverable(state, state, SUMMARY.replace("\n", "\r\n")) == NOTHING
    [said] = commands_of(merge_deliverable(state, state, SUMMARY + "More.\n"))
    assert said == Deliver(SUMMARY + "More.")
    assert deliverable.render(PlanState(NOON)) == ""


def test_r0_06_the_answer_stands_before_the_summary() -> None:
    state = _completed()
    state.notes.answer = "\nAll sorted.\n"
    assert deliverable.render(state) == f"All sorted.\n\n{SUMMARY}"
    assert merge_deliverable(state, state, deliverable.render(state)) == NOTHING
    unfinished = PlanState(NOON)
    unfinished.notes.answer = "All sorted."
    assert deliverable.render(unfinished) == ""


def test_r4_09_two_different_deliverables_are_a_reported_conflict() -> None:
    base, now = _completed(), _completed()
    now.notes.deliverable = "theirs"
    assert reports_of(merge_deliverable(base, now, "mine\n")) == [("note_conflict", 1)]
    assert merge_deliverable(base, now, "theirs\n") == NOTHING
    assert merge_deliverable(base, now, SUMMARY) == NOTHING


SUMMARY = """# Ship it

> **Objective:** Ship it
> # now

## Main Tasks

- build (assumed)

  > ok
  >
  > ## done

- read (completed)

## Later

- polish (skipped)
"""


def _completed() -> PlanState:
    state = PlanState(NOON)
    main, later, empty = Phase("main", "Main Tasks"), Phase("later", "Later"), Phase("e", "Empty")
    tasks = (
        Task(1, "build", status="completed", how="assumed", result="ok\n\n## done"),
        Task(2, "read", status="completed"),
        Task(3, "polish", "later", status="skipped"),
    )
    command = CreatePlan("plan_x", "Ship it\n# now", phases=(main, later, empty), tasks=tasks)
    execute(state, (command,), NOON)
    return state
