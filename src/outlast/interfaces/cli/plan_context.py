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

ARCHIVED: Final = "archived"  # the option that names an archived plan

# These commands also work on an ended plan: they show it, or reopen one of its tasks.
_WORK_ON_ENDED_PLANS: Final = frozenset(
    ("show", "context", "log", "undo", "edit", "check", "note", "graph", "watch", "export")
)


@contextmanager
def open_plan_for(call: Call) -> Iterator[Plan]:
    """Open the call's plan, close it afterwards, and add its notices to the call.

    With `--archived NAME` that is an archived one, which cannot be changed.
    If the journal is damaged, a refusal is reported as the damage: the cause may be in the part
    that could not be read.
    """
    plan = _find_plan(call)
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


def _find_plan(call: Call) -> Plan:
    name = call.values.get(ARCHIVED)
    if name is not None:
        from outlast.wiring.archive import open_archived

        return open_archived(current_directory(), name, actor=call.actor)
    ended = call.command in _WORK_ON_ENDED_PLANS
    return find_plan(current_directory(), call.plan, actor=call.actor, ended=ended)


def live_lease(plan: Plan) -> Lease | None:
    """Return the lease of the run that is at work on the plan; None if no run is."""
    lease = plan.core.read(lambda state: state.ledger.leases.get(0))
    return lease if lease is not None and lease.is_live(plan.core.now()) else None


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
