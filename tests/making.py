"""Plans for tests, with a clock that stands still."""

from typing import Any

from outlast import Plan, PlanManager
from outlast.model.commands import CountIteration, CreatePlan, EndAttempt
from outlast.model.execute import return_commit
from outlast.model.model import Order, Outcome
from outlast.model.state import PlanState
from outlast.plan.core import PlanCore
from outlast.proof.checks.checker import CheckerFactory
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing import FixedClock


def make_plan(
    *names: str,
    order: Order = "graph",
    goal: str = "Test things",
    clock: FixedClock | None = None,
    actor: str = "tester",
    checker: CheckerFactory | None = None,
) -> Plan:
    """Return a plan in memory with independent tasks of these names."""
    clock = clock or FixedClock()
    store = MemoryStore(clock())
    command = CreatePlan("plan_test", goal, order=order)
    store.commit(Request((command,), "test", clock()), return_commit)
    plan = Plan(PlanCore(store, clock, lambda: "plan_next", actor, checker=checker))
    for name in names:
        plan.add(name)
    return plan


def make_manager(*names: str, order: Order = "graph") -> PlanManager:
    """Return a manager over such a plan."""
    return PlanManager(make_plan(*names, order=order))


def state_of(plan: Plan) -> PlanState:
    """Return the fold behind a plan, for tests that look inside."""
    return plan.core.read(lambda state: state)


def count_iteration(plan: Plan) -> int:
    """Count one more iteration, as a loop does; return the new count."""
    return plan.core.commit((CountIteration(),), lambda state, _: state.iteration_count)


def settle(plan: Plan, attempt: str, outcome: Outcome, note: str = "") -> None:
    """Settle an attempt that a crash left open, as a person's answer does."""
    plan.core.commit((EndAttempt(attempt, outcome, "person", note),), return_commit)


def data(answer: dict[str, Any]) -> Any:
    """Return the data of an answer that says it worked."""
    assert answer["success"] is True, answer
    assert list(answer) == ["success", "data"]
    return answer["data"]


def error(answer: dict[str, Any], code: str) -> dict[str, Any]:
    """Return the error of an answer that refuses with this code."""
    assert answer["success"] is False, answer
    assert list(answer["error"]) == ["code", "message", "details"]
    assert answer["error"]["code"] == code, answer
    return dict(answer["error"])
