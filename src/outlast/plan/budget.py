"""`plan.budget`: what a plan or a task may cost and has cost (X4)."""

from __future__ import annotations

from outlast.model import plan_costs as costs
from outlast.model.budget import NO_LIMIT, Budget, Spend
from outlast.model.commands import Charge, SetBudget, TaskRef
from outlast.model.execute import return_commit
from outlast.model.plan_costs import scope_id
from outlast.plan.core import Facet


class PlanBudget(Facet):
    """The limits and costs of a plan and its tasks."""

    __slots__ = ()

    def set(self, budget: Budget, task: TaskRef | None = None) -> None:
        """Set the limits of the plan or of a task; they may rise or fall.

        A call that could cost more than remains is refused before it starts.
        """
        self._core.commit((SetBudget(budget, task),), return_commit)

    def limits(self, task: TaskRef | None = None) -> Budget:
        """Return the limits of the plan or of a task."""
        return self._core.read(
            lambda state: state.ledger.counters.budgets.get(scope_id(state, task), NO_LIMIT)
        )

    def remaining(self, task: TaskRef | None = None) -> Budget:
        """Return what may still be spent, without what calls in progress have reserved."""
        return self._core.read(lambda state: costs.remaining_budget(state, scope_id(state, task)))

    def cost(self, task: TaskRef | None = None) -> Spend:
        """Return what the plan or a task has cost so far."""
        return self._core.read(lambda state: costs.spent_amount(state, scope_id(state, task)))

    def reserved(self, task: TaskRef | None = None) -> Spend:
        """Return what is reserved for calls in progress."""
        return self._core.read(lambda state: costs.reserved_amount(state, scope_id(state, task)))

    def charge(self, spend: Spend, task: TaskRef | None = None) -> None:
        """Add costs from outside, even beyond the budget."""
        self._core.commit((Charge(spend, task),), return_commit)

    def planning_cost(self) -> Spend:
        """Return the part of the costs that was spent on planning."""
        return self._core.read(lambda state: state.ledger.counters.planning)

    def forecast(self) -> Spend | None:
        """Return what the open tasks may cost, estimated by the median of the finished ones.

        None while fewer than three finished tasks have a cost.
        """
        return self._core.read(costs.forecast)
