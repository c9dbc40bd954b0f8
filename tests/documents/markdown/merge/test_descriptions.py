"""M1, M6, R4.02: people edit descriptions and results, and confirm what was only assumed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from outlast.documents.markdown.elements import edited_result, shown_result
from outlast.documents.markdown.merge.fields import merge_text
from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.rejected import rejection_comment
from outlast.documents.markdown.render import render
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.model import Prose, Task
from tests.documents.markdown.plan_texts import (
    NOW,
    apply_edits,
    copy,
    create_state,
    edit_file,
    names,
    prose,
    small,
)

if TYPE_CHECKING:
    from outlast.documents.markdown.merge.edits import MergeResult
    from outlast.model.commands import Command
    from outlast.model.state import PlanState


def described(*descriptions: str) -> PlanState:
    tasks = tuple(Task(n, f"job {n}", description=text) for n, text in enumerate(descriptions, 1))
    return create_state(c.CreatePlan("plan_x", "Goal", tasks=tasks, next_id=len(tasks) + 1))


def completed(result: str | None = None, how: str = "reported") -> PlanState:
    task = Task(1, "a", status="completed", result=result, how=how, actor="agent")  # type: ignore[arg-type]
    tasks = (task, Task(2, "b"))
    return create_state(c.CreatePlan("plan_x", "Goal", tasks=tasks, next_id=3, begun=True))


def edit_meanwhile(
    state: PlanState, command: Command, *changes: tuple[str, str]
) -> tuple[MergeResult, list[str]]:
    """Let a person edit the file while an agent changes the plan."""
    base, text = copy(state), render(state)
    for old, new in changes:
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    execute(state, (command,), NOW)
    found = merge(base, state, parse(text))
    return found, apply_edits(state, found)


def test_m1_a_description_is_written_edited_and_deleted_in_the_file() -> None:
    state = small("a", "b")
    found, refused = edit_file(state, ("**1** a\n", "**1** a\nUse euros,\n  not dollars.\n"))
    assert ([edit.kind for edit in found.edits], refused) == (["description"], [])
    assert state.tasks[1].description == "Use euros,\nnot dollars."
    assert "**1** a\n  Use euros,\n  not dollars.\n- [ ]" in render(state)
    edit_file(state, ("dollars", "pounds"), ("**2** b", "**2** b\n  ```\n  - [ ] x\n  ```"))
    assert state.tasks[1].description == "Use euros,\nnot pounds."
    assert (names(state), state.tasks[2].description) == (["a", "b"], "```\n- [ ] x\n```")
    edit_file(state, ("  Use euros,\n  not pounds.\n", ""))
    assert state.tasks[1].description == ""
    assert merge(copy(state), state, parse(render(state))).edits == ()


def test_m1_a_new_task_has_the_lines_below_it_as_its_description() -> None:
    state = small("a")
    edit_file(state, ("**1** a\n", "**1** a\n- [ ] b\n  about b\n\n  more\n"))
    assert state.tasks[2].description == "about b\n\nmore"
    assert state.notes.prose == ()


def test_m1_lines_that_older_plans_keep_as_prose_become_the_description() -> None:
    state = small("a", "b")
    execute(state, (prose("Use euros.", "  - see x", "", anchor="task:1"),), NOW)
    assert merge(copy(state), state, parse(render(state, bare=True), bare=True)).edits == ()
    edit_file(state, ("○ **2** b", "○ better"))
    assert state.tasks[1].description == "Use euros.\n- see x"
    assert state.notes.prose == (Prose("task:1", ("",)),)


def test_f7_changes_of_different_lines_of_a_description_are_merged() -> None:
    state = described("one\ntwo\nthree\nfour")
    command = c.EditTask(1, description="one\ntwo\nthree\nFOUR\nfive")
    found, refused = edit_meanwhile(state, command, ("  one\n", "  ONE\n"))
    assert (found.reports, refused) == ((), [])
    assert state.tasks[1].description == "ONE\ntwo\nthree\nFOUR\nfive"


def test_f7_a_conflict_of_descriptions_keeps_both_and_says_so() -> None:
    state = described("old")
    found, _ = edit_meanwhile(
        state, c.EditTask(1, description="theirs"), ("  old\n", "  mine\n\n  too\n")
    )
    (report,) = found.reports
    assert (report.text, report.details["what"]) == ("task_plan_conflict", "description")
    assert state.tasks[1].description == "theirs"
    comments = tuple(map(rejection_comment, ("mine", "too")))
    assert state.notes.prose == (Prose("task:1", comments),)
    edit_file(state, ("  theirs\n", "  mine\n  theirs\n"))
    assert comments[0] not in render(state), "the plan says so now"
    assert comments[1] in render(state)


def test_f7_a_deleted_description_that_was_changed_meanwhile_stays() -> None:
    state = described("old")
    edit_meanwhile(state, c.EditTask(1, description="theirs"), ("  old\n", ""))
    assert state.tasks[1].description == "theirs"
    assert rejection_comment("- [ ] ○ job 1 (description)") in render(state)


def test_f7_the_description_of_a_task_that_was_removed_meanwhile_is_kept() -> None:
    state = described("", "old")
    edit_meanwhile(state, c.RemoveTask(2), ("  old\n", "  mine\n"))
    assert rejection_comment("mine") in render(state)


def test_f7_a_task_whose_description_changed_meanwhile_is_not_removed() -> None:
    state = described("", "old")
    line = "- [ ] ○ **2** job 2\n  old\n"
    found, _ = edit_meanwhile(state, c.EditTask(2, description="theirs"), (line, ""))
    assert [report.text for report in found.reports] == ["task_plan_missing_changed"]
    assert names(state) == ["job 1", "job 2"]


def test_r4_02_a_file_without_ids_or_base_deletes_no_description() -> None:
    state = described("about it", "")
    for document in (parse(render(state, bare=True), bare=True), parse(render(state, bare=True))):
        assert merge(copy(state), state, document).edits == ()
    text = render(state).replace("  about it\n", "")
    assert merge(None, state, parse(text)).edits == ()
    assert len(merge(copy(state), state, parse(text)).edits) == 1


def test_m1_in_the_documents_form_plain_lines_stay_prose() -> None:
    state = described("about it")
    found, _ = edit_file(state, ("job 1\n", "job 1\nmine\n"), ids=False)
    assert (found.edits, state.tasks[1].description) == ((), "about it")
    assert state.notes.prose == (Prose("task:1", ("mine",)),)
    assert "job 1\nmine\n\n---\n" in render(state, bare=True)


@pytest.mark.parametrize(
    ("base", "current", "wanted", "merged"),
    [
        ("a", "a", "b", "b"),
        ("a\nb\nc", "a\nb\nC", "A\nb\nc", "A\nb\nC"),
        ("a\nb\nc", "b\nc", "a\nb", "b"),
        ("a\nb\nc", "a\nx\nb\nc", "a\nb\nc\ny", "a\nx\nb\nc\ny"),
        ("a\nb", "a\nx\nb", "a\nx\nb\nc", "a\nx\nb\nc"),
        ("a", "b", "c", None),
        ("a\nb", "a\nx\nb", "a\ny\nb", None),
        ("a\nb", "x\nb", "a\ny", None),
        ("\n" * 501, "\n" * 502, "a" + "\n" * 501, None),
    ],
)
def test_f7_texts_are_merged_by_their_lines(
    base: str, current: str, wanted: str, merged: str | None
) -> None:
    assert merge_text(base, current, wanted) == merged


# Results


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (None, ""),
        ("", ""),
        (" \n ", ""),
        ("done", "done"),
        (" \n done \n\n", "done"),
        ("one\ntwo", "one … (+4)"),
        ("a" * 250, "a" * 200 + " … (+50)"),
    ],
)
def test_r4_02_a_result_is_shown_in_one_line(result: str | None, shown: str) -> None:
    assert shown_result(result) == shown


def test_r4_02_the_part_of_a_result_that_is_not_shown_stays() -> None:
    assert edited_result("one\ntwo", "eins … (+4)") == "eins\ntwo"
    assert edited_result("\n one\ntwo", "eins … (+4)") == "\n eins\ntwo"
    assert edited_result("one\ntwo", "eins") == "eins"
    assert edited_result(None, "done") == "done"
    assert edited_result("done", "done … (+4)") == "done … (+4)"


def test_r4_02_a_result_is_edited_in_the_file() -> None:
    state = completed("five links:\na, b")
    assert "  - result: five links: … (+5)\n" in render(state)
    assert merge(copy(state), state, parse(render(state))).edits == ()
    found, _ = edit_file(state, ("five links: …", "six links: …"))
    assert [edit.kind for edit in found.edits] == ["result"]
    assert state.tasks[1].result == "six links:\na, b"
    edit_file(state, ("six links: … (+5)", "none"))
    assert state.tasks[1].result == "none"
    edit_file(state, ("  - result: none\n", ""))
    assert state.tasks[1].result == "none", "a missing line deletes nothing"
    edit_file(state, ("  - result: none\n", "  - result:\n"))
    assert state.tasks[1].result == ""
    assert "result" not in render(state)


def test_r4_02_a_tick_may_come_with_its_result() -> None:
    state = small("a", "b")
    edit_file(state, ("- [ ] ○ **1** a\n", "- [x] ○ **1** a\n  - result: five links\n"))
    assert (state.tasks[1].status, state.tasks[1].result) == ("completed", "five links")
    edit_file(state, ("five links\n", "six links\n- [x] new\n  - result: done\n"))
    assert [task.result for task in state.tasks_in_order()] == ["six links", "done", None]


def test_r4_02_a_result_of_an_unfinished_task_is_refused_and_kept() -> None:
    state = small("a")
    _, refused = edit_file(state, ("**1** a\n", "**1** a\n  - result: soon\n"))
    assert refused == ["result 12: no_result_yet"]
    assert rejection_comment("- result: soon") in render(state)
    execute(state, (c.Complete(1, "agent", "soon"),), NOW)
    assert "not applied" not in render(state)


def test_f7_a_conflict_of_results_keeps_both() -> None:
    state = completed("old")
    command = c.EditTask(1, result="theirs", amend=True)
    found, _ = edit_meanwhile(state, command, ("result: old", "result: mine"))
    assert [report.details["what"] for report in found.reports] == ["result"]
    assert state.tasks[1].result == "theirs"
    assert rejection_comment("- result: mine") in render(state)


def test_r4_02_a_second_result_is_reported_and_kept() -> None:
    state = completed("one")
    found, _ = edit_file(state, ("result: one\n", "result: one\n  - result: two\n"))
    assert [report.text for report in found.reports] == ["task_plan_line_twice"]
    assert rejection_comment("- result: two") in render(state)


# What was only assumed


def test_m6_a_completion_that_was_only_assumed_is_shown_as_such() -> None:
    state = completed("did it", "assumed")
    assert "  - status: assumed\n  - result: did it\n" in render(state)
    assert "assumed" not in render(state, bare=True)
    assert merge(copy(state), state, parse(render(state))).edits == ()


@pytest.mark.parametrize("result", [None, "did it"])
def test_m6_a_person_who_deletes_the_line_confirms_the_completion(result: str | None) -> None:
    state = completed(result, "assumed")
    found, refused = edit_file(state, ("  - status: assumed\n", ""))
    assert ([edit.kind for edit in found.edits], refused) == (["status"], [])
    task = state.tasks[1]
    assert (task.status, task.how, task.result) == ("completed", "reported", result)
    assert "assumed" not in render(state)


def test_m6_a_person_who_unticks_it_reopens_the_task() -> None:
    for gone in ("  - status: assumed\n", ""):
        state = completed("did it", "assumed")
        found, _ = edit_file(state, ("- [x] ●", "- [ ] ●"), (gone, ""))
        assert [edit.kind for edit in found.edits] == ["status"]
        assert state.tasks[1].status == "pending"


def test_m6_a_file_that_does_not_show_it_confirms_nothing() -> None:
    state = completed("did it", "assumed")
    bare = render(state, bare=True)
    older = render(state).replace("  - status: assumed\n  - result: did it\n", "")
    without_ids = re.sub(r"\*\*\d\*\* |  - status: assumed\n", "", render(state))
    for document in (parse(bare, bare=True), parse(bare), parse(older), parse(without_ids)):
        assert merge(copy(state), state, document).edits == ()
    confirmed = render(state).replace("  - status: assumed\n", "")
    assert merge(None, state, parse(confirmed)).edits == ()


def test_m6_what_was_confirmed_or_reopened_meanwhile_is_left_alone() -> None:
    for command in (c.Complete(1, "agent"), c.Reopen(1)):
        state = completed("did it", "assumed")
        found, _ = edit_meanwhile(state, command, ("  - status: assumed\n", ""))
        assert (found.edits, found.reports) == ((), ())
        state = completed("did it", "assumed")
        found, _ = edit_meanwhile(state, command)
        assert (found.edits, found.reports) == ((), ())


def test_m6_a_person_cannot_mark_a_completion_as_assumed() -> None:
    state = completed("did it")
    new = "  - status: assumed\n- [ ] new\n  - status: assumed\n  - result"
    found, _ = edit_file(state, ("  - result", new))
    assert {report.text for report in found.reports} == {"task_plan_assumed"}
    assert state.tasks[1].how == "reported"
    assert render(state).count(rejection_comment("- status: assumed")) == 2
    state = completed("did it", "assumed")
    execute(state, (prose(rejection_comment("- status: assumed"), anchor="task:1"),), NOW)
    assert "not applied" not in render(state)


# Needs in several lines


def test_r4_02_of_several_lines_with_needs_only_the_wrong_one_is_rejected() -> None:
    state = small("Walls", "Roof", "Paint")
    needs = "  - needs: Walls\n  - needs: 99\n  - needs: 2, nobody\n"
    found, _ = edit_file(state, ("**3** Paint\n", f"**3** Paint\n{needs}"))
    assert {report.text for report in found.reports} == {"task_plan_reference"}
    lines = {report.details["line"]: report.details["unknown"] for report in found.reports}
    assert lines == {15: ["99"], 16: ["nobody"]}
    assert state.tasks[3].needs == (1,)
    comments = tuple(map(rejection_comment, ("- needs: 99", "- needs: 2, nobody")))
    assert state.notes.prose == (Prose("task:3", comments),)
    found, _ = edit_file(state, ("  - needs: 1\n", "  - needs: 1, nobody\n"))
    assert [report.details["line"] for report in found.reports] == [14]
    assert state.tasks[3].needs == (1,)


def test_r4_02_a_rejected_title_of_a_phase_is_left_out_once_it_is_the_title() -> None:
    state = small("a")
    edit_meanwhile(state, c.EditPhase("main", title="Theirs"), ("Phase: Main Tasks", "Phase: Mine"))
    comment = rejection_comment("## ○ Phase: Mine")
    assert comment in render(state)
    execute(state, (c.EditPhase("main", title="Mine"),), NOW)
    assert comment not in render(state)
