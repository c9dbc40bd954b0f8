"""The plan as a set of functions for a model, with a plan in memory where none is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from outlast.application.faces import plan_manager
from outlast.domain.commands import CreatePlan
from outlast.domain.limits import check_text
from outlast.errors import InvalidArgument
from outlast.system.clock import new_plan_id, now
from outlast.wiring.plans import in_memory

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan


class PlanManager(plan_manager.PlanManager):
    """The plan as a set of functions for a model; without a plan it makes one in memory."""

    def __init__(self, plan: Plan | None = None, *, goal: str = "", actor: str = "agent") -> None:
        """Serve a plan, or a new one with this goal, acting in somebody's name."""
        if plan is not None and goal:
            raise InvalidArgument("goal_of_other_plan", argument="goal")
        if plan is None:
            check_text(goal, "goal")
            plan = in_memory(CreatePlan(new_plan_id(), goal), past=False)
        super().__init__(plan, actor=actor)

    @classmethod
    def from_dict(cls, data: object, *, actor: str = "agent") -> Self:
        """Take a plan over from what `to_dict` gave.

        Raises `InvalidDocument` for what is no plan, and another of `outlast.errors` for a plan
        that is against the rules.
        """
        from outlast.formats.json import manager_parse

        command = manager_parse.parse(data, new_plan_id(), now())
        return cls(in_memory(command, past=False), actor=actor)
