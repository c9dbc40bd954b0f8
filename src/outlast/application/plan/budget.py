"""Budget verbs: what a plan or a task may cost and has cost (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.plan.handle import PlanHandle
from outlast.domain import costs
from outlast.domain.budget import NO_LIMIT, Budget, Spend
from outlast.domain.commands import Charge, SetBudget
from outlast.domain.costs import scope_id
from outlast.domain.execute import return_commit

if TYPE_CHECKING:
    from outlast.domain.commands import TaskRef


class BudgetVerbs(PlanHandle):
    """Set limits and read costs. A mixin of `outlast.Plan`."""

    __slots__ = ()

    def set_budget(self, budget: Budget, task: TaskRef | None = None) -> None:
        """Set the limits of the plan or of a task; they may rise or fall.

        A call that could cost more than remains is refused before it starts.
        """
        self.commit((SetBudget(budget, task),), return_commit)

    def budget(self, task: TaskRef | None = None) -> Budget:
        """Return the limits of the plan or of a task."""
        return self.read(
            lambda state: state.ledger.counters.budgets.get(scope_id(state, task), NO_LIMIT)
        )

    def remaining_budget(self, task: TaskRef | None = None) -> Budget:
        """Return what may still be spent, without what calls in progress have reserved."""
        return self.read(lambda state: costs.remaining_budget(state, scope_id(state, task)))

    def cost(self, task: TaskRef | None = None) -> Spend:
        """Return what the plan or a task has cost so far."""
        return self.read(lambda state: costs.spent_amount(state, scope_id(state, task)))

    def reserved_cost(self, task: TaskRef | None = None) -> Spend:
        """Return what is reserved for calls in progress."""
        return self.read(lambda state: costs.reserved_amount(state, scope_id(state, task)))

    def charge(self, spend: Spend, task: TaskRef | None = None) -> None:
        """Add costs from outside, even beyond the budget."""
        self.commit((Charge(spend, task),), return_commit)

    def planning_cost(self) -> Spend:
        """Return the part of the costs that was spent on planning."""
        return self.read(lambda state: state.ledger.counters.planning)

    def forecast(self) -> Spend | None:
        """Return what the open tasks may cost, estimated by the median of the finished ones.

        None while fewer than three finished tasks have a cost.
        """
        return self.read(costs.forecast)
