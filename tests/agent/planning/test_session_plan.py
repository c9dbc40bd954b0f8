"""`SessionPlan` (R4.03): phases and steps, through the rules of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from outlast import open_plan
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.planning.session_plan import Metadata, SessionPlan, TaskPhase, TaskStep
from outlast.errors import (
    CheckFailed,
    InvalidArgument,
    InvalidStatus,
    PhaseNotFound,
    PlanNotFound,
    ProofNeeded,
    TaskNotFound,
)
from outlast.model.model import Check
from outlast.sessions import PlanningService
from tests.making import make_plan

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from outlast import Plan
    from outlast.plan.tools.advance import StepStatus

PHASES = (
    TaskPhase("Research", (TaskStep("read"), TaskStep("ask", active_form="Asking"))),
    TaskPhase("Build it", (TaskStep("build"),), "slowly"),
)


def there(found: T | None) -> T:
    assert found is not None
    return found


class MemoryLocator(PlanLocator):
    """Locates one plan in memory."""

    directory = "/plans/x"
    is_visible = True

    def __init__(self) -> None:
        super().__init__(None, None, None, "agent")
        self.plan: Plan | None = None

    def find(self) -> Plan | None:
        return self.plan

    def get_or_create(self) -> Plan:
        self.plan = self.plan or make_plan(goal="")
        return self.plan

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def locator() -> MemoryLocator:
    return MemoryLocator()


@pytest.fixture
def session(locator: MemoryLocator) -> SessionPlan:
    return SessionPlan(locator)


def test_r4_03_a_plan_is_created_from_phases_and_steps(
    session: SessionPlan, locator: MemoryLocator
) -> None:
    made = session.create("Ship", "Ship it soon", PHASES)
    assert (made.title, made.objective) == ("Ship", "Ship it soon")
    assert made.metadata == Metadata(3, 0, 0)
    assert made.phases == (
        TaskPhase(
            "Research",
            (TaskStep("read", id="1"), TaskStep("ask", active_form="Asking", id="2")),
            id="research",
        ),
        TaskPhase("Build it", (TaskStep("build", id="3"),), "slowly", "build-it"),
    )
    assert session.read() == made
    assert locator.get_or_create().order == "sequential"
    assert session.plan_path == "/plans/x/task_plan.md"


def test_r4_03_steps_may_start_with_any_valid_status(session: SessionPlan) -> None:
    steps = [TaskStep("a", "completed"), TaskStep("b", "skipped"), TaskStep("c", "in_progress")]
    made = session.create("t", "o", [TaskPhase("p", (*steps, TaskStep("d")))])
    assert [step.status for step in made.phases[0].steps] == [
        *("completed", "skipped", "in_progress", "pending")
    ]
    assert made.metadata.completed_steps == 2


def test_r4_03_an_invalid_plan_leaves_nothing_behind(
    session: SessionPlan, locator: MemoryLocator
) -> None:
    for phases in (
        [TaskPhase("p", (TaskStep(""),))],
        [TaskPhase("")],
        [TaskPhase("p", (TaskStep("a", "failed"),))],
        [TaskPhase("p", ("a",))],  # type: ignore[arg-type]
        ["p"],
        "p",
    ):
        with pytest.raises((InvalidArgument, InvalidStatus)):
            session.create("t", "o", phases)  # type: ignore[arg-type]
    assert locator.plan is None


def test_r4_10_ids_and_states_that_are_given_are_honoured(session: SessionPlan) -> None:
    """The document's own call: the ids are known from then on."""
    steps = (TaskStep("a", "completed", id="step-17-abc"), TaskStep("b", id="2"), TaskStep("c"))
    more = TaskPhase("Later", (TaskStep("d", id="4"),), "soon", "later-on", "blocked")
    made = session.create("t", "o", [TaskPhase("Main Tasks", steps, id="main"), more])
    assert [phase.id for phase in made.phases] == ["main", "later-on"]
    assert [step.id for phase in made.phases for step in phase.steps] == ["step-17-abc", *"234"]
    assert _states(session) == ["in_progress", "blocked"]
    assert session.update_step_status("main", "step-17-abc", "pending").id == "step-17-abc"
    assert session.update_step_status("later-on", "4", "skipped").status == "skipped"
    added = session.add_step("main", "e", status="in_progress", id="mine")
    assert added == TaskStep("e", "in_progress", id="mine")
    assert session.update_step_status("main", "mine", "completed").status == "completed"
    current = session.get_current_task()
    assert current is None


def test_r4_10_the_phase_that_every_plan_has_takes_the_place_it_is_given(
    session: SessionPlan,
) -> None:
    phases = [TaskPhase("First", id="first"), TaskPhase("Mine", (TaskStep("a"),), "n", "main")]
    made = session.create("t", "o", [*phases, TaskPhase("Main"), TaskPhase("Mine")])
    assert [(phase.id, phase.title) for phase in made.phases] == [
        ("first", "First"),
        ("main", "Mine"),
        ("main-2", "Main"),
        ("mine", "Mine"),
    ]
    assert made.phases[1].notes == "n"


