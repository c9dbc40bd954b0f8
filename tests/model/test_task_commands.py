"""The fields of a task are the same wherever they are named; A10: what of it is approved."""

from typing import Any, get_type_hints

import pytest

from outlast.model.changes import TaskEdited
from outlast.model.commands import EditTask, NewTask
from outlast.model.decide.tasks import EDITABLE, build_task
from outlast.model.model import Check, Task

CHECK = Check("file", "out.txt")
LISTS = {"checks": (CHECK,), "files": ("*.py",), "protect": ("tests/*",)}
PLACED = {"phase", "needs", "peers", "budget"}  # where a new task stands, and what it may cost


def test_a10_the_command_of_a_task_is_approved_like_its_checks() -> None:
    assert Task(1, "a", checks=(CHECK,)).commands == (CHECK,)
    assert Task(1, "a", checks=(CHECK,), run="make").commands == (CHECK, Check("command", "make"))


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
