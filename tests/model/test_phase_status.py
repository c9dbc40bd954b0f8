"""R4.03: the status of a phase follows from its tasks, unless it was marked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from outlast.errors import PhaseNotFound
from outlast.model import commands as c
from outlast.model.commands import MarkPhase, NoteFinding, NoteProof
from outlast.model.model import FINISHED, MAIN, PERSON, Phase, PhaseStatus, Proof, Task
from outlast.model.phase_status import drawn_status, phase_status, phase_tasks
from tests.model.history.test_salvage_properties import history, scripts
from tests.model.strategies import BEGINNING, Request, plans
from tests.model.timed_plan import TimedPlan


def standing(*tasks: Task) -> PhaseStatus:
    plan = TimedPlan(0)
    plan.state.clear(plan.now)
    plan.do(c.CreatePlan("plan_b", "Goal", tasks=tasks))
    return phase_status(plan.state, "main")


OPEN = Task(1, "open")
BUSY = Task(2, "busy", status="in_progress", actor="ann")
DONE = Task(3, "done", status="completed")
SKIPPED = Task(4, "skipped", status="skipped")
FAILED = Task(5, "failed", status="failed")
BLOCKED = Task(6, "blocked", needs=(5,))
WAITING = Task(7, "waiting", needs=(9,))


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ((), "pending"),
        ((OPEN,), "pending"),
        ((DONE,), "completed"),
        ((DONE, SKIPPED), "completed"),
        ((SKIPPED, OPEN), "in_progress"),
        ((DONE, OPEN), "in_progress"),
        ((BUSY,), "in_progress"),
        ((BUSY, FAILED, BLOCKED), "in_progress"),
        ((FAILED,), "blocked"),
        ((FAILED, BLOCKED), "blocked"),
        ((DONE, FAILED), "blocked"),
        ((OPEN, FAILED), "pending"),
        ((OPEN, FAILED, DONE), "in_progress"),
    ],
)
def test_r4_03_a_phase_is_as_its_tasks_are(tasks: tuple[Task, ...], expected: PhaseStatus) -> None:
    assert standing(*tasks) == expected


@pytest.mark.parametrize(
    ("tasks", "drawn"),
    [
        ((WAITING,), "pending"),
        ((WAITING, DONE), "in_progress"),
        ((WAITING, FAILED), "blocked"),
        ((BUSY, FAILED), "in_progress"),
    ],
)
def test_r4_02_a_phase_that_merely_waits_is_not_drawn_as_blocked(
    tasks: tuple[Task, ...], drawn: PhaseStatus
) -> None:
    plan = TimedPlan(0)
    plan.state.clear(plan.now)
    first = Task(9, "first", "first")
    phases = (Phase("first", "First"), MAIN)
    plan.do(c.CreatePlan("plan_b", "Goal", phases=phases, tasks=(first, *tasks)))
    assert drawn_status(plan.state, "main") == drawn
    plan.do(c.MarkPhase("main", "blocked"))
    assert drawn_status(plan.state, "main") == "blocked"


@settings(max_examples=50, deadline=None, derandomize=True)
@given(plans, scripts)
def test_r4_03_the_roll_up_follows_its_rules(
    plan: c.CreatePlan, script: list[Request | None]
) -> None:
    state, _ = history(plan, script)
    for phase in state.phases:
        tasks = [task for task in state.tasks_in_order() if task.phase == phase]
        assert phase_tasks(state, phase) == tasks
        if phase in state.ledger.phase_marks:
            assert phase_status(state, phase) == state.ledger.phase_marks[phase]
            continue
        waiting = [task for task in tasks if task.status == "failed" or state.blocked_by(task)]
        finished = [task for task in tasks if task.status in FINISHED]
        expected = "in_progress" if finished else "pending"
        if tasks and len(waiting) + len(finished) == len(tasks):
            expected = "blocked"
        if any(task.status == "in_progress" for task in tasks):
            expected = "in_progress"
        if tasks and len(finished) == len(tasks):
            expected = "completed"
        assert phase_status(state, phase) == expected


def marked() -> TimedPlan:
    """Return a plan with two phases, both marked; `later` has the tasks 4 and 5."""
    plan = TimedPlan()
    plan.do(c.AddPhase("Later"))
    plan.do(c.AddTasks((c.NewTask("four", "later"), c.NewTask("five", "later"))))
    plan.do(MarkPhase("main", "blocked"), MarkPhase("later", "completed"))
    assert shown(plan) == {"main": "blocked", "later": "completed"}
    return plan


def shown(plan: TimedPlan) -> dict[str, str]:
    return dict(plan.state.ledger.phase_marks)


@pytest.mark.parametrize(
    "commands",
    [
        (c.Start("ann", 4),),
        (c.Skip(4),),
        (c.EditTask(4, name="vier"),),
        (c.RemoveTask(4),),
        (c.AddTasks((c.NewTask("six", "later"),)),),
        (MarkPhase("later", None),),
    ],
    ids=repr,
)
def test_r4_03_a_mark_holds_until_a_task_of_the_phase_changes(
    commands: tuple[c.Command, ...],
) -> None:
    plan = marked()
    plan.do(*commands)
    assert shown(plan) == {"main": "blocked"}
    assert phase_status(plan.state, "later") in ("pending", "in_progress")


@pytest.mark.parametrize(
    "commands",
    [
        (c.MovePhase("later"),),
        (c.EditPhase("later", title="Much later"),),
        (c.MoveTask(4, insert_after=5),),
        (c.SetProgress(4, 1, 2),),
        (c.EditPlan(goal="Another"),),
        (NoteFinding("code", "title", "content"),),
        (NoteProof(Proof(4, "later", BEGINNING)),),
        (MarkPhase("main", "blocked"), MarkPhase("later", "completed"), c.Pause()),
    ],
    ids=repr,
)
def test_r4_03_a_mark_outlasts_everything_else(commands: tuple[c.Command, ...]) -> None:
    plan = marked()
    plan.do(*commands)
    assert shown(plan) == {"main": "blocked", "later": "completed"}


def test_r4_03_moving_a_task_changes_both_phases() -> None:
    plan = marked()
    plan.do(c.MoveTask(4, "main"))
    assert shown(plan) == {}


def test_r4_03_a_reset_and_the_end_of_a_phase_end_its_mark() -> None:
    plan = marked()
    plan.do(c.Complete(1, PERSON))
    assert shown(plan) == {"later": "completed"}
    plan.do(c.Reset())
    assert shown(plan) == {}
    plan.do(c.RemoveTask(4), c.RemoveTask(5), MarkPhase("later", "blocked"))
    plan.do(c.RemovePhase("later"))
    assert shown(plan) == {}


def test_r4_03_a_mark_is_one_of_four_words_on_a_phase_that_there_is() -> None:
    plan = marked()
    assert plan.do(MarkPhase("main", "blocked")).changes == ()
    assert plan.do(MarkPhase("main", None)).changes != ()
    assert plan.do(MarkPhase("main", None)).changes == ()
    plan.refused("INVALID_ARGUMENT", MarkPhase("main", "failed"))  # type: ignore[arg-type]
    plan.refused("PHASE_NOT_FOUND", MarkPhase("gone", "blocked"))
    with pytest.raises(PhaseNotFound):
        phase_status(plan.state, "gone")


def test_r4_03_a_mark_is_put_back_when_a_commit_is_refused() -> None:
    plan = marked()
    plan.refused("TASK_NOT_FOUND", c.Skip(4), MarkPhase("main", None), c.Skip(99))
    assert shown(plan) == {"main": "blocked", "later": "completed"}


def test_r4_03_a_plan_that_follows_has_no_marks() -> None:
    plan = marked()
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_c", "Goal", ()))
    assert (shown(plan), list(plan.state.phases)) == ({}, [MAIN.id])
