"""X7: which commits can still be undone, why others cannot, and what is left then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.errors import InvalidStatus
from outlast.model import commands as c
from outlast.model.changes import fold
from outlast.model.history.content import content_of
from outlast.model.history.undo import newest_change, undo_changes, undoable_commits
from outlast.model.model import MAIN, PERSON, Check, Phase
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes
from tests.model.strategies import BEGINNING
from tests.model.timed_plan import TimedPlan

if TYPE_CHECKING:
    from outlast.model.changes import Commit
    from outlast.model.model import Order


def before(plan: TimedPlan, revision: int) -> PlanState:
    state = PlanState(BEGINNING)
    for commit in plan.commits[: revision - 1]:
        fold(state, commit.changes, commit.revision, commit.at)
    return state


def undo(plan: TimedPlan, commit: Commit) -> Commit:
    later = plan.commits[commit.revision :]
    changes = undo_changes(before(plan, commit.revision), commit, later, actor=PERSON)
    return plan.do(c.Undo(commit.revision, plan.state.revision, changes))


def refused(plan: TimedPlan, commit: Commit) -> tuple[object, object]:
    """Expect that a commit cannot be taken back; return what changed since, and when."""
    with pytest.raises(InvalidStatus) as caught:
        undo_changes(
            before(plan, commit.revision), commit, plan.commits[commit.revision :], actor=PERSON
        )
    assert caught.value.text == "cannot_undo_since"
    assert caught.value.details["revision"] == commit.revision
    assert commit not in undoable_commits(
        before(plan, commit.revision), plan.commits[commit.revision - 1 :], actor=PERSON
    )
    return caught.value.details["what"], caught.value.details["by"]


def names(plan: TimedPlan) -> list[str]:
    return [task.name for task in plan.state.tasks_in_order()]


def add(plan: TimedPlan, name: str, *needs: int, after: int | None = None) -> Commit:
    return plan.do(c.AddTasks((c.NewTask(name, needs=needs),), after))


def test_x7_an_older_commit_is_undone_and_later_changes_stay() -> None:
    plan = TimedPlan(2)
    renamed = plan.do(c.EditTask(1, name="first", reasoning="because"))
    plan.do(c.Start("ann", 1))
    add(plan, "third")
    plan.do(c.EditPlan(goal="Other"))
    undo(plan, renamed)
    assert names(plan) == ["task 0", "task 1", "third"]
    assert plan.state.tasks[1].reasoning == ""
    assert plan.status(1) == "in_progress"
    assert plan.state.goal == "Other"


def test_x7_what_was_changed_again_is_named_with_the_last_revision_that_did() -> None:
    plan = TimedPlan(2)
    first = plan.do(c.EditTask(1, name="first"))
    plan.do(c.EditTask(1, name="again"))
    again = plan.do(c.EditTask(1, name="first"))
    plan.do(c.EditTask(1, reasoning="because"))
    assert refused(plan, first) == (["tasks[1].name"], again.revision)


def test_x7_a_later_change_that_was_undone_does_not_count() -> None:
    plan = TimedPlan(2)
    first = plan.do(c.EditTask(1, name="first"))
    undone = undo(plan, plan.do(c.EditTask(1, name="again")))
    redone = undo(plan, undone)
    assert refused(plan, first) == (["tasks[1].name"], redone.revision - 2)
    undo(plan, redone)
    undo(plan, first)
    assert names(plan) == ["task 0", "task 1"]


def test_x7_an_undo_of_something_older_counts_as_a_change() -> None:
    plan = TimedPlan(2)
    first = plan.do(c.EditPlan(title="One"))
    moved = plan.do(c.MoveTask(1, insert_after=2))
    paused = plan.do(c.Pause())
    undone = undo(plan, moved)
    undo(plan, first)
    undo(plan, paused)
    assert refused(plan, moved) == (["tasks[1].place"], undone.revision)


@pytest.mark.parametrize("order", ["graph", "sequential"])
def test_x7_a_task_that_others_depend_on_now_stays(order: Order) -> None:
    plan = TimedPlan(1, order)
    added = add(plan, "two")
    linked = add(plan, "three", 2)
    assert refused(plan, added) == (["tasks[3].needs"], linked.revision)
    loosened = plan.do(c.EditTask(3, needs=()))
    undo(plan, added)
    assert names(plan) == ["task 0", "three"]
    assert refused(plan, loosened)[0] == ["tasks[3].needs"]


def test_x7_what_is_gone_by_now_is_named_once() -> None:
    plan = TimedPlan(1)
    added = add(plan, "two")
    gone = plan.do(c.RemoveTask(2))
    assert refused(plan, added) == (["tasks[2]"], gone.revision)


def test_x7_tasks_after_an_added_one_move_up() -> None:
    plan = TimedPlan(1)
    added = add(plan, "two")
    add(plan, "three", after=2)
    undo(plan, added)
    assert names(plan) == ["task 0", "three"]


def test_x7_a_dependency_on_a_task_that_is_gone_by_now_does_not_come_back() -> None:
    plan = TimedPlan(2)
    plan.do(c.EditTask(2, needs=(1,)))
    loosened = plan.do(c.EditTask(2, needs=()))
    gone = plan.do(c.RemoveTask(1))
    assert refused(plan, loosened) == (["tasks[2].needs"], gone.revision)


def test_x7_a_removed_task_comes_back_where_it_stood() -> None:
    plan = TimedPlan(4)
    second = plan.do(c.RemoveTask(2))
    third = plan.do(c.RemoveTask(3))
    add(plan, "new", after=1)
    undo(plan, third)
    assert names(plan) == ["task 0", "task 2", "new", "task 3"]
    undo(plan, second)
    assert names(plan) == ["task 0", "task 1", "task 2", "new", "task 3"]


def test_x7_the_first_task_comes_back_to_the_front_of_its_phase() -> None:
    plan = TimedPlan(2)
    plan.do(c.AddPhase("Build"))
    plan.do(c.AddTasks((c.NewTask("a", "build"), c.NewTask("b", "build"))))
    gone = plan.do(c.RemoveTask(3))
    add(plan, "last")
    undo(plan, gone)
    assert names(plan) == ["task 0", "task 1", "last", "a", "b"]


def test_x7_tasks_that_were_removed_together_come_back_with_what_they_depend_on() -> None:
    plan = TimedPlan(1)
    plan.do(c.AddTasks((c.NewTask("two", peers=(2,)), c.NewTask("three"))))
    gone = plan.do(c.RemoveTask(2), c.RemoveTask(3))
    add(plan, "four")
    undo(plan, gone)
    assert plan.state.tasks[2].needs == (3,)
    assert names(plan) == ["task 0", "two", "three", "four"]


def test_x7_a_moved_task_goes_back_unless_it_was_moved_again_or_removed() -> None:
    plan = TimedPlan(3)
    moved = plan.do(c.MoveTask(1, insert_after=3))
    add(plan, "new", after=3)
    again = plan.do(c.MoveTask(1, first=True))
    assert refused(plan, moved) == (["tasks[1].place"], again.revision)
    undo(plan, again)
    undo(plan, moved)
    assert names(plan) == ["task 0", "task 1", "task 2", "new"]
    once_more = plan.do(c.MoveTask(1, insert_after=2))
    gone = plan.do(c.RemoveTask(1))
    assert refused(plan, once_more) == (["tasks[1].place"], gone.revision)


def test_x7_phases_come_and_go_and_move_as_long_as_nothing_is_put_into_them() -> None:
    plan = TimedPlan(1)
    added = plan.do(c.AddPhase("Build", "notes"))
    plan.do(c.AddPhase("Test"))
    edited = plan.do(c.EditPhase("build", "Make"))
    moved = plan.do(c.MovePhase("test", None))
    assert refused(plan, added) == (["phases[build].title"], edited.revision)
    undo(plan, edited)
    filled = plan.do(c.MoveTask(1, "build"))
    assert refused(plan, added) == (["tasks[1].phase"], filled.revision)
    undo(plan, filled)
    undo(plan, added)
    assert list(plan.state.phases) == ["test", "main"]
    undo(plan, moved)
    assert list(plan.state.phases) == ["main", "test"]


def test_x7_a_phase_comes_back_where_it_stood() -> None:
    plan = TimedPlan(1)
    for title in ("Build", "Test"):
        plan.do(c.AddPhase(title))
    gone = plan.do(c.RemovePhase("build"))
    plan.do(c.EditPhase("test", "Check"))
    undo(plan, gone)
    assert list(plan.state.phases.values()) == [
        MAIN,
        Phase("build", "Build"),
        Phase("test", "Check"),
    ]


def test_x7_a_phase_that_was_moved_again_or_taken_out_stays() -> None:
    plan = TimedPlan(1)
    plan.do(c.AddPhase("Build"))
    moved = plan.do(c.MovePhase("build", None))
    again = plan.do(c.MovePhase("build", "main"))
    assert refused(plan, moved) == (["phases[build].place"], again.revision)


def test_x7_the_last_phase_stays() -> None:
    plan = TimedPlan(0)
    added = plan.do(c.AddPhase("Build"))
    gone = plan.do(c.RemovePhase("main"))
    assert refused(plan, added) == (["phases[main]"], gone.revision)


def test_x7_a_task_does_not_come_back_into_a_phase_that_is_gone() -> None:
    plan = TimedPlan(1)
    plan.do(c.AddPhase("Build"))
    plan.do(c.AddTasks((c.NewTask("a", "build"),)))
    removed = plan.do(c.RemoveTask(2))
    gone = plan.do(c.RemovePhase("build"))
    assert refused(plan, removed) == (["tasks[2].phase"], gone.revision)


def test_x7_dependencies_that_would_form_a_circle_by_now_do_not_come_back() -> None:
    plan = TimedPlan(3)
    plan.do(c.EditTask(2, needs=(1,)))
    loosened = plan.do(c.EditTask(2, needs=()))
    turned = plan.do(c.EditTask(1, needs=(2,)))
    plan.do(c.EditTask(3, name="other"))
    assert refused(plan, loosened) == (["tasks[1].needs"], turned.revision)


def test_x7_a_sequence_does_not_come_back_if_something_depends_on_a_later_task_by_now() -> None:
    plan = TimedPlan(2, "sequential")
    turned = plan.do(c.EditPlan(order="graph"))
    linked = plan.do(c.EditTask(1, needs=(2,)))
    assert refused(plan, turned) == (["tasks[1].needs"], linked.revision)


def test_x7_a_completion_stays_that_others_have_built_on() -> None:
    plan = TimedPlan(3)
    plan.do(c.EditTask(2, needs=(1,)))
    done = plan.do(c.Complete(1, "ann"))
    plan.do(c.Skip(3))
    started = plan.do(c.Start("bob", 2))
    assert refused(plan, done) == (["tasks[2].status"], started.revision)
    undo(plan, started)
    undo(plan, done)
    assert [task.status for task in plan.state.tasks_in_order()] == [
        "pending",
        "pending",
        "skipped",
    ]


def test_x7_in_a_sequence_every_later_task_builds_on_a_completion() -> None:
    plan = TimedPlan(3, "sequential")
    done = plan.do(c.Complete(1, "ann"))
    add(plan, "four")
    started = plan.do(c.Start("bob", 2))
    assert refused(plan, done) == (["tasks[2].status"], started.revision)
    add(plan, "five", after=2)
    for task in (2, 5, 3):
        plan.do(c.Complete(task, "bob"))
    assert refused(plan, done)[0] == ["tasks[2].status", "tasks[5].status", "tasks[3].status"]


def test_x7_a_dependency_that_was_taken_out_stays_out_once_the_task_is_begun() -> None:
    plan = TimedPlan(2)
    plan.do(c.EditTask(2, needs=(1,)))
    loosened = plan.do(c.EditTask(2, needs=()))
    started = plan.do(c.Start("bob", 2))
    assert refused(plan, loosened) == (["tasks[2].status"], started.revision)


def test_x7_work_has_begun_as_long_as_a_task_was_worked_on() -> None:
    plan = TimedPlan(2)
    first = plan.do(c.Start("ann", 1))
    second = plan.do(c.Start("bob", 2))
    undo(plan, first)
    assert plan.state.begun
    assert plan.status(1) == "pending"
    plan = TimedPlan(2)
    first = plan.do(c.Start("ann", 1))
    undo(plan, plan.do(c.Start("bob", 2)))
    undo(plan, first)
    assert not plan.state.begun
    assert second.revision == first.revision + 1


def test_x7_a_pause_is_undone_and_the_beginning_of_work_stays() -> None:
    plan = TimedPlan(2)
    paused = plan.do(c.Pause())
    plan.do(c.EditTask(1, name="one"))
    undo(plan, paused)
    assert plan.state.hold == ""
    plan.do(c.Start("ann", 1))
    assert plan.state.begun


def test_x7_a_reset_comes_after_all_work_and_can_be_undone() -> None:
    plan = TimedPlan(2)
    done = plan.do(c.Complete(1, "ann"))
    opened = plan.do(c.Reopen(1))
    plan.do(c.Start("ann", 2))
    reset = plan.do(c.Reset())
    assert refused(plan, opened) == (["tasks[1].status"], reset.revision)
    assert refused(plan, done) == (["tasks[1].status"], reset.revision)
    add(plan, "three")
    undo(plan, reset)
    assert plan.status(2) == "in_progress"
    assert plan.state.begun


def test_x7_another_plan_that_followed_puts_an_end_to_undoing() -> None:
    plan = TimedPlan(1)
    edited = plan.do(c.EditTask(1, name="one"))
    plan.do(c.Skip(1))
    followed = plan.do(c.InitializePlan("plan_b", "Next", (c.NewTask("two"),)))
    added = add(plan, "three")
    with pytest.raises(InvalidStatus) as caught:
        undo_changes(
            before(plan, edited.revision), edited, plan.commits[edited.revision :], actor=PERSON
        )
    assert caught.value.details == {"revision": followed.revision}
    assert undoable_commits(PlanState(BEGINNING), plan.commits, actor=PERSON) == [added]


def test_x7_undoing_a_takeover_also_ends_its_claim() -> None:
    plan = TimedPlan(2)
    plan.claim("ann", 1, 1)
    plan.wait(1)
    plan.claim("bob", 1)
    taken = plan.commits[-1]
    add(plan, "three")
    undo(plan, taken)
    assert plan.state.tasks[1].actor == "ann"
    assert plan.state.ledger.leases == {}


def test_x7_the_order_of_everything_else_is_left_alone() -> None:
    plan = TimedPlan(3)
    moved = plan.do(c.MoveTask(3, first=True))
    plan.do(c.MoveTask(1, insert_after=2))
    undo(plan, moved)
    assert [*content_of(plan.state).tasks] == [2, 3, 1]


def test_x7_undoing_a_task_added_and_started_at_once_leaves_no_actor_busy() -> None:
    plan = TimedPlan(1)
    both = plan.do(c.AddTasks((c.NewTask("new"),)), c.Start("ann", 2))
    undo(plan, both)
    assert names(plan) == ["task 0"]
    assert_indexes(plan.state)
    plan.do(c.Start("ann", 1))
    assert plan.state.tasks_by_actor == {"ann": [1]}


LOOK = Check("person", "look")


def undo_refusal(plan: TimedPlan, commit: Commit, actor: str) -> str:
    """Return why an actor cannot undo a commit; an empty text if it can."""
    later = plan.commits[commit.revision :]
    try:
        undo_changes(before(plan, commit.revision), commit, later, actor=actor)
        reason = ""
    except InvalidStatus as error:
        reason = error.text
    undoable = undoable_commits(before(plan, 1), plan.commits, actor=actor)
    assert (commit in undoable) is (reason == "")
    return reason


def test_a13_an_agent_undoes_its_own_commits_and_a_person_undoes_all() -> None:
    plan = TimedPlan()
    commit = plan.do(c.EditTask(1, name="first"))
    assert commit.author == "tester"
    assert undo_refusal(plan, commit, "tester") == ""
    assert undo_refusal(plan, commit, PERSON) == ""
    assert undo_refusal(plan, commit, "other agent") == "undo_not_own"
    assert undo_refusal(plan, commit, "tester/1") == "undo_not_own"


@pytest.mark.parametrize(
    "command",
    [
        c.EditTask(1, checks=(LOOK,)),
        c.EditTask(1, protect=("tests/**",)),
        c.EditTask(1, name="first", checks=(LOOK,), protect=("tests/**",)),
        c.AddTasks((c.NewTask("a"), c.NewTask("b", checks=(LOOK,)))),
        c.AddTasks((c.NewTask("a", protect=("x",)),)),
    ],
)
def test_a13_no_agent_undoes_a_commit_that_sets_checks_or_protected_files(
    command: c.Command,
) -> None:
    plan = TimedPlan()
    commit = plan.do(command)
    assert undo_refusal(plan, commit, "tester") == "undo_of_checks"
    assert undo_refusal(plan, commit, PERSON) == ""


def test_a13_what_removes_a_task_with_checks_can_be_undone_by_its_author() -> None:
    plan = TimedPlan()
    plan.do(c.EditTask(1, checks=(LOOK,), protect=("x",)))
    removed = plan.do(c.RemoveTask(1))
    assert undo_refusal(plan, removed, "tester") == ""
    undo(plan, removed)
    assert plan.state.tasks[1].checks == (LOOK,)


def test_x7_the_newest_change_is_one_that_the_actor_may_undo() -> None:
    plan = TimedPlan(1)
    mine = add(plan, "mine")
    assert newest_change(plan.commits, PERSON) == mine
    undo(plan, mine)
    assert newest_change(plan.commits, PERSON).revision == mine.revision - 1
    undo(plan, plan.commits[-1])  # the undo itself is taken back
    assert newest_change(plan.commits, PERSON) == mine
    assert newest_change(plan.commits, "stranger") == mine
    assert newest_change(plan.commits[1:], "stranger") == mine
    for commits in (plan.commits[:1], []):
        with pytest.raises(InvalidStatus, match="nothing"):
            newest_change(commits, PERSON)
