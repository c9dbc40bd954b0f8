"""`PlanManager` (R2) with a plan in memory where none is given."""

from __future__ import annotations

from typing import Final, Self

from msgspec.structs import replace

from outlast.errors import InvalidArgument
from outlast.model.commands import CreatePlan
from outlast.model.limits import check_text
from outlast.model.model import Task
from outlast.plan import plan_manager
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plan import Plan
from outlast.system.clock import new_plan_id, now

_NO_NAME: Final = "agent"  # the actor of a task in progress for which a document names none


class PlanManager(plan_manager.PlanManager):
    """A plan as functions for a model; without a plan it creates one in memory."""

    def __init__(self, plan: Plan | None = None, *, goal: str = "", actor: str = "agent") -> None:
        """Serve a plan, or a new one with this goal, as `actor`."""
        if plan is not None and goal:
            raise InvalidArgument("goal_of_other_plan", argument="goal")
        if plan is None:
            check_text(goal, "goal")
            plan = create_memory_plan(CreatePlan(new_plan_id(), goal), actor, past=False)
        super().__init__(plan, actor=actor)

    @classmethod
    def from_dict(cls, data: object, *, actor: str = "agent") -> Self:
        """Load a plan from the result of `to_dict`; `actor` goes on with the task in progress.

        Raises `InvalidDocument` for data that is no plan, and another error of `outlast.errors` for
        a plan that breaks a rule.
        """
        from outlast.documents.json import manager_parse

        command = manager_parse.parse(data, new_plan_id(), now())
        tasks = tuple(_assign(actor, task) for task in command.tasks)
        plan = create_memory_plan(replace(command, tasks=tasks), actor, past=False)
        return cls(plan, actor=actor)


def _assign(actor: str, task: Task) -> Task:
    """Return a task in progress with another actor, unless its document names one."""
    is_anybodys = task.status == "in_progress" and task.actor == _NO_NAME
    return replace(task, actor=actor) if is_anybodys else task
