"""The only place that puts real adapters and the application together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from outlast.adapters.stores.memory import MemoryStore
from outlast.application import plan_manager
from outlast.application.planning import Plan
from outlast.domain.commands import CreatePlan
from outlast.domain.enact import receipt
from outlast.domain.limits import check_choice
from outlast.errors import InvalidArgument
from outlast.system.clock import new_plan_id, now
from outlast.texts import EXPLAINING

if TYPE_CHECKING:
    from outlast.domain.model import Order

MEMORY: Final = "memory:"


def create_plan(
    where: str, goal: str, key: str = "", *, order: Order = "graph", actor: str = "human"
) -> Plan:
    """Begin a plan; `where` is `"memory:"`, a plan that lives as long as the process."""
    with EXPLAINING:
        check_choice(where, "where", (MEMORY,))
    return _in_memory(CreatePlan(new_plan_id(), goal, key, order=order), actor)


def _in_memory(command: CreatePlan, actor: str = "human") -> Plan:
    store = MemoryStore(now())
    plan = Plan(store, now, new_plan_id, actor)
    with EXPLAINING:
        store.commit((command,), receipt, author=actor, now=now())
    return plan


class PlanManager(plan_manager.PlanManager):
    """The plan as a set of functions for a model; without a plan it makes one in memory."""

    def __init__(self, plan: Plan | None = None, *, goal: str = "", actor: str = "agent") -> None:
        """Serve a plan, or a new one with this goal, acting in somebody's name."""
        if plan is not None and goal:
            with EXPLAINING:
                raise InvalidArgument("goal_of_other_plan", argument="goal")
        super().__init__(create_plan(MEMORY, goal) if plan is None else plan, actor=actor)

    @classmethod
    def from_dict(cls, data: object, *, actor: str = "agent") -> Self:
        """Take a plan over from what `to_dict` gave.

        Raises `InvalidDocument` for what is no plan, and another of `outlast.errors` for a plan
        that is against the rules.
        """
        from outlast.formats import manager_parse

        with EXPLAINING:
            command = manager_parse.parse(data, new_plan_id(), now())
        return cls(_in_memory(command), actor=actor)
