"""R2.02: what `inspect`, `help` and frameworks that read signatures see of `PlanManager`."""

import inspect
import subprocess
import sys
from typing import Any, Literal, get_type_hints

import pytest

from outlast import PlanManager
from outlast.plan.tools.manager_tools import TOOLS

NAMES = [name for tool in TOOLS for name in (tool.name, tool.snake_name)]


def shape(function: Any) -> list[tuple[str, Any]]:
    """Return the parameters of a function and their defaults."""
    return [(one.name, one.default) for one in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", NAMES)
def test_r2_02_a_signature_has_the_parameters_of_the_table(name: str) -> None:
    tool = next(tool for tool in TOOLS if name in (tool.name, tool.snake_name))
    wanted = [
        (one.name, inspect.Parameter.empty if one.is_required else one.default)
        for one in tool.parameters
    ]
    assert shape(getattr(PlanManager(), name)) == wanted
    assert shape(getattr(PlanManager, name)) == [("self", inspect.Parameter.empty), *wanted]


@pytest.mark.parametrize("name", NAMES)
def test_r2_02_annotations_are_types_and_agree_with_the_signature(name: str) -> None:
    for function in (getattr(PlanManager, name), getattr(PlanManager(), name)):
        signature = inspect.signature(function)
        hints = get_type_hints(function)
        assert hints.pop("return") == signature.return_annotation == dict[str, Any]
        given = {n: p.annotation for n, p in signature.parameters.items() if n != "self"}
        assert hints == given == {n: h for n, h in function.__annotations__.items() if n in given}


def test_r2_02_an_optional_argument_may_be_null_and_a_choice_is_a_literal() -> None:
    hints = get_type_hints(PlanManager.getTaskList)
    words = Literal["pending", "in_progress", "completed", "failed", "skipped", "blocked"]
    assert hints["status_filter"] == words | None
    assert get_type_hints(PlanManager.completeTask)["task_id"] == int | str


def test_r2_02_the_docstring_describes_the_arguments() -> None:
    assert inspect.getdoc(PlanManager.skip_task) == (
        "Skip a task; tasks that depend on it can start.\n\n"
        "Args:\n"
        "    task_id: Id of the task.\n"
        "    reason: Why it is not needed."
    )
    assert inspect.getdoc(PlanManager.pausePlan) == "Pause the plan."


def test_r2_02_a_call_that_breaks_the_signature_is_answered_all_the_same() -> None:
    manager: Any = PlanManager()
    for answer in (manager.addTask(), manager.addTask(1, 2, 3, 4, 5), manager.addTask(nom="x")):
        assert answer["error"]["code"] == "INVALID_ARGUMENT"


def test_signatures_cost_nothing_before_they_are_looked_at() -> None:
    program = (
        "import sys; sys.modules['typing_extensions'] = None\n"  # it imports inspect
        "from outlast import PlanManager; PlanManager().addTask('a')\n"
        "assert 'inspect' not in sys.modules\n"
        "import inspect; assert 'name' in inspect.signature(PlanManager.addTask).parameters"
    )
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - our own program
