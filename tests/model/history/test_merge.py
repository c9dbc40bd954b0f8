"""F33: what another branch of the history did comes over, under numbers of its own."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, get_args

import pytest
from msgspec.structs import replace

from outlast.language import text
from outlast.model import changes as c
from outlast.model import commands as k
from outlast.model.budget import Budget, Spend
from outlast.model.changes import Commit, fold
from outlast.model.execute import execute
from outlast.model.history.merge import BranchMerge, fork_from, is_continued
from outlast.model.model import PERSON, Check, Finding, Interjection, Prose, TaskDecision
from outlast.model.replan_position import Observation, ReplanPosition
from outlast.model.state import PlanState
from outlast.testing.conformance.all_commands import all_commands
from tests.model.indexes import assert_indexes, encode_all

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.model import Task

AT = datetime(2024, 1, 1, tzinfo=UTC)
BEGIN: tuple[k.Command, ...] = (
    k.CreatePlan("plan_a", "Goal"),
    k.AddPhase("Later"),
    k.AddTasks((k.NewTask("one"), k.NewTask("two"), k.NewTask("three", peers=(2,)))),
    k.NoteFinding("code", "known", "content"),
    k.NoteError("sh", "broke"),
    k.AskQuestion("Which?"),
)
ALL = (*((command,) for command in BEGIN[:1]), *all_commands())


def run(state: PlanState, requests: Iterable[Any], hour: int) -> list[Commit]:
    """Carry out requests on a plan, one commit each."""
    made = []
    for number, request in enumerate(requests):
        at = AT + timedelta(hours=hour, seconds=number)
        if isinstance(request, get_args(c.Change)):  # what no command leads to here
            changes: tuple[c.Change, ...] = (request,)
            fold(state, changes, state.revision + 1, at)
        else:
            commands = request if isinstance(request, tuple) else (request,)
            changes = execute(state, commands, at)
        made.append(Commit(state.revision, at, "tester", changes))
    return made


class Case:
    """Two branches from a common beginning, and their merge."""

    def __init__(
        self, own: Iterable[Any] = (), other: Iterable[Any] = (), base: Iterable[Any] = BEGIN
    ) -> None:
        self.base = PlanState(AT)
        self.common = run(self.base, base, 0)
        self.own, self.other = deepcopy(self.base), deepcopy(self.base)
        self.own_commits = run(self.own, own, 1)
        self.other_commits = run(self.other, other, 2)
        self.state = deepcopy(self.own)
        revisions = {number: number for number in range(self.base.revision + 1)}
        self.merge = BranchMerge(self.state, fork_from(self.base, revisions), self.own_commits)
        self.merge.merge(self.other_commits)
        again = PlanState(AT)
        for commit in (*self.common, *self.own_commits, *self.merge.commits):
            fold(again, commit.changes, commit.revision, commit.at)
        assert encode_all(again) == encode_all(self.state)
        assert_indexes(self.state)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        merge = self.merge
        return merge.kept, merge.partial, merge.lost, merge.questions

    @property
    def asked(self) -> list[str]:
        """What a person is asked by the merge."""
        before = self.own.ledger.conversation.last_question
        theirs = {each.text for each in self.other.ledger.conversation.questions.values()}
        questions = self.state.ledger.conversation.questions.values()
        return [each.text for each in questions if each.id > before and each.text not in theirs]

    def task(self, name: str) -> Task:
        [found] = [task for task in self.state.tasks.values() if task.name == name]
        return found


@pytest.mark.parametrize("split", range(1, len(ALL)))
def test_f33_a_branch_against_which_nothing_was_done_comes_over_as_it_is(split: int) -> None:
    case = Case((), ALL[split:], ALL[:split])
    if split < len(ALL) - 1:  # another plan is begun at the end
        case = Case((), ALL[split:-1], ALL[:split])
        for table in ("tasks", "phases"):
            assert getattr(case.state, table) == getattr(case.other, table)
        assert case.state.notes == case.other.notes
        assert case.asked == [text("merge_plan", "en", other="hold: aborted")]
    # an approval of what may be another plan; its end; two facts about attempts that never were
    assert case.merge.lost <= 4


@pytest.mark.parametrize("split", range(1, len(ALL)))
def test_f33_both_branches_may_do_anything(split: int) -> None:
    case = Case(ALL[split:-1], ALL[split:], ALL[:split])
    for finding in case.other.notes.findings.values():
        assert (finding.title, finding.content) in {
            (each.title, each.content) for each in case.state.notes.findings.values()
        }
    Case(ALL[split:], ALL[split:-1], ALL[:split])


def test_f33_what_both_added_gets_numbers_of_its_own_in_every_commit() -> None:
    added = (
        k.AddTasks((k.NewTask("four"), k.NewTask("five", peers=(1,)))),
        k.Start("ann", 4),
        (k.BeginAttempt(4, "command", "make"), k.AskQuestion("Sure?", task=4)),
        k.EndAttempt("4#1", "done", spent=Spend(1)),
        k.Complete(4, "ann", "result"),
        k.SetBudget(Budget(3), 5),
        k.NoteFinding("issue", "new", "content"),
        k.KeepProse((Prose("task:5", ("about five",)), Prose("top", ("above",)))),
        k.AddPhase("Phase"),
        k.MoveTask(5, "phase"),
    )
    renamed = tuple(
        k.AddTasks((k.NewTask("vier"), k.NewTask("fünf"))) if number == 0 else command
        for number, command in enumerate(added)
    )
    case = Case(renamed, added)
    four, five = case.task("four"), case.task("five")
    assert (four.id, five.id, five.needs, five.phase) == (6, 7, (6,), "phase")
    assert (four.status, four.result) == ("completed", "result")
    assert case.state.ledger.counters.spent[6] == Spend(1)
    assert case.state.ledger.counters.budgets[7] == Budget(3)
    assert [question.task for question in case.state.ledger.conversation.questions.values()] == [
        0,
        4,
        6,
    ]
    assert sorted(case.state.notes.findings) == [1, 2, 3]
    anchors = [prose.anchor for prose in case.state.notes.prose]
    assert anchors == ["task:5", "top", "task:7"]
    assert case.counts == (9, 0, 0, 0)  # the phase is there


@pytest.mark.parametrize(
    ("own", "other", "asked"),
    [
        (k.Complete(1, "a", "x"), k.Fail(1, "b", "y", retry=False), "failed: y"),
        (k.Complete(1, "a", "x"), (k.Start("b", 1), k.Fail(1, "b", "y")), "pending: y"),
        (k.Skip(1, "x"), k.Complete(1, "b", "y"), "completed: y"),
        (k.EditTask(1, name="x"), k.EditTask(1, name="y"), "name: y"),
        (k.EditTask(1, needs=(3,)), k.EditTask(1, needs=(2,)), "needs: 2"),
        (
            k.EditTask(1, checks=(Check("file", "x"),)),
            k.EditTask(1, checks=(Check("file", "y"),), description="d"),
            "checks: y",
        ),
        ((k.AddPhase("P"), k.MoveTask(1, "p")), k.MoveTask(1, "later"), "phase: later"),
        (k.EditPlan(goal="x"), k.EditPlan(goal="y", title="t"), "goal: y"),
        (k.Pause(), k.Abort(), "hold: aborted"),
        (k.EditPhase("later", title="x"), k.EditPhase("later", title="y"), "phase: y"),
        (k.EditPhase("later", title="x"), k.RemovePhase("later"), "phase: -Later"),
        (k.RemoveTask(1), k.EditTask(1, name="y"), "It is task 4 now"),
        (k.EditTask(1, name="x"), k.RemoveTask(1), "It was kept"),
        (k.AnswerQuestion("x", PERSON), k.AnswerQuestion("y", PERSON), "question 1: y"),
    ],
)
def test_f33_a_person_is_asked_about_what_both_changed(own: Any, other: Any, asked: str) -> None:
    case = Case([own], [other])
    [question] = case.asked
    assert asked in question
    assert case.merge.questions == 1
    if isinstance(own, k.EditTask | k.Complete | k.Skip):
        assert case.state.tasks[1].status == case.own.tasks[1].status
        assert case.state.tasks[1].name == case.own.tasks[1].name


def test_f33_a_person_is_asked_in_the_language_of_the_plan() -> None:
    case = Case([k.EditTask(1, name="x")], [k.EditTask(1, name="y")])
    state, revisions = deepcopy(case.own), {number: number for number in range(7)}
    BranchMerge(state, fork_from(case.base, revisions), []).merge(case.other_commits, "zh")
    asked = [each.text for each in state.ledger.conversation.questions.values()]
    assert asked[-1] == text("merge_task", "zh", task=1, name="x", other="name: y")


@pytest.mark.parametrize("answer", [[], [k.AnswerQuestion("x", PERSON, question=2)]])
def test_f33_what_an_earlier_merge_has_asked_is_not_asked_again(answer: list[Any]) -> None:
    case = Case([k.EditTask(1, name="x")], [k.EditTask(1, name="y")])
    asked = case.asked
    assert len(asked) == 1
    own = [*case.own_commits, *case.merge.commits, *run(case.state, answer, 3)]
    later = run(case.other, [k.AddTasks((k.NewTask("late"),))], 4)
    revisions = {number: number for number in range(case.base.revision + 1)}
    again = BranchMerge(case.state, fork_from(case.base, revisions), own)
    again.merge([*case.other_commits, *later])
    assert case.task("late").id == 4
    assert (case.asked, again.questions) == (asked, 0)


def test_f33_results_of_tasks_that_ended_alike_are_both_kept() -> None:
    case = Case([k.Complete(1, "a", "x")], [k.Complete(1, "b", "y")])
    assert (case.state.tasks[1].result, case.asked) == ("x; y", [])
    case = Case([k.Complete(1, "a", "x")], [k.Complete(1, "b", "x")])
    assert (case.state.tasks[1].result, case.asked) == ("x", [])
    case = Case([k.Complete(1, "a")], [k.Complete(1, "b", "y")])
    assert case.asked == [text("merge_task", "en", task=1, name="one", other="completed: y")]


def test_f33_an_end_in_one_branch_counts_over_a_start_in_the_other() -> None:
    other = (k.Start("b", 1), k.Complete(1, "b", "y"))
    case = Case([k.Start("a", 1)], other)
    assert (case.state.tasks[1].status, case.state.tasks[1].result) == ("completed", "y")
    case = Case([(k.Start("a", 1), k.Fail(1, "a", "x"))], other)
    assert (case.state.tasks[1].status, case.state.tasks[1].error) == ("completed", None)
    case = Case([k.Complete(1, "a", "x")], [k.Start("b", 1)])
    assert (case.state.tasks[1].result, case.asked) == ("x", [])
    case = Case([k.Start("a", 1)], [(k.Start("b", 1)), k.SetProgress(1, 1, 2)])
    assert (case.state.tasks[1].actor, case.asked) == ("a", [])


def test_f33_what_was_undone_in_its_own_branch_changes_nothing() -> None:
    case = Case([k.Complete(1, "a", "x")], [k.Complete(1, "b", "y"), k.Reopen(1)])
    assert (case.state.tasks[1].result, case.asked) == ("x", [])
    back = c.TaskAdded(replace(Case().base.tasks[1]), 0)
    case = Case([k.EditTask(1, name="x")], [k.RemoveTask(1), back])
    assert (case.state.tasks[1].name, case.asked) == ("x", [])
    case = Case([], [k.AddTasks((k.NewTask("four"),)), k.RemoveTask(4), k.Complete(1, "b")])
    assert sorted(case.state.tasks) == [1, 2, 3]
    case = Case(
        [k.AddTasks((k.NewTask("x"),))],
        [(k.AddTasks((k.NewTask("four"),)), k.AddPhase("P")), c.Undone(6), c.TaskRemoved(4)],
    )
    assert "four" not in {task.name for task in case.state.tasks.values()}
    assert case.merge.lost == 0


def test_f33_a_task_that_came_back_in_its_own_branch_keeps_its_new_number() -> None:
    added = k.AddTasks((k.NewTask("four"),))
    other = (added, c.TaskRemoved(4), c.TaskAdded(Case([added]).own.tasks[4]))
    case = Case([k.AddTasks((k.NewTask("x"),))], other)
    assert {task.id: task.name for task in case.state.tasks.values()}[5] == "four"


def test_f33_what_only_the_other_branch_removed_is_removed() -> None:
    case = Case([k.EditTask(1, name="x")], [k.RemoveTask(3), k.RemovePhase("later")])
    assert (sorted(case.state.tasks), list(case.state.phases)) == ([1, 2], ["main"])
    case = Case(
        [k.RemoveTask(3), k.RemovePhase("later")], [k.RemoveTask(3), k.RemovePhase("later")]
    )
    assert sorted(case.state.tasks) == [1, 2]
    case = Case([k.RemoveTask(3)], [k.MarkPhase("main", "blocked"), k.SetBudget(Budget(2), 1)])
    assert sorted(case.state.tasks) == [1, 2]
    assert case.state.ledger.counters.budgets == {1: Budget(2)}


def test_f33_what_concerns_a_task_that_is_gone_here_is_left_out() -> None:
    gone = k.RemoveTask(3, amend=True)
    other = (
        k.SetBudget(Budget(2), 3),
        k.Charge(Spend(1), 3),
        k.Start("b", 3),
        (k.BeginAttempt(3, "command", "make"),),
        k.EndAttempt("3#1", "lost"),
        k.Return(3),
        k.NoteRefusal("sh", "hook", "x", 3),
        k.AskQuestion("About three?", task=3),
        k.MoveTask(3, first=True),
        k.MoveTask(3, insert_after=2),
    )
    case = Case([gone], other, (*BEGIN, k.EditTask(3, needs=())))
    assert 3 not in case.state.tasks
    assert case.state.ledger.counters.spent == {0: Spend(1)}
    assert case.merge.lost + case.merge.partial >= 3


def test_f33_reports_of_attempts_come_over_with_new_names() -> None:
    started = (k.AddTasks((k.NewTask("four"),)), k.Start("ann", 4))
    reported = (
        *started,
        k.BeginAttempt(4, "delegate", "agent"),
        k.NoteReport("4#1", "codex", "SUCCESS", "s"),
        k.NoteDecision("4#1", "retry", "why", "agent", "advice"),
        k.NoteSession("4#1", "codex", "s-2"),
        k.NoteFootprint("4#1", "0a" * 20, "0b" * 20, ("x",), 1),
        k.EndAttempt("4#1", "done"),
    )
    case = Case((*started, k.BeginAttempt(4, "command", "make")), reported)
    ledger = case.state.ledger
    assert ledger.reports[5].attempt == "5#2"
    assert [(each.task, each.attempt) for each in ledger.decisions] == [(5, "5#2")]
    assert ledger.sessions["s-2"].attempt == "5#2"
    assert ledger.footprints[5].attempt == "5#2"
    assert list(ledger.attempts) == ["4#1"]
    removed = (
        *BEGIN,
        *started,
        k.BeginAttempt(4, "delegate", "agent"),
        k.EndAttempt("4#1", "lost"),
    )
    late = (
        k.NoteReport("4#1", "codex", "SUCCESS", "s"),
        k.NoteDecision("4#1", "retry", "why", "agent", "advice"),
        k.NoteFootprint("4#1", "0a" * 20, "0b" * 20, ("x",), 1),
        k.NoteSession("4#1", "codex", "s-2"),
    )
    case = Case([k.Return(4), k.RemoveTask(4)], late, removed)
    assert (case.state.ledger.reports, case.counts) == ({}, (1, 0, 3, 0))
    decided = c.DecisionNoted(TaskDecision(1, "", "next", "why", AT, "ann"))
    assert Case([], [decided]).state.ledger.decisions == (decided.decision,)
    unknown = c.SessionBegan("s", replace(ledger.sessions["s-2"], attempt="4#9"))
    assert Case([], [unknown]).merge.lost == 1


def test_f33_findings_and_errors_of_both_are_kept() -> None:
    own = (k.EditFinding(1, title="x"), k.NoteError("sh", "broke"))
    other = (
        k.EditFinding(1, title="y"),
        k.NoteError("sh", "broke", count=2),
        k.NoteError("c", "e"),
    )
    case = Case(own, other)
    assert [each.title for each in case.state.notes.findings.values()] == ["x", "y"]
    assert [each.count for each in case.state.notes.errors.values()] == [4, 1]
    assert [each.id for each in case.state.notes.errors.values()] == [1, 2]
    again = k.NoteFinding("code", "known", "content")
    counted = Case([again], [again, again])
    assert [each.count for each in counted.state.notes.findings.values()] == [4]
    case = Case([k.EditFinding(1, title="x")], [k.ForgetFinding(1)])
    assert [each.title for each in case.state.notes.findings.values()] == ["x"]
    case = Case([k.ForgetFinding(1)], [k.EditFinding(1, title="y")])
    assert [(each.id, each.title) for each in case.state.notes.findings.values()] == [(2, "y")]
    forget = k.ForgetErrors(("sh:broke",))
    assert Case([], [forget]).state.notes.errors == {}
    case = Case([k.NoteError("sh", "broke")], [forget])
    assert [each.count for each in case.state.notes.errors.values()] == [2]
    assert case.merge.lost == 1


def test_f33_deliverables_and_prose_of_both_are_kept() -> None:
    theirs = (Prose("top", ("b", "c")), Prose("phase:later", ("d",)))
    case = Case(
        [k.Deliver("x"), k.KeepProse((Prose("top", ("a", "b")),))],
        [k.Deliver("y"), k.Deliver("z"), k.KeepProse(theirs)],
    )
    assert case.state.notes.deliverable == "x\n\nz"
    assert [(each.anchor, each.lines) for each in case.state.notes.prose] == [
        ("top", ("a", "b", "c")),
        ("phase:later", ("d",)),
    ]
    assert Case([k.Deliver("x")], [k.Deliver("x")]).state.notes.deliverable == "x"


def test_f33_messages_of_people_are_read_here_too_unless_they_were() -> None:
    case = Case(
        [k.Interject("own", PERSON)],
        [k.Interject("read", PERSON), k.TakeInterjections(1), k.Interject("unread", PERSON)],
    )
    conversation = case.state.ledger.conversation
    assert [each.text for each in conversation.interjections] == ["own", "unread"]
    assert [each.text for each in conversation.heard] == ["read"]
    assert [each.id for each in conversation.messages] == [1, 2, 3]


def test_f33_questions_that_name_tasks_are_only_words_in_the_other_branch() -> None:
    other = [
        k.AskQuestion("Is this yours?", "edit", '{"ticked":[5]}'),
        k.AnswerQuestion("no", PERSON, 2),
    ]
    case = Case([k.AskQuestion("Another?")], other)
    edit = case.state.ledger.conversation.questions[3]
    assert (edit.text, edit.kind, edit.about, edit.answer) == ("Is this yours?", "ask", "", "no")


def test_f33_the_plan_is_paused_where_only_the_other_branch_paused_it() -> None:
    assert Case([], [k.Pause()]).state.hold == "paused"
    assert Case([], [k.Pause(), k.Resume()]).state.hold == ""
    assert Case([], [c.PlanRestored(begun=True, hold="paused")]).state.hold == "paused"
    case = Case([k.Complete(1, "a")], [k.Complete(2, "b"), k.Reset()])
    assert [task.status for task in case.state.tasks.values()] == [
        "completed",
        "pending",
        "pending",
    ]
    assert case.state.begun
    assert not Case([], [k.Start("a", 1), k.Reset()]).state.begun
    case = Case([k.RemoveTask(3)], [k.Reset()], (*BEGIN, k.Complete(1, "a"), k.Complete(2, "a")))
    assert {task.status for task in case.state.tasks.values()} == {"pending"}


def test_f33_an_approval_of_the_other_plan_is_no_approval_of_this_one() -> None:
    case = Case([], [k.ApprovePlan(PERSON)], (*BEGIN, k.RequireApproval()))
    assert case.state.needs_approval
    assert case.merge.lost == 1


def test_f33_phases_of_the_same_title_become_one_and_others_get_another_id() -> None:
    added = (k.AddPhase("New"), k.AddTasks((k.NewTask("n", "new"),)))
    case = Case(added, added)
    assert list(case.state.phases) == ["main", "later", "new"]
    assert [task.phase for task in case.state.tasks.values()][3:] == ["new", "new"]
    case = Case([k.AddPhase("New!")], [*added, k.MovePhase("new"), k.EditPhase("new", notes="n")])
    assert sorted(case.state.phases) == ["later", "main", "new", "new-2"]
    assert case.task("n").phase == "new-2"
    assert case.state.phases["new-2"].notes == "n"
    case = Case([k.RemovePhase("later")], [k.MoveTask(1, "later"), k.EditPhase("later", notes="n")])
    assert case.state.tasks[1].phase == "later"
    case = Case([], [k.AddPhase("P"), k.RemovePhase("p"), k.AddPhase("P")])
    assert "p" in case.state.phases


def test_f33_a_task_stands_elsewhere_if_its_place_is_gone() -> None:
    case = Case(
        [k.RemoveTask(3)], [k.AddTasks((k.NewTask("new"),), 3), k.MoveTask(1, insert_after=3)]
    )
    assert list(case.state.graph.order) == [2, 4, 1]
    case = Case(
        [k.EditPlan(order="sequential"), k.MoveTask(1)],
        [k.AddTasks((k.NewTask("new", needs=(1,)),), 1), k.MoveTask(2, first=True)],
    )
    assert case.state.order == "sequential"
    assert case.task("new").needs in ((), (1,))


def test_f33_the_loop_goes_on_where_this_branch_stands() -> None:
    position = ReplanPosition((1, 2), 1, is_planned=True, steps=3)
    seen = Observation("sh", "ls", ok=True, result="x")
    moved = k.MoveReplan(position, seen)
    case = Case([], [moved])
    assert case.state.ledger.replan == case.other.ledger.replan
    case = Case([k.MoveReplan(replace(position, steps=4))], [moved])
    assert case.state.ledger.replan.steps == 4
    assert len(case.state.ledger.observations) == 1
    assert Case([], [k.NoteLoop(stops=2)]).counts == (0, 0, 0, 0)
    assert (
        Case(
            [], [c.LoopRestored(case.state.ledger.counters, case.state.ledger.conversation)]
        ).merge.lost
        == 1
    )


def test_f33_another_plan_in_the_other_branch_is_added_to_this_one() -> None:
    begun = (k.Abort(), k.InitializePlan("plan_b", "Another", (k.NewTask("first"),)))
    case = Case([k.Complete(1, "a", "x")], begun)
    assert case.state.goal == "Goal"
    assert case.task("first").id == 4
    assert any("Another" in question for question in case.asked)
    case = Case(begun, [k.Complete(1, "b", "y")])
    assert (case.state.goal, case.task("one").result) == ("Another", "y")
    case = Case([BEGIN[0]], [BEGIN[0], BEGIN[2]], ())
    assert [task.name for task in case.state.tasks.values()] == ["one", "two", "three"]
    case = Case([], [BEGIN[0], BEGIN[2]], ())
    assert case.state.goal == "Goal"


def test_f33_a_commit_of_both_branches_is_taken_over_once() -> None:
    base = Case().base
    own, other = deepcopy(base), deepcopy(base)
    shared = k.AddTasks((k.NewTask("shared"),))
    first = run(own, [k.AddTasks((k.NewTask("x"),))], 1)
    [known] = run(own, [shared], 3)
    again = run(other, [shared], 3)
    again += run(other, [k.Complete(4, "b", "y")], 4)
    revisions = {number: number for number in range(base.revision + 1)}
    merge = BranchMerge(own, fork_from(base, revisions), [*first, known])
    merge.merge(again)
    assert own.tasks[5].result == "y"
    assert (merge.kept, merge.lost) == (1, 0)
    assert merge.revision_here(again[0].revision) == known.revision
    assert merge.last_revision == again[1].revision
    assert merge.revision_here(-1) == 0
    fork = merge.fork_at(again[0].revision, own)
    assert (fork.tasks[4], fork.base.tasks[4].status) == (5, "pending")


def test_f33_a_branch_goes_on_only_from_a_plan_that_all_of_it_fits() -> None:
    case = Case([k.RemoveTask(1)], [k.Complete(1, "b"), k.Complete(2, "b")])
    assert is_continued(case.base, case.other_commits)
    assert not is_continued(case.own, case.other_commits)
    assert not is_continued(case.other, case.own_commits)  # which is newer
    assert case.merge.first_revision == case.other_commits[0].revision


def test_f33_commits_that_do_not_fit_their_own_branch_are_lost() -> None:
    case = Case()
    merge = BranchMerge(case.state, fork_from(case.base, {}), [])
    assert (merge.first_revision, merge.last_revision) == (0, 0)
    merge.merge([Commit(7, AT, "tester", (c.TaskRemoved(9),)), Commit(8, AT, "t", (), key="k")])
    assert (merge.kept, merge.lost) == (1, 1)


def test_f33_other_kinds_of_facts() -> None:
    look = Check("person", "look")
    other = (
        k.AddTasks((k.NewTask("x", checks=(Check("person", "look"),)),)),
        k.Confirm(4, Check("person", "look"), PERSON),
    )
    case = Case([k.AddTasks((k.NewTask("y"),))], other)
    assert [given.by for given in case.state.ledger.proofs[5].confirmed] == [PERSON]
    held = (*BEGIN, k.EditTask(1, checks=(look,)))
    case = Case([k.Start("a", 1)], [k.Confirm(1, look, PERSON)], held)
    assert case.merge.lost == 1
    finding = c.FindingForgotten(9)
    assert Case(
        [], [c.FindingNoted(Finding(9, "code", "t", "c", AT)), finding]
    ).state.notes.findings.keys() == {1}
    said = c.Interjected(Interjection(5, "x", PERSON, AT))
    assert Case([], [said]).state.ledger.conversation.interjections[0].text == "x"
