"""R2.03: no input whatsoever makes a function raise; the answer says which argument and why."""

import json
import math
from typing import Any

import pytest

from outlast import PlanManager
from outlast.plan.tools.manager_tools import TOOLS
from tests.making import data, error, make_manager


class Hostile:
    """Everything that can be asked of it fails."""

    __hash__ = None  # type: ignore[assignment]

    def _fail(self, *_: object) -> Any:
        raise RuntimeError

    __eq__ = __ne__ = __bool__ = __len__ = __iter__ = __repr__ = __str__ = _fail
    __getitem__ = __index__ = __int__ = __float__ = __contains__ = _fail


class HostileClass(type):
    """A class that cannot even be looked up."""

    def __hash__(cls) -> int:
        raise RuntimeError

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise RuntimeError


class OfHostileClass(metaclass=HostileClass):
    """Something of it."""


class LoudString(str):
    """A string that is none of the plain ones."""

    __slots__ = ()

    def __len__(self) -> int:
        raise RuntimeError


NESTED: list[Any] = []
NESTED.append(NESTED)
ODDITIES = [
    *(True, False, -1, 0, 10**400, 1.5, math.nan, math.inf, "", " ", "x" * 1_000_000, "\ud800"),
    *("a\nb", "\x00", b"1", [], [[]], NESTED, {}, {"a": 1}, {1: 2}, (), set(), object(), Hostile()),
    *(
        OfHostileClass(),
        LoudString("1"),
        Hostile,
        int,
        print,
        ...,
        NotImplemented,
        1j,
        range(3),
        iter([1]),
    ),
]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_r2_03_nothing_raises(tool: Any) -> None:
    for count in range(len(tool.parameters) + 2):
        for odd in ODDITIES:
            for fill in (1, "x", odd):
                manager = make_manager("a", "b")
                given: list[Any] = [fill] * count
                if given:
                    given[-1] = odd
                json.dumps(getattr(manager, tool.name)(*given), allow_nan=False)
            for parameter in tool.parameters:
                answer = getattr(make_manager("a"), tool.name)(**{parameter.name: odd})
                json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize("odd", ODDITIES, ids=range(len(ODDITIES)))
def test_r2_03_call_takes_anything(odd: Any) -> None:
    manager = make_manager("a")
    for name in ("getTaskById", odd):
        for arguments in ({"task_id": odd}, {"updates": {"name": odd}}, odd):
            json.dumps(manager.call(name, arguments), allow_nan=False)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("getTaskList", [3], "status_filter: expected string, got integer"),
        ("failTask", [1, 3], "error_message: expected string, got integer"),
        ("getTaskById", [[]], "task_id: expected task id, got array"),
        ("getTaskById", [True], "task_id: expected task id, got boolean"),
        ("getTaskById", [math.nan], "task_id: expected task id, got number"),
        ("getTaskById", [10**400], 'task_id: expected a task id such as 3, "3" or "step_3"'),
        ("getTaskById", [], "task_id: missing; getTaskById takes (task_id)"),
        ("getTaskById", [None], "task_id: missing; getTaskById takes (task_id)"),
        ("getTaskById", [1, 2], "getTaskById takes (task_id); got 2 arguments"),
        ("completeTask", [1, 2], "result: expected string, got integer"),
        ("completeTask", [1, "\ud800"], "result: expected valid Unicode"),
        ("failTask", [1, "x", "yes"], "should_retry: expected boolean, got string"),
        ("addTask", ["x" * 1_000_000], "name: expected at most 1,000 characters, got 1,000,000"),
        ("addTask", ["a\nb"], "name: expected a single line, got a line break"),
        ("addTask", ["a", 1], "dependencies: expected array, got integer"),
        ("addTask", ["a", [1, {}]], "dependencies[1]: expected task id, got object"),
        ("addTask", ["a", [1, " "]], "dependencies[1]: expected some text, got a blank string"),
        ("addTask", ["a", ["x" * 201], "", 9], "dependencies: expected a task id such as"),
        ("updateTask", [1, "x"], "updates: expected object, got string"),
        ("updateTask", [1, {}], "updates: expected at least one of name, dependencies, reasoning"),
        ("updateTask", [1, {"nme": "x"}], "updates.nme: unknown field; expected name"),
        ("updateTask", [1, {2: "x"}], "updates.integer: unknown field"),
        ("updateTask", [1, {"name": 2}], "updates.name: expected string, got integer"),
        ("updateTask", [True, {"name": "x"}], "task_id: expected task id, got boolean"),
        ("updateTask", [math.nan, {"dependencies": []}], "task_id: expected task id, got number"),
        ("updateTask", [NESTED, {"name": "x"}], "task_id: expected task id, got array"),
        (
            "updateTask",
            [9, {"dependencies": ["x" * 201]}],
            "updates.dependencies: expected a task id such as",
        ),
        ("initializePlan", ["g", {}], "tasks: expected array, got object"),
        ("initializePlan", ["g", [{"name": ""}]], "tasks[0].name: expected some text"),
        ("initializePlan", ["g", [{}]], "tasks[0].name: missing"),
        ("initializePlan", [2, []], "goal: expected string, got integer"),
        ("getTaskList", ["done"], "status_filter: expected one of pending"),
    ],
)
def test_r2_03_the_message_names_argument_and_expectation(
    name: str, given: list[Any], message: str
) -> None:
    found = error(getattr(make_manager("a"), name)(*given), "INVALID_ARGUMENT")
    assert found["message"].startswith(message)


def test_r2_03_unknown_and_repeated_arguments() -> None:
    manager = make_manager("a")
    found = error(manager.call("getTaskById", {"id": 1}), "INVALID_ARGUMENT")
    assert found["message"] == "id: unknown argument; getTaskById takes (task_id)"
    wrong: Any = manager.getTaskById
    found = error(wrong(1, task_id=1), "INVALID_ARGUMENT")
    assert found["message"] == "task_id: given twice; getTaskById takes (task_id)"
    error(manager.call("getTaskById", {3: 1}), "INVALID_ARGUMENT")


class Evil(str):
    """A name that cannot even be compared."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, _other: object) -> bool:
        raise RuntimeError


def test_r2_03_names_of_arguments_may_be_hostile_too() -> None:
    manager = make_manager("a")
    error(manager.addTask(**{Evil("name"): "x"}), "INVALID_ARGUMENT")
    error(manager.call("addTask", {Evil("name"): "x"}), "INVALID_ARGUMENT")


def test_r2_03_unknown_tools_are_answered_with_the_nearest() -> None:
    found = error(PlanManager().call("compleetTask", {}), "INVALID_ARGUMENT")
    assert found["details"]["nearest"] == "completeTask"


def test_r2_07_bad_dependencies() -> None:
    manager = make_manager("a")
    error(manager.addTask("b", [2]), "INVALID_DEPENDENCY")
    error(manager.addTask("b", ["nobody"]), "INVALID_DEPENDENCY")
    error(manager.updateTask(1, {"dependencies": [1]}), "CIRCULAR_DEPENDENCY")
    assert data(manager.getPlanStatus())["total_tasks"] == 1
