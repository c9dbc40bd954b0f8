"""R4.02: what a commit changed, in phrases of both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast import create_plan
from outlast.documents.change_words import Phrases, PlanBefore, list_phrases
from outlast.language import text
from outlast.model import changes as c
from outlast.model import commands
from outlast.model.execute import return_commit
from outlast.model.model import PERSON, Finding, Phase, Prose, Task
from tests.documents.markdown.plan_texts import NOW, small

if TYPE_CHECKING:
    from outlast.model.changes import Change


def describe(*changes: Change) -> str:
    """Return the line about changes of a plan with the tasks `a`, `b` and `c`."""
    return list_phrases(small("a", "b", "c"), c.Commit(9, NOW, PERSON, changes)).explain()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (c.PlanEdited(title="T"), 'changed the title to "T"'),
        (c.PlanEdited(order="sequential"), ""),
        (c.PhaseAdded(Phase("p", "P"), 1), 'added phase "P"'),
        (c.PhaseMoved("main", 0), 'moved phase "Main Tasks"'),
        (c.PhaseRemoved("gone"), 'removed phase "gone"'),
        (c.PhaseEdited(Phase("main", "M")), 'renamed phase "Main Tasks" to "M"'),
        (
            c.PhaseEdited(Phase("main", "Main Tasks", "n")),
            'changed the notes of phase "Main Tasks"',
        ),
        (c.TaskMoved(2, "main", 0), "moved 2"),
        (c.TaskStarted(2, "x"), "started 2"),
        (c.TaskSkipped(2), "skipped 2"),
        (c.TaskFailed(2, "no"), "marked 2 as failed"),
        (c.TaskReopened(2), "reopened 2"),
        (c.TaskReturned(2), "set 2 back to pending"),
        (c.TaskRemoved(2), 'removed 2 "b"'),
        (c.TaskRemoved(7), 'removed 7 ""'),
        (c.TaskEdited(2, needs=(1,)), '2 "b" now waits for 1'),
        (c.TaskEdited(2, description="d"), "changed the description of 2"),
        (c.TaskAdded(Task(4, "x" * 99)), f'added 4 "{"x" * 79}…"'),
        (c.TaskAdded(Task(4, "a\x1b\nb")), 'added 4 "a\\x1b b"'),
        (c.ProseKept((Prose("head", ("Mine.",)),)), "changed your notes"),
        (c.ProseKept(()), ""),
        (c.Undone(3), "undid r3"),
        (c.PlanBegun(), ""),
        (c.PlanEdited(goal="G"), 'changed the goal to "G"'),
        (c.PlanPaused(), "paused the plan"),
        (c.PlanResumed(), "resumed the plan"),
        (c.TaskEdited(2, name="B", checks=()), 'renamed 2 to "B", changed the checks of 2'),
        (c.FindingNoted(Finding(1, "code", "A trap", "t", NOW)), 'changed finding "A trap"'),
        (c.FindingForgotten(3), "removed finding 3"),
        (c.TaskCompleted(2), "completed 2"),
    ],
)
def test_r4_02_each_kind_of_change_has_its_phrase(change: Change, line: str) -> None:
    assert describe(change) == line


def test_r4_02_what_follows_comes_last_and_each_phrase_once() -> None:
    added = c.TaskAdded(Task(4, "d", needs=(1,)))
    dropped = c.TaskEdited(4, needs=())
    line = 'added 4 "d", completed 4; 4 "d" no longer waits for 1'
    assert describe(added, dropped, c.TaskStarted(4, "x"), c.TaskCompleted(4), dropped) == line


def test_r4_02_what_happens_again_is_told_once() -> None:
    moved = c.TaskMoved(2, "main", 0)
    assert describe(moved, moved) == "moved 2"


def test_r4_02_a_long_list_of_phrases_is_cut() -> None:
    line = describe(*(c.TaskMoved(number, "main", 0) for number in range(1, 14)))
    assert line.endswith("moved 10; and 3 more")
    assert Phrases().explain() == ""


def test_r4_02_a_completion_before_what_it_needs_is_told() -> None:
    before = small("a", "b")
    added = c.TaskAdded(Task(3, "c", needs=(1, 2)))
    started = c.Commit(8, NOW, PERSON, (c.TaskStarted(1, "x"), c.TaskCompleted(1)))
    for change in started.changes:
        change.apply(before, NOW)
    told = list_phrases(
        PlanBefore.of(before), c.Commit(9, NOW, PERSON, (added, c.TaskCompleted(3)))
    )
    assert told.explain() == 'added 3 "c", completed 3 "c" without waiting for 2'


def test_r4_02_a_commit_of_a_real_plan_is_described_in_both_languages() -> None:
    with create_plan("memory:", "Ship", actor=PERSON) as plan:
        plan.add("Walls")
        plan.add("Publish", needs=[1])
        edits = (commands.EditPlan("Sail"), commands.Complete(2, PERSON, amend=True))
        commit = plan.core.commit(edits, return_commit)
        phrases = list_phrases(plan.core.store.state_before(commit.revision), commit)
    details = {"name": "task_plan.md", "changes": phrases}
    assert text("edit_applied", "en", **details) == (
        'From task_plan.md: changed the goal to "Sail", completed 2 "Publish" without waiting for 1'
    )
    assert text("edit_applied", "zh", **details) == (
        "来自 task_plan.md：把目标改为“Sail”，未等 1 就完成 2“Publish”"
    )
