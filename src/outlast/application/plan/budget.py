"""What a plan, or a task, may cost and has cost (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.plan.handle import Handle
from outlast.domain import costs
from outlast.domain.budget import NO_LIMIT, Budget, Spend
from outlast.domain.costs import scope
from outlast.domain.enact import receipt
from outlast.domain.loop_commands import Charge, SetBudget

if TYPE_CHECKING:
    from outlast.domain.loop_commands import TaskRef


class Budgeting(Handle):
    """The part of `outlast.Plan` that keeps the books."""

    __slots__ = ()

    def set_budget(self, budget: Budget, task: TaskRef | None = None) -> None:
        """Set what the plan, or a task, may cost in all, more or less than before.

        What could cost more than is left is refused before it begins.
        """
        self._do(SetBudget(budget, task), receipt)

    def budget(self, task: TaskRef | None = None) -> Budget:
        """Return what the plan, or a task, may cost in all."""
        return self.read(lambda state: state.ledger.books.budgets.get(scope(state, task), NO_LIMIT))

    def left(self, task: TaskRef | None = None) -> Budget:
        """Return what may still be spent; what is set aside for work under way may not."""
        return self.read(lambda state: costs.remaining(state, scope(state, task)))

    def spent(self, task: TaskRef | None = None) -> Spend:
        """Return what the plan, or a task, has cost."""
        return self.read(lambda state: costs.spent(state, scope(state, task)))

    def reserved(self, task: TaskRef | None = None) -> Spend:
        """Return what is set aside for work under way."""
        return self.read(lambda state: costs.reserved(state, scope(state, task)))

    def charge(self, spend: Spend, task: TaskRef | None = None) -> None:
        """Count what was spent elsewhere, also beyond the budget."""
        self._do(Charge(spend, task), receipt)

    def planning_cost(self) -> Spend:
        """Return the part of the costs that went into the plan itself."""
        return self.read(lambda state: state.ledger.books.planning)

    def forecast(self) -> Spend | None:
        """Return what the open tasks may cost, by the median of the finished ones.

        None as long as fewer than three have cost something.
        """
        return self.read(costs.forecast)
