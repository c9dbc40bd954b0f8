"""What people did to `findings.md`, `errors.md`, `deliverable.md`: three versions compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from outlast.domain.commands import CreatePlan
from outlast.domain.enact import enact
from outlast.domain.model import PERSON, Phase, Task
from outlast.domain.note_commands import (
    Deliver,
    EditFinding,
    ForgetErrors,
    ForgetFinding,
    NoteError,
    NoteFinding,
)
from outlast.domain.state import PlanState
from outlast.formats.markdown.merge.edits import Merge
from outlast.formats.markdown.notes import (
    deliverable,
    errors,
    errors_merge,
    findings,
    findings_merge,
)
from outlast.formats.markdown.notes.params import write
from tests.formats.noted import NOON, error, finding, with_errors, with_findings
from tests.formats.noted import errors as some_errors
from tests.formats.noted import findings as some_findings

if TYPE_CHECKING:
    from outlast.domain.commands import Command
    from outlast.domain.model import ErrorRecord, Finding

NOTHING = Merge()
AT = NOON.replace(microsecond=123_000)  # as the file tells it
A, B, C = (finding("code", name, f"about {name}") for name in "ABC")
E, F, G = (error(tool, f"{tool} broke", '{"x":1}', count=2) for tool in "EFG")


def wishes(found: Merge) -> list[Command]:
    assert not found.reports
    return [command for wish in found.wishes for command in wish.commands]


def told(found: Merge) -> list[tuple[str, object]]:
    return [(report.text, report.details["line"]) for report in found.reports]


@given(st.lists(some_findings, max_size=3), st.lists(some_errors, max_size=3))
def test_r4_09_a_file_that_nobody_edited_asks_for_nothing(
    found: list[Finding], wrong: list[ErrorRecord]
) -> None:
    noted, logged = with_findings(found), with_errors(wrong)
    for base in (noted, None):
        assert findings_merge.merge(base, noted, findings.render(noted)) == NOTHING
    for base in (logged, None):
        assert errors_merge.merge(base, logged, errors.render(logged)) == NOTHING


def test_r4_09_findings_are_added_changed_moved_and_taken_out() -> None:
    state = with_findings((A, B, C))
    text = findings.render(state)
    added = text + "## Insight\n\n### New\n\npassword=hunter2\n\n*Source: s*\n"
    [noted] = wishes(findings_merge.merge(state, state, added))
    assert noted == NoteFinding("insight", "New", "password=[redacted]", "s", PERSON)
    changed = text.replace("about B", "else").replace("### A", "### a")
    found = findings_merge.merge(state, state, changed)
    assert wishes(found) == [EditFinding(1, title="a"), EditFinding(2, content="else")]
    assert [wish.line for wish in found.wishes] == [7, 11]
    moved = text.replace("### C\n\nabout C\n\n", "## Issue\n\n### C\n\nabout C\n\n")
    assert wishes(findings_merge.merge(state, state, moved)) == [EditFinding(3, category="issue")]
    gone = text.replace("### C\n\nabout C\n\n", "")
    assert wishes(findings_merge.merge(state, state, gone)) == [ForgetFinding(3)]
    assert wishes(findings_merge.merge(None, state, gone)) == []


def test_r4_09_a_cut_file_takes_nothing_out() -> None:
    state = with_findings((A, B, C))
    assert told(findings_merge.merge(state, state, "")) == [("notes_blank", 1)]
    assert told(findings_merge.merge(state, state, "# Findings")) == [
        ("note_line_unknown", 1),
        ("notes_gone", 1),
    ]
    logged = with_errors((E, F, G))
    assert told(errors_merge.merge(logged, logged, "# Error Log\n")) == [("notes_gone", 1)]


def test_r4_09_what_cannot_be_understood_is_told_and_nothing_of_it_is_lost() -> None:
    state = with_findings((A, B))
    text = findings.render(state).replace("## Code", "loose\n## Stuff")
    found = findings_merge.merge(state, state, text)
    assert not found.wishes
    assert told(found) == [
        ("note_line_unknown", 5),
        ("note_category_unknown", 6),
        ("note_line_unknown", 8),
        ("note_line_unknown", 12),
    ]
    found = errors_merge.merge(None, with_errors(()), "hello\n##\n**Message:** m\n")
    assert not found.wishes
    assert told(found) == [("note_line_unknown", 1), ("note_line_unknown", 2)]


def test_r4_09_two_who_change_a_finding_are_both_kept() -> None:
    base, now = with_findings((A, B)), with_findings((finding("code", "A", "theirs"), B))
    text = findings.render(base)
    mine = findings_merge.merge(base, now, text.replace("about A", "mine"))
    assert [wish.commands for wish in mine.wishes] == [
        (NoteFinding("code", "A", "mine", "", PERSON),)
    ]
    assert told(mine) == [("note_clash", 7)]
    renamed = text.replace("### A", "### a")
    assert wishes(findings_merge.merge(base, now, renamed)) == [EditFinding(1, title="a")]
    same = findings_merge.merge(base, now, text.replace("about A", "theirs"))
    assert same == NOTHING
    gone = findings_merge.merge(base, now, text.replace("### A\n\nabout A\n\n", ""))
    assert told(gone) == [("note_kept", 1)]


def test_r4_09_a_finding_edited_while_it_was_taken_out_comes_back() -> None:
    base, now = with_findings((A, B)), with_findings((A, B))
    del now.notes.findings[1]
    text = findings.render(base)
    assert findings_merge.merge(base, now, text) == NOTHING
    [back] = wishes(findings_merge.merge(base, now, text.replace("about A", "more")))
    assert back == NoteFinding("code", "A", "more", "", PERSON)


def test_r4_09_a_buffer_saved_twice_adds_nothing_twice() -> None:
    base, now = with_findings((A,)), with_findings((A, B))
    assert findings_merge.merge(base, now, findings.render(now)) == NOTHING


def test_r4_09_errors_are_added_changed_and_taken_out() -> None:
    state = with_errors((E, F))
    text = errors.render(state)
    hand = '## hand\n**Message:** m\n**Params:**\n```json\n{"token": "abc"}\n```\n'
    [noted] = wishes(errors_merge.merge(state, state, text + hand))
    assert noted == NoteError("hand", "m", '{"token":"[redacted]"}')
    changed = text.replace("E broke", "E is broken").replace("**Count:** 2 times", "", 1)
    assert wishes(errors_merge.merge(state, state, changed)) == [
        ForgetErrors(("k1",)),
        NoteError("E", "E is broken", '{"x":1}', count=2, at=AT),
    ]
    counted = text.replace("**Count:** 2 times", "**Count:** 9 times")
    assert wishes(errors_merge.merge(state, state, counted))[-1] == NoteError(
        "E", "E broke", '{"x":1}', count=9, at=AT
    )
    gone = text[: text.index("## F")]
    assert wishes(errors_merge.merge(state, state, gone)) == [ForgetErrors(("k2",))]
    later = text.replace("12:00:00.123", "13:00:00.123")
    assert errors_merge.merge(state, state, later) == NOTHING


def test_r4_09_an_error_that_came_again_meanwhile_is_counted_on() -> None:
    base, now = with_errors((E,)), with_errors((error("E", "E broke", '{"x":1}', 5),))
    text = errors.render(base)
    renamed = wishes(errors_merge.merge(base, now, text.replace("E broke", "Else")))
    assert renamed[1] == NoteError("E", "Else", '{"x":1}', count=5, at=AT)
    clash = errors_merge.merge(base, now, text.replace("2 times", "3 times"))
    assert not clash.wishes
    assert told(clash) == [("note_clash", 5)]


def test_a5_params_keep_no_secret_and_no_endless_text() -> None:
    assert write({"api_key": "abc", "n": 1}) == '{"api_key":"[redacted]","n":1}'
    assert write({"argv": ["--password", "hunter2"]}) == '{"argv":["--password","[redacted]"]}'
    assert write(["x" * 1_001, ("y",)]) == f'["{"x" * 1_000}…",["y"]]'
    assert write({"at": NOON, "odd": "\ud800"}) == f'{{"at":"{NOON}","odd":"?"}}'
    round_and_round: list[object] = []
    round_and_round.append(round_and_round)
    assert write(round_and_round) == ""
    assert write(["x" * 1_000] * 100) == ""
    [noted] = wishes(
        errors_merge.merge(None, with_errors(()), "## t\n**Params:**\n```\npassword=hunter2 x\n```")
    )
    assert noted == NoteError("t", "", "password=[redacted] x")


def test_r4_09_what_was_delivered_is_the_file() -> None:
    state = _completed()
    state.notes.deliverable = "# Mine\r\n\n---"
    assert deliverable.render(state) == "# Mine\r\n\n---\n"
    assert deliverable.merge(state, state, deliverable.render(state)) == NOTHING
    state.notes.deliverable = "text\n"
    assert deliverable.render(state) == "text\n"
    assert deliverable.merge(None, state, "text") == NOTHING
    [said] = wishes(deliverable.merge(state, state, "token=abc12345\r\n"))
    assert said == Deliver("token=[redacted]")


def test_r4_09_a_completed_plan_tells_what_came_of_it() -> None:
    state = _completed()
    assert deliverable.render(state) == SUMMARY
    assert deliverable.merge(state, state, SUMMARY.replace("\n", "\r\n")) == NOTHING
    [said] = wishes(deliverable.merge(state, state, SUMMARY + "More.\n"))
    assert said == Deliver(SUMMARY + "More.")
    assert deliverable.render(PlanState(NOON)) == ""


def test_r4_09_two_who_deliver_differently_are_told() -> None:
    base, now = _completed(), _completed()
    now.notes.deliverable = "theirs"
    assert told(deliverable.merge(base, now, "mine\n")) == [("note_clash", 1)]
    assert deliverable.merge(base, now, "theirs\n") == NOTHING
    assert deliverable.merge(base, now, SUMMARY) == NOTHING


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
    enact(state, (command,), NOON)
    return state