@pytest.mark.parametrize(
    ("phases", "problem"),
    [
        ([TaskPhase("p", id="x"), TaskPhase("q", id="x")], "same id"),
        ([TaskPhase("p", id="main"), TaskPhase("q", id="main")], "same id"),
        ([TaskPhase("p", (TaskStep("a", id="x"), TaskStep("b", id="x")))], "x is given twice"),
        ([TaskPhase("p", (TaskStep("a", id="2"),))], "this task gets 1; give another: `my-2`"),
        ([TaskPhase("p", (TaskStep("a", id="step_9"),))], "this task gets 1"),
        ([TaskPhase("p", (TaskStep("a", id=7),))], "id"),  # type: ignore[arg-type]
        ([TaskPhase("p", id=7)], "id"),  # type: ignore[arg-type]
        ([TaskPhase("p", status="done")], "status"),  # type: ignore[arg-type]
    ],
)
def test_r4_10_what_cannot_be_honoured_is_refused(
    phases: list[TaskPhase], problem: str, session: SessionPlan, locator: MemoryLocator
) -> None:
    with pytest.raises(InvalidArgument, match=problem):
        session.create("t", "o", phases)
    assert locator.plan is None


def test_r4_10_a_step_whose_id_is_taken_is_refused(session: SessionPlan) -> None:
    session.create("t", "o", [TaskPhase("p", (TaskStep("a", id="x"),))])
    with pytest.raises(InvalidArgument, match="x is given twice"):
        session.add_step("p", "b", id="x")
    with pytest.raises(InvalidArgument, match="this task gets 2"):
        session.add_step("p", "b", id="1")
    with pytest.raises(InvalidArgument, match="status"):
        session.add_step("p", "b", status="failed")  # type: ignore[arg-type]
    assert [step.content for step in there(session.read()).phases[0].steps] == ["a"]


def test_m2_steps_are_worked_on_in_any_order(session: SessionPlan, locator: MemoryLocator) -> None:
    session.create("t", "o", PHASES)
    plan = locator.get_or_create()
    assert session.update_step_status("research", "1", "in_progress").status == "in_progress"
    assert plan.order == "sequential"
    assert session.update_step_status("build-it", "3", "completed").status == "completed"
    assert plan.order == "graph"
    assert session.update_step_status("research", "2", "in_progress").status == "in_progress"
    assert session.update_step_status("research", "1", "pending").status == "pending"
    assert [task.status for task in plan.tasks()] == ["pending", "in_progress", "completed"]


@pytest.mark.parametrize(
    ("statuses", "order"),
    [
        (("completed", "skipped", "in_progress", "pending"), "sequential"),
        (("pending", "completed"), "graph"),
        (("pending", "in_progress"), "graph"),
        (("in_progress", "in_progress"), "graph"),
        (("in_progress", "skipped"), "graph"),
    ],
)
def test_m2_the_states_of_a_new_plan_show_whether_order_binds(
    statuses: tuple[StepStatus, ...], order: str, session: SessionPlan, locator: MemoryLocator
) -> None:
    steps = tuple(TaskStep(f"step {i}", status) for i, status in enumerate(statuses))
    made = session.create("t", "o", [TaskPhase("p", steps[:1]), TaskPhase("q", steps[1:])])
    assert tuple(step.status for phase in made.phases for step in phase.steps) == statuses
    assert locator.get_or_create().order == order


def test_m2_a_step_out_of_turn_whose_checks_are_red_leaves_the_order(
    session: SessionPlan, locator: MemoryLocator
) -> None:
    session.create("t", "o", PHASES)
    plan = locator.get_or_create()
    plan.update(2, checks=[Check("file", "nowhere.txt")])
    with pytest.raises(ProofNeeded):  # nothing here could run the check
        session.update_step_status("research", "2", "completed")
    assert plan.order == "sequential"
    assert session.update_step_status("research", "2", "in_progress").status == "in_progress"
    assert plan.order == "graph"


def test_r4_03_without_a_plan_there_is_nothing_to_read_or_change(
    session: SessionPlan, locator: MemoryLocator
) -> None:
    def nothing() -> None:
        assert session.read() is None
        assert session.get_current_task() is session.get_next_pending_task() is None
        assert not session.is_complete()
        for change in (
            lambda: session.update_step_status("p", "1", "completed"),
            lambda: session.update_phase_status("p", "blocked"),
            lambda: session.add_step("p", "x"),
        ):
            with pytest.raises(PlanNotFound, match=r"^No plan exists$"):
                change()

    nothing()
    locator.get_or_create().notes.add_error("bash", "exit 1")
    nothing()
    session.create("t", "o")
    assert locator.get_or_create().notes.error_count("bash", "exit 1") == 1
    assert [phase.id for phase in there(session.read()).phases] == ["main"]
    assert not session.is_complete()


