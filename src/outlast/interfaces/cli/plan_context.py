"""The plan and the task that a command is about."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from outlast.domain.model import Lease
from outlast.errors import InvalidStatus, OutlastError
from outlast.system.workspace_root import current_directory
from outlast.wiring.plans import find_plan
from outlast.wiring.workspaces import damage_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call


# These commands also work on an ended plan: they show it, or reopen one of its tasks.
_WORK_ON_ENDED_PLANS: Final = frozenset(
    ("show", "log", "undo", "edit", "check", "note", "graph", "watch", "export")
)


@contextmanager
def open_plan_for(call: Call) -> Iterator[Plan]:
    """Open the call's plan, close it afterwards, and add its notices to the call.

    If the journal is damaged, a refusal is reported as the damage: the cause may be in the part
    that could not be read.
    """
    ended = call.command in _WORK_ON_ENDED_PLANS
    plan = find_plan(current_directory(), call.plan, actor=call.actor, ended=ended)
    try:
        with plan:
            yield plan
    except OutlastError as error:
        damaged = damage_error(plan.notices)
        if damaged is None:
            raise
        raise damaged from error
    finally:
        call.notices.extend(plan.notices)


def current_task_id(plan: Plan) -> int:
    """Return the task that this actor has in progress; raise `InvalidStatus` if there is none."""
    current = plan.current()
    if current is None:
        raise InvalidStatus("no_own_task", actor=plan.actor)
    return current.id


def lease_with_token(plan: Plan, task: int | str, token: int) -> Lease:
    """Return the claim on a task with this fence token; the plan decides whether it is valid."""
    from outlast.interfaces.cli.parser.values import task_reference

    return Lease(plan.task(task_reference(str(task))).id, plan.actor, token, plan.core.now())
