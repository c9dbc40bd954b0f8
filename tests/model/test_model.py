"""M1 to M6: what a plan and its tasks are."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from outlast import Check, NewTask, Plan, Progress, Task
from outlast.errors import (
    InvalidArgument,
    InvalidDependency,
    InvalidStatus,
    PhaseNotFound,
    PlanNotActive,
)
from outlast.model import commands as c
from outlast.model.changes import PlanCreated
from outlast.model.model import Evidence, Proof
from outlast.model.state import PlanState
from outlast.plan.plans import create_plan
from outlast.testing import FixedClock
from tests.making import count_iteration, make_plan, state_of
from tests.model.timed_plan import TimedPlan

if TYPE_CHECKING:
    from collections.abc import Callable

START = datetime(2026, 1, 1, tzinfo=UTC)


def test_m1_a_plan_has_its_fields() -> None:
    plan = create_plan("memory:", "Ship it\nand more", key="ship", order="sequential")
    assert plan.id.startswith("plan_")
    assert (plan.key, plan.goal, plan.title) == ("ship", "Ship it\nand more", "Ship it")
    assert (plan.order, plan.status, plan.progress) == ("sequential", "idle", Progress(0, 0))
    assert plan.iteration_count == 0
    assert count_iteration(plan) == plan.iteration_count == 1
    assert plan.created_at <= plan.updated_at
    assert [(phase.id, phase.title) for phase in plan.phases] == [("main", "Main Tasks")]


def test_m1_plan_ids_differ() -> None:
    assert len({create_plan("memory:", "g").id for _ in range(100)}) == 100


MOVE = "Move the billing of all customers from the old payment provider to the new one"


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("\n  One line \nand more", "One line"),
        ("x" * 80, "x" * 80),
        ("x" + "y" * 100, "x" + "y" * 78 + "…"),
        (f"{MOVE} without downtime", f"{MOVE}…"),
        (f"{MOVE} a without", f"{MOVE}…"),
        (f"{MOVE}  without", f"{MOVE}…"),
        ("把计费系统迁移到新的供应商" * 10, "把计费系统迁移到新的供应商" * 6 + "把…"),
        ("a " + "y" * 100, "a " + "y" * 77 + "…"),
    ],
)
def test_u9_the_title_is_the_first_line_of_the_goal_or_cut_with_a_mark(
    goal: str, title: str
) -> None:
    plan = create_plan("memory:", goal, actor="human")
    assert plan.title == title
    plan.edit(goal=f"{goal}\nsecond line")
    assert plan.title == title
    plan.edit(goal="Other")
    assert plan.title == "Other"
    assert create_plan("memory:", " ").title == ""


def test_m1_a_task_has_its_fields() -> None:
    clock = FixedClock()
    plan = make_plan(clock=clock)
    first = plan.add(
        "Build",
        reasoning="why",
        active_form="Building",
        kind="code",
        checks=[Check("command", "make")],
    )
    assert (first.id, first.name, first.phase, first.status) == (1, "Build", "main", "pending")
    assert (first.reasoning, first.active_form, first.kind) == ("why", "Building", "code")
    assert first.checks == (Check("command", "make"),)
    assert (first.result, first.error, first.retry_count, first.progress) == (None, None, 0, None)
    plan.add("Ship")
    clock.advance(5)
    assert plan.start(2).started_at == START + timedelta(seconds=5)
    clock.advance(5)
    done = plan.complete(2, "built")
    assert (done.result, done.ended_at) == ("built", START + timedelta(seconds=10))


def test_m1_ids_are_accepted_in_every_spelling() -> None:
    plan = make_plan("a", "b", "c")
    assert {plan.task(ref).id for ref in (3, "3", "step_3")} == {3}


def test_m1_a_phase_id_is_a_stable_unique_slug() -> None:
    plan = make_plan("a")
    ids = [plan.add_phase(title).id for title in ("Set Up!", "set up", "设计 一", "???", "main")]
    assert ids == ["set-up", "set-up-2", "设计-一", "phase", "main-2"]
    assert plan.edit_phase("set-up", title="Prepare", notes="n").id == "set-up"
    assert plan.phases[1].title == "Prepare"


def test_m1_phases_come_first_in_the_list_order() -> None:
    plan = make_plan("a", "b")
    plan.add_phase("Later")
    plan.add("z", phase="later")
    plan.add("c")
    assert [task.name for task in plan.tasks()] == ["a", "b", "c", "z"]
    plan.move_phase("later")
    assert [task.name for task in plan.tasks()] == ["z", "a", "b", "c"]
    assert [phase.id for phase in plan.phases] == ["later", "main"]
    plan.move_phase("later", insert_after="main")
    assert [phase.id for phase in plan.phases] == ["main", "later"]
    revision = plan.revision
    plan.move_phase("later", insert_after="main")
    assert plan.revision == revision


def test_m1_phases_are_refused_where_they_make_no_sense() -> None:
    plan = make_plan("a")
    with pytest.raises(InvalidStatus, match="it still has tasks: 1"):
        plan.remove_phase("main")
    with pytest.raises(PhaseNotFound, match="Phase nowhere not found; known phases: main"):
        plan.add("b", phase="nowhere")
    with pytest.raises(InvalidArgument, match="cannot come after itself"):
        plan.move_phase("main", insert_after="main")
    plan.remove(1)
    with pytest.raises(InvalidStatus, match="the only one"):
        plan.remove_phase("main")
    extra = plan.add_phase("Extra", insert_after="main")
    plan.remove_phase("main")
    assert plan.add("c").phase == extra.id
    assert plan.edit_phase("extra").title == "Extra"


def test_m1_moving_tasks() -> None:
    plan = make_plan("a", "b", "c")
    plan.add_phase("Later")
    plan.move(3, insert_after=1)
    assert [task.id for task in plan.tasks()] == [1, 3, 2]
    plan.move(2, first=True)
    assert [task.id for task in plan.tasks()] == [2, 1, 3]
    assert plan.move(2, phase="later").phase == "later"
    assert [task.id for task in plan.tasks()] == [1, 3, 2]
    plan.move(3, phase="later", first=True)
    assert [task.id for task in plan.tasks()] == [1, 3, 2]
    revision = plan.revision
    plan.move(3, phase="later", first=True)
    plan.move(1)
    assert plan.revision == revision
    with pytest.raises(InvalidArgument, match="cannot come after itself"):
        plan.move(3, insert_after=3)
    with pytest.raises(InvalidArgument, match="task 1 is in another phase"):
        plan.move(3, insert_after=1, phase="later")


def test_m2_graph_order_is_held_back_by_dependencies_only() -> None:
    plan = make_plan("a", "b")
    plan.add("c", [2])
    assert [task.id for task in plan.ready()] == [1, 2]
    plan.complete(2)
    assert [task.id for task in plan.ready()] == [1, 3]


def test_m2_sequential_order_waits_for_every_earlier_task() -> None:
    plan = make_plan("a", "b", "c", order="sequential")
    assert [task.id for task in plan.ready()] == [1]
    with pytest.raises(InvalidStatus, match="Task 2 has to wait: task 1 comes first"):
        plan.complete(2)
    assert plan.blocked_by(2) == ()
    assert plan.tasks("blocked") == ()
    plan.start()
    assert plan.ready() == ()
    plan.skip(1)
    assert [task.id for task in plan.ready()] == [2]
    assert plan.task(2).needs == ()
    plan.reopen(1)
    assert [task.id for task in plan.ready()] == [1]


def test_m2_sequential_order_puts_phases_first() -> None:
    plan = make_plan("a", order="sequential")
    plan.add_phase("Later")
    plan.add("z", phase="later")
    plan.add("b")
    plan.complete(1)
    assert [task.name for task in plan.ready()] == ["b"]


def test_m2_a_dependency_on_a_later_task_is_refused_in_a_sequence() -> None:
    plan = make_plan("a", "b", order="sequential")
    plan.add_phase("Later")
    later = plan.add("z", phase="later").id
    for change in (
        lambda: plan.update(1, needs=[2]),
        lambda: plan.add("c", [later]),
        lambda: plan.add("c", [2], insert_after=1),
        lambda: plan.add_all([NewTask("c", peers=(2,)), NewTask("d")]),
        lambda: plan.add_all([NewTask("c", peers=(2,)), NewTask("d")], insert_after=1),
    ):
        with pytest.raises(InvalidDependency, match="could never run"):
            change()
    plan.add("c", [1], insert_after=1)
    plan.add("y", [later], phase="later")
    plan.add_all([NewTask("e"), NewTask("f", peers=(1,), phase="later")])
    assert len(plan.tasks()) == 7


def test_m2_a_move_that_breaks_the_sequence_is_refused() -> None:
    plan = make_plan("a", "b", order="sequential")
    plan.add("c", [2])
    plan.add_phase("Later")
    plan.add("z", [1], phase="later")
    for move in (
        lambda: plan.move(3, insert_after=1),
        lambda: plan.move(3, first=True),
        lambda: plan.move(2),
        lambda: plan.move_phase("later"),
    ):
        with pytest.raises(InvalidDependency):
            move()
    plan.move(1, insert_after=2)
    assert [task.id for task in plan.tasks()] == [2, 1, 3, 4]
    plan.add_phase("Last")
    plan.move_phase("last", insert_after="main")
    assert [phase.id for phase in plan.phases] == ["main", "last", "later"]


def test_m2_the_order_can_be_changed_unless_a_task_could_never_run() -> None:
    plan = make_plan("a", "b")
    plan.update(1, needs=[2])
    with pytest.raises(InvalidDependency, match="Task 1 needs 2"):
        plan.edit(order="sequential")
    plan.update(1, needs=[])
    plan.edit(order="sequential")
    assert [task.id for task in plan.ready()] == [1]
    plan.edit(order="graph")
    assert [task.id for task in plan.ready()] == [1, 2]


def test_m3_finished_satisfies_a_dependency_and_failed_does_not() -> None:
    plan = make_plan("a", "b", "c")
    plan.add("d", [1, 2, 3])
    plan.complete(1)
    plan.skip(2)
    plan.fail(3, "no", retry=False)
    assert plan.blocked_by(4) == (3,)
    plan.skip(3)
    assert plan.blocked_by(4) == ()


def test_m3_a_task_tells_whether_it_is_finished() -> None:
    plan = make_plan("a", "b", "c")
    assert not plan.task(1).finished
    assert plan.complete(1).finished
    assert plan.skip(2).finished
    assert not plan.fail(3, "no", retry=False).finished


def test_m3_blocked_is_derived_and_never_stored() -> None:
    plan = make_plan("a")
    plan.add("b", [1])
    assert plan.task(2).status == "pending"
    assert [task.id for task in plan.tasks("blocked")] == [2]


def test_m4_a_plan_runs_from_the_first_start_completion_or_failure() -> None:
    acts: list[Callable[[Plan], object]] = [
        lambda plan: plan.start(),
        lambda plan: plan.complete(1),
        lambda plan: plan.fail(1, "x"),
    ]
    for act in acts:
        plan = make_plan("a", "b")
        assert plan.status == "idle"
        act(plan)
        assert plan.status == "running"


def test_m4_a_plan_is_completed_when_all_its_tasks_are_finished() -> None:
    plan = make_plan("a", "b")
    plan.complete(1)
    plan.skip(2)
    assert plan.status == "completed"
    plan.add("c")
    assert plan.status == "running"
    plan.complete(3)
    plan.reopen(1)
    assert plan.status == "running"


def test_m4_a_plan_fails_when_nothing_can_ever_run() -> None:
    plan = make_plan("a", "b")
    plan.add("c", [1])
    plan.fail(1, "x", retry=False)
    assert plan.status == "running"
    plan.start()
    assert plan.status == "running"
    plan.complete(2)
    assert plan.status == "failed"
    plan.reopen(1)
    assert plan.status == "running"
    plan.fail(1, "x", retry=False)
    plan.skip(1)
    assert plan.status == "running"


def test_m4_a_sequence_fails_with_its_first_open_task() -> None:
    plan = make_plan("a", "b", order="sequential")
    plan.fail(1, "x", retry=False)
    assert plan.status == "failed"


def test_m4_an_aborted_plan_is_failed_until_work_continues() -> None:
    revivals: list[Callable[[Plan], object]] = [
        lambda plan: plan.add("c"),
        lambda plan: plan.reopen(1),
        lambda plan: plan.skip(2),
    ]
    for revive in revivals:
        plan = make_plan("a", "b", "c")
        plan.complete(1)
        plan.abort("no money")
        assert plan.status == "failed"
        with pytest.raises(PlanNotActive, match="aborted"):
            plan.start()
        with pytest.raises(InvalidStatus):
            plan.abort()
        revive(plan)
        assert plan.status == "running"


def test_m4_pause_and_resume_lead_back() -> None:
    plan = make_plan("a")
    plan.pause("lunch")
    assert plan.status == "paused"
    plan.resume()
    assert plan.status == "idle"
    plan.start()
    plan.pause()
    plan.resume()
    assert plan.status == "running"
    plan.complete(1)
    with pytest.raises(InvalidStatus, match="only an idle or running plan"):
        plan.pause()


def test_m4_the_result_of_a_skipped_task_is_the_reason_if_there_is_one() -> None:
    plan = make_plan("a", "b")
    assert plan.skip(1, "not needed").result == "not needed"
    assert plan.skip(2).result is None


def test_m4_a_paused_plan_completes_when_its_last_task_is_skipped() -> None:
    plan = make_plan("a")
    plan.pause()
    plan.skip(1)
    assert plan.status == "completed"
    with pytest.raises(InvalidStatus):
        plan.resume()
    plan.add("b")
    assert plan.status == "paused"


def test_m4_a_plan_without_tasks_is_neither_complete_nor_incomplete() -> None:
    plan = make_plan()
    assert plan.status == "idle"
    with pytest.raises(PlanNotActive, match="no tasks"):
        plan.start()


def test_m5_progress_counts_finished_tasks() -> None:
    plan = make_plan("a", "b", "c", "d")
    plan.complete(1)
    plan.skip(2)
    plan.fail(3, "x", retry=False)
    assert plan.progress == Progress(2, 4)


def test_m5_the_current_step_index_is_derived() -> None:
    plan = make_plan("a", "b", "c")
    assert state_of(plan).current_step_index == 0
    plan.complete(1)
    assert state_of(plan).current_step_index == 1
    plan.start(3)
    assert state_of(plan).current_step_index == 2
    plan.complete(3)
    assert state_of(plan).current_step_index == 1
    plan.skip(2)
    assert state_of(plan).current_step_index == 3


def test_m6_a_completion_records_how_it_was_established() -> None:
    plan = make_plan("a", "b")
    assert plan.complete(1).how == "reported"
    assert plan.complete(2, how="assumed").how == "assumed"
    plan.add("c")
    with pytest.raises(InvalidArgument, match="how: expected one of reported, assumed"):
        plan.complete(3, how="")  # type: ignore[arg-type] # as a program without types does


def test_x2_a_check_of_a_file_has_a_path() -> None:
    assert (Check("file", "a.txt ~ yes").path, Check("command", "a.txt").path) == ("a.txt", "")


def test_x2_a_report_alone_proves_nothing() -> None:
    def strength(*evidence: Evidence) -> str:
        return Proof(1, "done", START, evidence).strength

    report, command = Check("report", "results"), Check("command", "true")
    assert strength(Evidence(report, ok=True)) == "reported"
    assert strength(Evidence(command, ok=True, baseline="green")) == "proved (was green)"
    assert strength(Evidence(command, ok=True)) == "proved (not seen red)"
    assert (
        strength(Evidence(report, ok=True), Evidence(command, ok=True, baseline="red")) == "proved"
    )


def test_x2_the_time_of_a_run_is_known_if_that_of_each_check_is() -> None:
    def took(*evidence: Evidence) -> int | None:
        return Proof(1, "done", START, evidence).took_ms

    command = Evidence(Check("command", "true"), ok=True, took_ms=40)
    word = Evidence(Check("person", "it looks right"), ok=True)
    assert took(command, command, word) == 80
    assert took(replace(command, took_ms=0)) == 0
    assert took(command, replace(command, took_ms=None)) is None
    assert took(word) is None


def test_x2_a_run_is_green_if_each_check_is() -> None:
    green = Evidence(Check("command", "true"), ok=True)
    assert Proof(1, "done", START, (green, green)).is_green
    assert not Proof(1, "done", START, (green, replace(green, ok=False))).is_green


def test_m2_tasks_are_found_by_status() -> None:
    plan = TimedPlan(2)
    plan.do(c.EditTask(2, needs=(1,)))
    found = {
        status: [task.id for task in plan.state.with_status(status)]
        for status in (None, "pending", "blocked")
    }
    assert found == {None: [1, 2], "pending": [1, 2], "blocked": [2]}


def test_m1_a_task_with_the_id_of_another_is_not_inserted() -> None:
    plan = TimedPlan(1)
    for id_ in (0, 1):
        with pytest.raises(ValueError, match=str(id_)):
            plan.state.insert_task(Task(id_, "x"), None)


def test_f6_a_journal_cannot_create_a_plan_that_gives_ids_below_one() -> None:
    forged = PlanCreated("plan_a", "Goal", START, START, next_id=0)
    with pytest.raises(ValueError, match="0"):
        forged.apply(PlanState(START), START)


def test_m4_a_plan_has_ended_if_it_is_completed_or_aborted() -> None:
    plan = TimedPlan(1)
    assert not plan.state.has_ended
    plan.do(c.Complete(1, "agent", "ok"))
    assert plan.state.has_ended
    aborted = TimedPlan(1)
    aborted.do(c.Abort())
    assert aborted.state.has_ended


@pytest.mark.parametrize(
    ("results", "is_unknown"),
    [
        ((None,), True),
        ((True, None), True),
        ((None, False), False),
        ((True,), False),
        ((False,), False),
        ((), False),
    ],
)
def test_f38_checks_are_unknown_if_one_shows_nothing_and_none_is_red(
    results: tuple[bool | None, ...], *, is_unknown: bool
) -> None:
    evidence = tuple(Evidence(Check("command", f"make {n}"), ok) for n, ok in enumerate(results))
    asked = Evidence(Check("person", "looks good"), ok=False)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    proof = Proof(1, "done", at, evidence)
    assert (proof.is_unknown, proof.is_red) == (is_unknown, False in results and not is_unknown)
    assert Proof(1, "done", at, (*evidence, asked)).is_unknown is is_unknown
