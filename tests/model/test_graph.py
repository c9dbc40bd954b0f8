"""The ready set: it holds what is ready, and its indexes do not grow with what no longer is."""

from outlast.model.commands import AddTasks, CreatePlan, NewTask, RemoveTask, Reopen, Skip
from outlast.model.execute import execute
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes
from tests.model.strategies import BEGINNING

TASKS = 300


def test_f16_tasks_that_are_skipped_from_behind_leave_no_traces_in_the_ready_set() -> None:
    state = PlanState(BEGINNING)
    execute(state, (CreatePlan("plan_a", "Goal"),), BEGINNING)
    execute(state, (AddTasks(tuple(NewTask(f"{n}") for n in range(TASKS))),), BEGINNING)
    for task in range(TASKS, 1, -1):
        execute(state, (Skip(task, "later"),), BEGINNING)
        assert state.next_ready() == 1
    assert_indexes(state)
    graph = state.graph
    assert len(graph._run) + len(graph._heap) < TASKS / 3  # noqa: SLF001 - the trace itself


def test_m2_a_task_that_became_ready_twice_is_ready_no_longer_when_it_is_skipped() -> None:
    state = PlanState(BEGINNING)
    execute(state, (CreatePlan("plan_a", "Goal"),), BEGINNING)
    execute(state, (AddTasks(tuple(NewTask(name) for name in "abc")),), BEGINNING)
    for command in (Skip(2), Reopen(2), Skip(1), Skip(2)):
        execute(state, (command,), BEGINNING)
        assert_indexes(state)
    assert state.next_ready() == 3


def test_m2_a_task_in_the_place_of_a_removed_one_is_ready_no_longer_when_it_is_skipped() -> None:
    state = PlanState(BEGINNING)
    execute(state, (CreatePlan("plan_a", "Goal"),), BEGINNING)
    execute(state, (AddTasks((NewTask("a"), NewTask("b"))),), BEGINNING)
    for command in (RemoveTask(2), AddTasks((NewTask("c"),)), Skip(1), Skip(3)):
        execute(state, (command,), BEGINNING)
        assert_indexes(state)
    assert state.next_ready() is None
