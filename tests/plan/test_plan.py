"""`Plan`: what frameworks read of its methods, and the groups of verbs on it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, get_type_hints

import pytest

from outlast import (
    Approval,
    AsyncPlan,
    Budget,
    Check,
    Commit,
    Difference,
    ErrorRecord,
    Finding,
    Heartbeat,
    Interjection,
    Lease,
    NewTask,
    Phase,
    Plan,
    Progress,
    ProofStatus,
    Question,
    Spend,
    Task,
    create_plan,
    open_plan,
)
from outlast.model.decide.tasks import EDITABLE
from tests.making import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GROUPS = ("budget", "checks", "files", "history", "notes", "questions")
VALUES = (
    *(Approval, Budget, Check, Commit, Difference, ErrorRecord, Finding, Heartbeat, Interjection),
    *(Lease, NewTask, Phase, Progress, ProofStatus, Question, Spend, Task),
)


def group_classes() -> list[type]:
    return [type(getattr(make_plan(), name)) for name in GROUPS]


def functions_of(owner: type) -> Iterator[Callable[..., Any]]:
    """Yield the public methods and getters of a class, but for those that return a group."""
    for name, member in vars(owner).items():
        function = member.fget if isinstance(member, property) else member
        if not name.startswith("_") and name not in GROUPS and inspect.isfunction(function):
            yield function


@pytest.mark.parametrize(
    "owner", [Plan, *group_classes(), *VALUES], ids=lambda owner: owner.__name__
)
def test_every_annotation_resolves_while_the_program_runs(owner: type) -> None:
    get_type_hints(owner)
    for function in functions_of(owner):
        hints = get_type_hints(function)
        parameters = list(inspect.signature(function, eval_str=True).parameters)[1:]
        assert {*parameters, "return"} == set(hints), function
        assert function.__doc__


@pytest.mark.parametrize("function", [create_plan, open_plan])
def test_the_functions_that_give_a_plan_resolve_too(function: Callable[..., Any]) -> None:
    assert get_type_hints(function)["return"] is Plan
    assert inspect.signature(function).parameters["actor"].default == "agent"


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_is_small_and_made_when_it_is_used(name: str) -> None:
    plan = make_plan()
    group = getattr(plan, name)
    assert get_type_hints(vars(Plan)[name].fget)["return"] is type(group)
    assert not hasattr(group, "__dict__")
    assert getattr(plan, name) is not group, "nothing is kept in the plan"


def test_a_handle_holds_its_core_alone() -> None:
    assert Plan.__slots__ == ("core",)
    assert Plan.__mro__ == (Plan, object)


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_of_verbs_can_be_shown_even_after_the_end(name: str) -> None:
    plan = make_plan().acting_as("ada")
    group = getattr(plan, name)
    plan.close()
    assert repr(group) == f"<Plan{name.capitalize()} as ada>"
    assert repr(getattr(AsyncPlan(plan), name)) == f"<AsyncPlan{name.capitalize()} as ada>"


@pytest.mark.parametrize("verb", [Plan.add, Plan.update], ids=["add", "update"])
def test_every_field_of_a_task_can_be_given_and_changed(verb: Callable[..., object]) -> None:
    assert {*EDITABLE, "needs"} <= inspect.signature(verb).parameters.keys()