def test_r4_03_an_unfinished_plan_is_not_replaced(session: SessionPlan) -> None:
    session.create("t", "o", PHASES)
    with pytest.raises(InvalidStatus, match="unfinished tasks"):
        session.create("t2", "o2", PHASES)
    for phase, step in (("research", "1"), ("research", "2"), ("build-it", "3")):
        session.update_step_status(phase, step, "skipped")
    made = session.create("t2", "o2", PHASES[:1])
    assert (made.title, len(made.phases), made.metadata.total_steps) == ("t2", 1, 2)


def test_r4_03_errors_have_the_words_of_the_document(session: SessionPlan) -> None:
    session.create("t", "o", PHASES)
    with pytest.raises(PhaseNotFound, match=r"^Phase nowhere not found$"):
        session.update_step_status("nowhere", "1", "completed")
    with pytest.raises(PhaseNotFound, match=r"^Phase nowhere not found$"):
        session.update_phase_status("nowhere", "completed")
    with pytest.raises(PhaseNotFound, match=r"^Phase nowhere not found$"):
        session.add_step("nowhere", "x")
    for step in ("3", "9", "x"):
        with pytest.raises(TaskNotFound, match=rf"^Step {step} not found$"):
            session.update_step_status("research", step, "completed")
    with pytest.raises(InvalidArgument, match="status"):
        session.update_step_status("research", "1", "failed")  # type: ignore[arg-type]


def test_r4_03_a_step_goes_from_any_status_to_any_other(
    session: SessionPlan, locator: MemoryLocator
) -> None:
    session.create("t", "o", [TaskPhase("p", (TaskStep("a"), TaskStep("b")))])
    states = ("pending", "in_progress", "completed", "skipped")
    for before in (*states, "failed"):
        for after in states:
            if before == "failed":
                locator.get_or_create().fail(1, "broke", retry=False)
            else:
                session.update_step_status("p", "1", before)  # type: ignore[arg-type]
            assert session.update_step_status("p", "step_1", after).status == after  # type: ignore[arg-type]
            session.update_step_status("p", "1", "pending")


def test_r4_03_phases_follow_their_steps_until_they_are_marked(session: SessionPlan) -> None:
    session.create("t", "o", PHASES)
    assert _states(session) == ["pending", "pending"]
    session.update_step_status("research", "1", "skipped")
    assert _states(session) == ["in_progress", "pending"]
    assert session.update_phase_status("research", "blocked").status == "blocked"
    assert _states(session) == ["blocked", "pending"]
    session.update_step_status("research", "2", "completed")
    assert _states(session) == ["completed", "pending"]
    added = session.add_step("research", "look again", "Looking again")
    assert added == TaskStep("look again", "pending", "Looking again", "4")
    assert _states(session) == ["in_progress", "pending"]


def test_r4_03_what_is_next_and_what_is_current(
    session: SessionPlan, locator: MemoryLocator
) -> None:
    session.create("t", "o", PHASES)
    locator.get_or_create().update(1, needs=())
    assert there(session.get_next_pending_task()).step.id == "1"
    session.update_step_status("research", "1", "in_progress")
    current = there(session.get_current_task())
    assert (current.phase.id, current.phase.status) == ("research", "in_progress")
    assert current.step.content == "read"
    assert there(session.get_next_pending_task()).step.id == "2"
    locator.get_or_create().update(2, needs=[1])
    assert there(session.get_next_pending_task()).phase.id == "build-it"
    assert there(session.read()).metadata == Metadata(3, 0, 1)


def test_r4_03_a_plan_is_complete_when_all_steps_are(session: SessionPlan) -> None:
    session.create("t", "o", PHASES)
    session.update_phase_status("research", "completed")
    session.update_phase_status("build-it", "completed")
    assert not session.is_complete()
    for phase, step in (("research", "1"), ("research", "2"), ("build-it", "3")):
        session.update_step_status(phase, step, "completed")
    assert session.is_complete()


def test_m6_a_plan_whose_end_was_only_assumed_is_not_complete(
    session: SessionPlan, locator: MemoryLocator
) -> None:
    session.create("t", "o", PHASES)
    plan = locator.get_or_create()
    for task in (1, 2, 3):
        plan.complete(task, how="assumed")
    assert not session.is_complete()
    session.update_step_status("build-it", "3", "completed")
    assert session.is_complete()
    assert [task.how for task in plan.tasks()] == ["assumed", "assumed", "reported"]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[PlanningService]:
    with PlanningService(tmp_path, "s") as made:
        yield made


def test_r4_03_a_step_is_completed_only_if_its_checks_pass(
    service: PlanningService, tmp_path: Path
) -> None:
    service.plan.create("t", "o", [TaskPhase("p", (TaskStep("a"),))])
    with open_plan(tmp_path, "s", actor="human") as plan:
        plan.update(1, checks=[Check("file", "made.txt")])
        with pytest.raises(CheckFailed):
            service.plan.update_step_status("p", "1", "completed")
        assert not service.plan.is_complete()
        (tmp_path / "made.txt").write_text("x")
        service.plan.update_step_status("p", "1", "completed")
        assert plan.task(1).how == "proved"


def _states(session: SessionPlan) -> list[str]:
    return [phase.status for phase in there(session.read()).phases]
