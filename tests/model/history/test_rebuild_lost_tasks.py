"""F6: tasks that a damaged journal has lost come back from a later view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.model.changes import Commit
from outlast.model.commands import CreatePlan
from outlast.model.execute import execute
from outlast.model.history.rebuild import add_changes, number_by_name, outcome_changes
from outlast.model.history.salvage import salvage
from outlast.model.model import MAIN, Check, Phase, Task
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes
from tests.model.strategies import BEGINNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.changes import Change
    from outlast.model.model import Order

LOOK = Check("person", "look")
LATER = Phase("later", "Later")
SHOWN = (
    Task(
        1, "one", status="completed", result="done", how="assumed", checks=(Check("person", "x"),)
    ),
    Task(2, "two", needs=(1,)),
    Task(3, "three", needs=(4,)),
    Task(4, "four", "later", status="skipped", result="too late"),
    Task(5, "five", "later", status="failed", error="broke"),
    Task(6, "six", "later", status="in_progress", actor="ann"),
)


def plan_of(*tasks: Task, order: Order = "graph", phases: tuple[Phase, ...] = (MAIN,)) -> PlanState:
    state = PlanState(BEGINNING)
    command = CreatePlan("plan_x", "Goal", tasks=tasks, order=order, phases=phases)
    execute(state, (command,), BEGINNING)
    return state


def apply(state: PlanState, changes: Iterator[Change]) -> None:
    assert salvage(state, Commit(0, BEGINNING, "outlast", tuple(changes)), {})
    assert_indexes(state)


def test_f6_lost_tasks_come_back_where_they_stood_with_their_outcomes() -> None:
    state = plan_of(Task(2, "two"))
    apply(state, add_changes(state, (MAIN, LATER), SHOWN, {1, 3, 4, 5, 6}))
    assert [task.id for task in state.tasks_in_order()] == [1, 2, 3, 4, 5, 6]
    assert {task.status for task in state.tasks.values()} == {"pending"}
    assert state.task(1).checks == SHOWN[0].checks
    apply(state, outcome_changes(state, SHOWN))
    assert [(task.status, task.result, task.error) for task in state.tasks_in_order()] == [
        ("completed", "done", None),
        ("pending", None, None),
        ("pending", None, None),
        ("skipped", "too late", None),
        ("failed", None, "broke"),
        ("pending", None, None),  # nobody is known to hold it
    ]
    assert [state.task(task).needs for task in (2, 3)] == [(1,), (4,)]
    assert state.begun
    assert list(outcome_changes(state, SHOWN)) == []


def test_f6_a_need_that_does_not_fit_costs_no_task() -> None:
    state = plan_of(order="sequential")
    apply(
        state, add_changes(state, (MAIN,), (Task(3, "three", needs=(4,)), Task(4, "four")), {3, 4})
    )
    assert state.task(3).needs == ()
    assert len(state.tasks) == 2


def test_f6_a_phase_is_recognized_by_its_title() -> None:
    state = plan_of(phases=(MAIN, Phase("later", "Sooner"), Phase("p", "Later")))
    shown = (Phase("later", "Later"), Phase("new", "Sooner or later"), Phase("none", "Unused"))
    tasks = (Task(1, "one", "later"), Task(2, "two", "new"))
    apply(state, add_changes(state, shown, tasks, {1, 2}))
    assert [task.phase for task in state.tasks.values()] == ["p", "sooner-or-later"]
    assert [phase.title for phase in state.phases.values()][2:] == ["Later", "Sooner or later"]


def test_f6_tasks_without_numbers_are_recognized_by_their_names() -> None:
    state = plan_of(Task(4, "same"), Task(7, "other"))
    shown = (Task(1, "other"), Task(2, "same", needs=(1,)), Task(3, "same", needs=(2,)))
    numbered = [(task.id, task.needs) for task in number_by_name(state, shown)]
    assert numbered == [(7, ()), (4, (7,)), (8, (4,))]
