"""The fields of a task are the same wherever they are named; A10: what of it is approved."""

from datetime import UTC, datetime
from typing import Any, get_type_hints

import pytest

from outlast.errors import InvalidArgument
from outlast.model.changes import TaskEdited
from outlast.model.commands import AddPhase, AddTasks, CreatePlan, EditTask, NewTask
from outlast.model.decide.tasks import EDITABLE, build_task
from outlast.model.execute import execute
from outlast.model.model import Check, Task
from outlast.model.state import PlanState

NOW = datetime(2026, 1, 1, tzinfo=UTC)

CHECK = Check("file", "out.txt")
LISTS = {"checks": (CHECK,), "files": ("*.py",), "protect": ("tests/*",)}
PLACED = {"phase", "needs", "peers", "budget", "alias"}  # where it stands, its cost, its other id


def test_a10_the_command_of_a_task_is_approved_like_its_checks() -> None:
    assert Task(1, "a", checks=(CHECK,)).commands == (CHECK,)
    assert Task(1, "a", checks=(CHECK,), run="make").commands == (CHECK, Check("command", "make"))


def test_r4_10_a_new_task_may_bring_an_id_of_its_own() -> None:
    state = PlanState(NOW)
    execute(state, (CreatePlan("p", "g"),), NOW)
    execute(state, (AddTasks((NewTask("a", alias="x"), NewTask("b"))),), NOW)
    execute(state, (AddTasks((NewTask("c", alias="step_3"), NewTask("d", alias="y"))),), NOW)
    assert [task.alias for task in state.tasks.values()] == ["x", "", "", "y"]
    assert [state.task(ref).id for ref in ("x", "2", "step_3", "y")] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("aliases", "problem"),
    [
        (("x",), "tasks.id|id: the id x is given twice"),
        (("z", "z"), r"tasks\[1\]\.id: the id z is given twice"),
        (("", "2"), r"tasks\[1\]\.id: plans assign 2, and this task gets 3"),
        ((5,), "id: expected str"),
        (("a" * 2000,), "id"),
    ],
)
def test_r4_10_an_id_that_names_another_task_is_refused(
    aliases: tuple[Any, ...], problem: str
) -> None:
    state = PlanState(NOW)
    execute(state, (CreatePlan("p", "g"),), NOW)
    execute(state, (AddTasks((NewTask("a", alias="x"),)),), NOW)
    with pytest.raises(InvalidArgument, match=problem):
        execute(state, (AddTasks(tuple(NewTask("n", alias=each) for each in aliases)),), NOW)


def test_r4_10_a_new_phase_may_bring_an_id() -> None:
    state = PlanState(NOW)
    execute(state, (CreatePlan("p", "g"),), NOW)
    execute(state, (AddPhase("Later", id="x"), AddPhase("Later")), NOW)
    assert list(state.phases) == ["main", "x", "later"]
    with pytest.raises(InvalidArgument, match="same id"):
        execute(state, (AddPhase("More", id="x"),), NOW)


@pytest.mark.parametrize("field", EDITABLE)
def test_a_field_of_a_task_has_one_type_and_is_redacted_in_every_command(field: str) -> None:
    new, task, edit = (
        get_type_hints(kind, include_extras=True)[field] for kind in (NewTask, Task, EditTask)
    )
    assert task == new
    assert edit == new | None
    assert get_type_hints(TaskEdited)[field] == get_type_hints(EditTask)[field]


def test_a_new_task_and_an_edit_have_every_field_of_a_task_that_people_write() -> None:
    assert {*NewTask.__struct_fields__} - PLACED == {*EDITABLE}
    assert {*EditTask.__struct_fields__} - {"task", "needs", "amend", "result"} == {*EDITABLE}
    assert {*TaskEdited.__struct_fields__} - {"id", "needs", "result"} == {*EDITABLE}


def test_a_task_keeps_every_field_of_the_new_task() -> None:
    given: dict[str, Any] = {field: LISTS.get(field, f"the {field}") for field in EDITABLE}
    task = build_task(NewTask(**given), 1, "main", ())
    assert {field: getattr(task, field) for field in EDITABLE} == given
