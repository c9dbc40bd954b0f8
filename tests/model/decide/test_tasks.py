"""The list of tasks: adding, editing, removing, and the cycles that are refused."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from outlast import Check, NewTask, Progress
from outlast.errors import (
    CircularDependency,
    InvalidArgument,
    InvalidDependency,
    InvalidStatus,
    TaskNotEditable,
    TaskNotFound,
)
from outlast.model.changes import TaskRestored, fold
from outlast.model.commands import AddTasks, CreatePlan, Pause, RemoveTask, Resume
from outlast.model.execute import execute, return_commit
from outlast.model.model import PERSON, Task
from outlast.model.state import PlanState
from outlast.redact.text_fields import TEXT_BYTES
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing import FixedClock
from tests.making import make_plan, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = FixedClock()()


def test_a_commit_of_several_commands_is_all_or_nothing() -> None:
    state = state_of(make_plan("a"))
    with pytest.raises(TaskNotFound):
        execute(state, [AddTasks((NewTask("b"),)), Pause(), RemoveTask(9)], NOW)
    assert (len(state.tasks), state.next_id, state.hold) == (1, 2, "")
    revision = state.revision
    execute(state, [Pause(), Resume()], NOW)
    assert state.revision == revision + 1
    assert execute(state, [], NOW) == ()
    assert state.revision == revision + 1


class Unheard(Struct, frozen=True):
    """A command that nobody knows."""


def test_a_commit_that_breaks_half_way_changes_nothing() -> None:
    state = state_of(make_plan("a"))
    with pytest.raises(KeyError):
        execute(state, [AddTasks((NewTask("b"),)), Pause(), Unheard()], NOW)  # type: ignore[list-item]
    assert (len(state.tasks), state.next_id, state.hold, state.revision) == (1, 2, "", 2)


def test_m1_another_goal_gives_another_title_unless_one_was_set() -> None:
    plan = make_plan(goal="Old", actor=PERSON)
    plan.edit(goal="New\nand more")
    assert plan.title == "New"
    plan.edit(title="Set")
    plan.edit(goal="Newer")
    assert plan.title == "Set"


def test_r0_14_an_agent_gives_a_goal_to_a_plan_without_one_and_changes_none() -> None:
    plan = make_plan(goal="")
    plan.edit(goal="Ship it", reason="it had none")
    plan.edit(goal="Ship it", title="Ship")
    for goal in ("Ship half of it", ""):
        with pytest.raises(InvalidArgument, match=r"`outlast edit --goal TEXT`; .* propose_goal"):
            plan.edit(goal=goal, title="Other")
    assert (plan.goal, plan.title) == ("Ship it", "Ship")
    assert plan.history.commits(2)[1].reason == "it had none"
    plan.acting_as(PERSON).edit(goal="Ship half of it")
    assert plan.goal == "Ship half of it"


def test_m2_a_sequence_finds_its_first_open_task_whatever_is_opened_again() -> None:
    plan = make_plan(*map(str, range(200)), order="sequential")
    for number in range(1, 200):
        plan.complete(number)
    for number in (50, 20, *range(60, 140)):
        plan.reopen(number)
    plan.add("early", insert_after=10)
    order = [task.id for task in plan.tasks() if not task.finished]
    for task in order:
        assert plan.next() == plan.task(task)
        plan.complete(task)
    assert plan.status == "completed"


def test_a_plan_is_created_once_and_alone() -> None:
    state = state_of(make_plan("a"))
    with pytest.raises(InvalidStatus):
        execute(state, [CreatePlan("plan_2", "g")], NOW)
    empty = MemoryStore(NOW).read(lambda state: state)
    with pytest.raises(InvalidArgument):
        execute(empty, [CreatePlan("plan_2", "g"), Pause()], NOW)
    assert empty.id == ""


def test_tasks_added_together_may_depend_on_each_other() -> None:
    plan = make_plan("a")
    made = plan.add_all([NewTask("b", peers=(2,), needs=(1,)), NewTask("c")], insert_after=1)
    assert [(task.id, task.needs) for task in made] == [(2, (1, 3)), (3, ())]
    assert plan.add_all([]) == ()
    with pytest.raises(InvalidDependency, match=r"tasks\[0\].needs: there is no task 3"):
        plan.add_all([NewTask("d", peers=(3,)), NewTask("e")])
    with pytest.raises(CircularDependency) as caught:
        plan.add_all([NewTask("d", peers=(2,)), NewTask("e", peers=(3,)), NewTask("f", peers=(2,))])
    assert caught.value.details["cycle"] == [5, 6, 5]
    assert len(plan.tasks()) == 3


def test_native_calls_with_the_wrong_types_stay_in_the_error_tree() -> None:
    plan: Any = make_plan("a")
    new: Any = NewTask
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: plan.add("x", 1), "needs: expected list, got int"),
        (lambda: plan.task(1.0), "task: expected task id, got float"),
        (lambda: plan.complete(None), "task: expected task id, got NoneType"),
        (lambda: plan.blocked_by({}), "task: expected task id, got dict"),
        (lambda: plan.tasks(3), "status: expected str, got int"),
        (lambda: plan.fail(1, 3), "error: expected str, got int"),
        (lambda: plan.budget.set({"tokens": 3}), "budget: expected Budget, got dict"),
        (lambda: plan.history.diff(1.5), "old: expected int, got float"),
        (lambda: plan.history.diff(1, "2"), "new: expected int, got str"),
        (lambda: plan.checks.approve(1), "approve: only a person may do this, as human"),
        (lambda: plan.add("x", "12"), "needs: expected list, got str"),
        (lambda: plan.add("x", checks=["make"]), "checks: expected Check, got str"),
        (lambda: plan.update(1, needs=2), "needs: expected list, got int"),
        (lambda: plan.add("x", phase=["main"]), "phase: expected str, got list"),
        (lambda: plan.edit_phase(["x"]), "phase: expected str, got list"),
        (lambda: plan.move_phase("main", insert_after=[]), "phase: expected str, got list"),
        (lambda: plan.move(1, first="x"), "first: expected bool, got str"),
        (lambda: plan.fail(1, "x", retry="no"), "retry: expected bool, got str"),
        (lambda: plan.add_all([new("x", needs="12")]), "needs: expected list, got str"),
        (lambda: plan.add_all([{"name": "x"}]), "tasks: expected NewTask, got dict"),
        (lambda: plan.add_all([NewTask("x"), 3]), "tasks[1]: expected NewTask, got int"),
        (lambda: plan.add_all([new("x", peers=("1",))]), "peers: expected int, got str"),
    ]
    for call, message in calls:
        with pytest.raises(InvalidArgument) as caught:
            call()
        assert str(caught.value) == message


def test_tasks_without_a_phase_go_into_the_new_phase() -> None:
    plan = make_plan("a")
    added = plan.add_all([NewTask("b"), NewTask("c", phase="main")], new_phase="Later on")
    assert [(task.name, task.phase) for task in added] == [("b", "later-on"), ("c", "main")]
    [late] = plan.add_all([NewTask("d")], new_phase="Later on")
    assert late.phase == "later-on-2"
    [early] = plan.add_all([NewTask("e")], new_phase="Last", insert_after=1)
    assert (early.phase, [task.name for task in plan.tasks()]) == ("main", [*"aecbd"])
    assert plan.add("f").phase == "main"
    with pytest.raises(InvalidArgument, match="last_phase: expected bool, got str"):
        plan.core.commit((AddTasks((NewTask("x"),), last_phase="yes"),), return_commit)  # type: ignore[arg-type]


def test_a_task_added_alone_cannot_wait_for_itself() -> None:
    with pytest.raises(CircularDependency):
        make_plan().add_all([NewTask("a", peers=(1,))])


def test_a_plan_shows_itself() -> None:
    plan = make_plan("a", "b")
    plan.complete(1)
    assert repr(plan) == "<Plan plan_test 'Test things' 1/2 running>"


def test_only_what_is_given_changes() -> None:
    plan = make_plan("a", "b")
    edited = plan.update(
        1, name="A", reasoning="r", active_form="f", kind="k", checks=[Check("person", "look")]
    )
    assert (edited.name, edited.reasoning, edited.active_form, edited.kind) == ("A", "r", "f", "k")
    assert edited.checks == (Check("person", "look"),)
    revision = plan.revision
    assert plan.update(1, name="A", needs=[]) == edited
    plan.edit(goal="Test things", title="Test things", order="graph")
    assert plan.revision == revision
    plan.acting_as(PERSON).edit(goal="Other", title="T")
    assert (plan.goal, plan.title) == ("Other", "T")


def test_m1_a_task_has_a_description_of_several_lines() -> None:
    plan = make_plan("a")
    added = plan.add("b", description="In euros.\nOne page.")
    assert plan.task(2).description == added.description == "In euros.\nOne page."
    assert plan.update(2, description="In dollars").description == "In dollars"
    plan.undo()
    assert plan.task(2).description == "In euros.\nOne page."
    assert plan.update(2, description="").description == ""


def test_m9_a_description_has_a_limit() -> None:
    plan = make_plan("a")
    wrongs: list[Any] = ["x" * (TEXT_BYTES + 1), "\ud800", 1]
    for wrong in wrongs:
        with pytest.raises(InvalidArgument) as caught:
            plan.update(1, description=wrong)
        assert caught.value.details["argument"] == "description"
        with pytest.raises(InvalidArgument):
            plan.add("b", description=wrong)
    create = CreatePlan("plan_b", "Goal", tasks=(Task(1, "a", description="x" * (TEXT_BYTES + 1)),))
    with pytest.raises(InvalidArgument):
        execute(PlanState(NOW), (create,), NOW)


def test_a_failed_task_can_be_edited_but_not_removed() -> None:
    plan = make_plan("a")
    plan.fail(1, "x", retry=False)
    assert plan.update(1, name="again").name == "again"
    with pytest.raises(TaskNotEditable):
        plan.remove(1)


def test_editing_dependencies_frees_and_blocks() -> None:
    plan = make_plan("a", "b")
    plan.update(2, needs=[1])
    assert [task.id for task in plan.ready()] == [1]
    plan.update(2, needs=[])
    assert [task.id for task in plan.ready()] == [1, 2]


def test_removing_frees_the_dependency() -> None:
    plan = make_plan("a")
    plan.add("b", [1])
    with pytest.raises(InvalidDependency, match="Task 1 cannot be removed: it is needed by 2"):
        plan.remove(1)
    assert plan.remove(2) == 2
    assert plan.remove(1) == 1
    assert plan.add("c").id == 3


def test_insertions_at_one_place_never_run_out_of_room() -> None:
    plan = make_plan("a", "z")
    for _ in range(100):
        plan.add("m", insert_after=1)
    assert [task.id for task in plan.tasks()] == [1, *range(102, 2, -1), 2]
    assert plan.next() == plan.task(1)


def test_progress_of_a_task() -> None:
    plan = make_plan("a")
    assert plan.set_progress(1, 2, 5).progress == Progress(2, 5)
    revision = plan.revision
    plan.set_progress(1, 2, 5)
    assert plan.revision == revision
    plan.complete(1)
    with pytest.raises(InvalidStatus):
        plan.set_progress(1, 3, 5)


def test_an_actor_may_hold_several_tasks_when_it_names_them() -> None:
    plan = make_plan("a", "b", "c")
    plan.start(3)
    plan.start(2)
    current = plan.current()
    assert current is not None
    assert current.id == 2
    plan.complete(2)
    assert plan.current() == plan.task(3)
    with pytest.raises(InvalidStatus, match="already in progress"):
        plan.start(3)
    with pytest.raises(InvalidStatus, match="already completed"):
        plan.start(2)


@pytest.mark.parametrize("field", ["id", "name"])
def test_a_plan_from_elsewhere_is_checked(field: str) -> None:
    bad = {"id": Task(0, "a"), "name": Task(1, "")}[field]
    with pytest.raises(InvalidArgument, match=rf"tasks\[0\].{field}") as caught:
        MemoryStore(NOW).commit(
            Request((CreatePlan("p", "g", tasks=(bad,)),), "t", NOW), return_commit
        )
    assert caught.value.details["argument"] == f"tasks[0].{field}"


def test_a_plan_from_elsewhere_may_not_depend_on_what_is_not_there() -> None:
    bad = Task(1, "a", needs=(2,))
    with pytest.raises(InvalidDependency) as caught:
        MemoryStore(NOW).commit(
            Request((CreatePlan("p", "g", tasks=(bad,)),), "t", NOW), return_commit
        )
    assert caught.value.details["unknown"] == [2]


def test_a_plan_from_elsewhere_has_each_id_once() -> None:
    twice = (Task(1, "a"), Task(1, "b"))
    with pytest.raises(InvalidArgument) as caught:
        MemoryStore(NOW).commit(
            Request((CreatePlan("p", "g", tasks=twice),), "t", NOW), return_commit
        )
    assert caught.value.details == {"argument": "tasks[1].id", "id": 1}


def test_a_finished_task_may_be_restored_to_another_finished_state() -> None:
    plan = make_plan("a")
    plan.add("b", [1])
    plan.complete(1)
    fold(state_of(plan), [TaskRestored(1, "skipped")], plan.revision + 1, NOW)
    assert (plan.status, plan.progress.current, plan.blocked_by(2)) == ("running", 1, ())
    assert [task.id for task in plan.ready()] == [2]


def test_the_ready_heap_does_not_grow_without_end() -> None:
    plan = make_plan("first", *"abc")
    for _ in range(200):
        plan.start(4)
        plan.fail(4, "x")
        plan.reset()
    assert [task.id for task in plan.ready()] == [1, 2, 3, 4]


@given(st.integers(2, 40), st.data())
def test_a_cycle_is_given_closed_and_along_real_edges(count: int, data: st.DataObject) -> None:
    plan = make_plan("t1")
    for number in range(2, count + 1):
        plan.add(f"t{number}", data.draw(st.sets(st.integers(1, number - 1), max_size=3)))
    low = data.draw(st.integers(1, count - 1))
    high = data.draw(st.integers(low, count))
    try:
        plan.update(low, needs=[high])
    except CircularDependency as error:
        cycle = error.details["cycle"]
        assert isinstance(cycle, list)
        assert cycle[0] == cycle[-1] == low
        steps = list(pairwise(cycle))
        assert steps[0] == (low, high)
        assert all(after in plan.task(before).needs for before, after in steps[1:])
