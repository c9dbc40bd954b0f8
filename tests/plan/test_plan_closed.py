"""A plan after `close()`: it raises `PlanClosed`, but can still be shown in a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from outlast import create_plan
from outlast.errors import PlanClosed, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from outlast import Plan


@pytest.fixture(params=["memory:", "files", "sqlite"])
def plan(request: pytest.FixtureRequest, tmp_path: Path) -> Plan:
    places = {"files": str(tmp_path), "sqlite": f"sqlite:///{tmp_path}/plans.db"}
    return create_plan(places.get(request.param, request.param), "Ship it", "ship")


def test_the_repr_of_a_plan_never_raises(plan: Plan) -> None:
    plan.add("a")
    assert repr(plan) == f"<Plan {plan.id} 'Ship it' 0/1 idle>"
    past = plan.as_of(1)
    assert repr(past) == f"<Plan {plan.id} 'Ship it' 0/0 idle>"
    plan.close()
    assert repr(plan) == repr(past) == repr(plan.acting_as("ada")) == "<Plan closed>"


def test_a_plan_that_cannot_be_read_is_shown_with_the_reason(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "ship") as plan:
        journal = next(tmp_path.rglob("journal.jsonl"))
        content = journal.read_bytes()
        journal.unlink()
        with pytest.raises(StoreError) as caught:
            assert plan.status
        assert repr(plan) == f"<Plan {caught.value.code}>"
        journal.write_bytes(content)


USES: list[Callable[[Plan], Any]] = [
    lambda plan: plan.tasks(),
    lambda plan: plan.context(),
    lambda plan: plan.history.commits(),
    lambda plan: plan.questions.all(),
    lambda plan: plan.files.paths(),
]


@pytest.mark.parametrize("use", USES)
def test_a_closed_plan_and_handles_made_from_it_raise(
    plan: Plan, use: Callable[[Plan], Any]
) -> None:
    handles = (plan, plan.acting_as("ada"), plan.as_of(1))
    plan.close()
    for handle in handles:
        with pytest.raises(PlanClosed):
            use(handle)
    assert plan.actor == "agent"
    assert plan.tools()


def test_what_to_do_with_a_closed_plan_depends_on_where_it_was(tmp_path: Path) -> None:
    in_memory, in_files = create_plan("memory:", "Goal"), create_plan(tmp_path, "Goal", "k")
    for closed, advice in ((in_memory, "create it again"), (in_files, "open it again")):
        closed.close()
        with pytest.raises(PlanClosed, match=advice):
            closed.tasks()
