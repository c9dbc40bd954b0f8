"""F6, F16: a plan restored at once has the indexes of one that grew change by change."""

from hypothesis import given
from hypothesis import strategies as st

from outlast.model.model import MAIN, TASK_STATUSES, Task
from outlast.model.state import PlanState, restore_tasks
from outlast.testing import FixedClock
from tests.model.indexes import assert_indexes, snapshot

STATUSES = st.sampled_from(TASK_STATUSES)


def restored(tasks: list[Task]) -> PlanState:
    state = PlanState(FixedClock()())
    state.set_phases((MAIN,))
    restore_tasks(state, tasks)
    state.next_id = len(tasks) + 1
    return state


@st.composite
def some_tasks(draw: st.DrawFn) -> list[Task]:
    statuses = draw(st.lists(STATUSES, max_size=8))
    tasks = []
    for number, status in enumerate(statuses, 1):
        earlier = st.lists(st.integers(1, max(1, number - 1)), unique=True, max_size=3)
        dependencies = tuple(draw(earlier)) if number > 1 else ()
        actor = draw(st.sampled_from(("ann", "bob"))) if status == "in_progress" else ""
        alias = draw(st.sampled_from(("", f"old {number}")))
        tasks.append(Task(number, "x", needs=dependencies, status=status, actor=actor, alias=alias))
    order = draw(st.permutations(range(len(tasks))))
    return [tasks[place] for place in order]


@given(some_tasks())
def test_f16_restored_tasks_have_the_indexes_of_inserted_ones(tasks: list[Task]) -> None:
    state = restored(tasks)
    assert_indexes(state)
    grown = PlanState(FixedClock()())
    grown.set_phases((MAIN,))
    for task in sorted(tasks, key=lambda task: task.id):
        before = [other.id for other in tasks[: tasks.index(task)] if other.id < task.id]
        grown.insert_task(task, before[-1] if before else 0)
    assert snapshot(state) == snapshot(grown)


def test_f6_no_tasks_are_no_trouble() -> None:
    assert restored([]).graph.order == []


def test_f6_finished_tasks_at_the_front_are_passed_over() -> None:
    state = restored([Task(1, "a", status="completed"), Task(2, "b", needs=(1,))])
    assert state.first_unfinished() == 2
    assert state.ready_tasks() == [2]
    assert_indexes(state)
