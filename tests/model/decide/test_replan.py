"""R1.07, X7: a replan replaces the tasks that have not started, as a patch that can be undone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.model import commands as c
from outlast.model.budget import Budget, Spend
from tests.model.timed_plan import TimedPlan

NAMES = ("walls", "roof", "paint", "garden")


def plan_of(*needs: tuple[int, ...]) -> TimedPlan:
    plan = TimedPlan(0)
    tasks = (c.NewTask(name, needs=()) for name in NAMES[: len(needs)])
    plan.do(c.AddTasks(tuple(tasks)))
    for task, known in enumerate(needs, 1):
        plan.do(c.EditTask(task, needs=known))
    return plan


def shape(plan: TimedPlan) -> list[tuple[int, str, tuple[int, ...]]]:
    return [(task.id, task.name, task.needs) for task in plan.state.tasks_in_order()]


def replan(plan: TimedPlan, *tasks: c.NewTask, **options: Any) -> Any:
    return plan.do(c.Replan(tasks, **options))


def test_r1_07_what_was_begun_stays_and_the_rest_is_replaced() -> None:
    plan = plan_of((), (1,), (2,), ())
    plan.do(c.Start("ann", 1), c.Complete(1, "ann", "built"))
    plan.do(c.Start("ann", 2))
    replan(plan, c.NewTask("garden", needs=(2,)), c.NewTask("lawn", peers=(1,)))
    assert shape(plan) == [
        (1, "walls", ()),
        (2, "roof", (1,)),
        (4, "garden", (2,)),
        (5, "lawn", (4,)),
    ]
    assert [task.status for task in plan.state.tasks_in_order()][:2] == ["completed", "in_progress"]


def test_x7_a_task_of_the_same_name_keeps_its_id_and_what_the_new_list_leaves_out() -> None:
    plan = plan_of((), (1,))
    plan.do(c.EditTask(2, description="of tin", constraints="no nails"))
    replan(plan, c.NewTask("roof", description="of tiles"), c.NewTask("walls"))
    assert shape(plan) == [(2, "roof", ()), (1, "walls", ())]
    roof = plan.state.tasks[2]
    assert (roof.description, roof.constraints) == ("of tiles", "no nails")


def test_x7_a_known_task_may_need_a_new_one_and_the_order_follows_the_list() -> None:
    plan = plan_of((), (1,))
    replan(plan, c.NewTask("ground"), c.NewTask("walls", peers=(1,)), c.NewTask("roof", peers=(2,)))
    assert shape(plan) == [(3, "ground", ()), (1, "walls", (3,)), (2, "roof", (1,))]


def test_x7_the_same_list_again_changes_nothing() -> None:
    plan = plan_of((), (1,))
    known = (c.NewTask("walls"), c.NewTask("roof", peers=(1,)))
    assert replan(plan, *known).changes == ()


def test_x7_a_finished_task_no_longer_needs_a_removed_one() -> None:
    plan = plan_of((2,), ())
    plan.do(c.Complete(1, "human", "done", amend=True))
    replan(plan, c.NewTask("lawn"))
    assert shape(plan) == [(1, "walls", ()), (3, "lawn", ())]


def test_x7_a_replan_is_one_commit_and_one_undo() -> None:
    plan = plan_of((), (1,), (2,))
    before = shape(plan)
    made = replan(plan, c.NewTask("roof"), c.NewTask("lawn"))
    assert shape(plan) != before
    plan.undo(made)
    assert shape(plan) == before


@pytest.mark.parametrize(
    ("code", "tasks"),
    [
        ("INVALID_DEPENDENCY", (c.NewTask("lawn", needs=(1,)),)),  # which is removed
        ("INVALID_DEPENDENCY", (c.NewTask("lawn", needs=(9,)),)),
        ("INVALID_DEPENDENCY", (c.NewTask("lawn", peers=(2,)),)),
        ("CIRCULAR_DEPENDENCY", (c.NewTask("a", peers=(2,)), c.NewTask("b", peers=(1,)))),
        ("CIRCULAR_DEPENDENCY", (c.NewTask("walls", peers=(1,)),)),
        ("INVALID_ARGUMENT", (c.NewTask(""),)),
    ],
)
def test_x7_a_list_that_is_no_plan_is_refused_as_a_whole(
    code: str, tasks: tuple[c.NewTask, ...]
) -> None:
    plan = plan_of((), (1,))
    before = shape(plan)
    plan.refused(code, c.Replan(tasks))
    assert shape(plan) == before


def test_x4_a_replan_is_charged_once_work_has_begun() -> None:
    plan = plan_of((), (1,))
    plan.do(c.SetBudget(Budget(replans=1)))
    cost = c.Charge(Spend(replans=1))
    replan(plan, c.NewTask("walls"), cost=cost)
    plan.do(c.Complete(1, "ann", "built"))
    replan(plan, c.NewTask("roof"), cost=cost)
    plan.refused("OUT_OF_BUDGET", c.Replan((c.NewTask("lawn"),), cost))


def test_m5_tasks_of_several_phases_keep_their_places() -> None:
    plan = plan_of((), ())
    plan.do(c.AddPhase("Later"), c.MoveTask(1, "later"))
    replan(plan, c.NewTask("walls"), c.NewTask("roof"), c.NewTask("lawn"))
    assert [task.id for task in plan.state.tasks_in_order()] == [2, 3, 1]


def draw_places(data: st.DataObject, most: int) -> tuple[int, ...]:
    if not most:
        return ()
    return tuple(sorted(data.draw(st.sets(st.integers(1, most), max_size=2))))


@given(st.data())
def test_x7_any_list_gives_a_plan_whose_parts_agree(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 4))
    needs = [
        data.draw(st.sets(st.integers(1, n), max_size=2)) if n else set() for n in range(count)
    ]
    plan = plan_of(*(tuple(sorted(each)) for each in needs))
    for task in range(1, count + 1):
        status = data.draw(st.sampled_from(("pending", "pending", "done", "begun")))
        if status == "done":
            plan.do(c.Complete(task, "human", "x", amend=True))
        elif status == "begun" and plan.state.next_ready() == task:
            plan.do(c.Start(f"a{task}", task))
    begun = {task.id: task for task in plan.state.tasks.values() if task.status != "pending"}
    names = data.draw(st.lists(st.sampled_from((*NAMES, "new", "newer")), max_size=5, unique=True))
    tasks = [c.NewTask(name, peers=draw_places(data, n)) for n, name in enumerate(names)]
    before = shape(plan)
    made = plan.do(c.Replan(tuple(tasks)))
    after = list(plan.state.tasks_in_order())
    pending = [task.name for task in after if task.status == "pending"]
    assert sorted(pending) == sorted(names)
    assert pending == names
    assert all(plan.state.tasks[task].name == old.name for task, old in begun.items())
    assert all(need in plan.state.tasks for task in after for need in task.needs)
    if made.changes:
        plan.undo(made)
    assert shape(plan) == before
