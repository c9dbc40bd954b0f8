"""Claims on tasks, and on the plan: a lease with a token that tells the holder from who is late."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from outlast.domain import changes as c
from outlast.domain.decide.fencing import PLAN, held, refuse_claimed
from outlast.domain.decide.work import (
    nothing_ready,
    require_active,
    require_executable,
    require_unfinished,
    taken_up,
)
from outlast.domain.limits import check_name, check_number, check_ref
from outlast.domain.model import LONGEST_LEASE
from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain import commands
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState


def claim(state: PlanState, command: commands.Claim, now: datetime) -> tuple[c.Change, ...]:
    """Begin a task that may run, else take over one whose lease has run out."""
    actor = check_name(command.actor, "actor")
    until = _until(command.seconds, now)
    if command.task is not None:
        check_ref(command.task, "task_id")
    require_active(state)
    task = _next(state, now) if command.task is None else state.task(command.task)
    leased = c.TaskLeased(task.id, actor, state.ledger.last_token + 1, until)
    if task.status == "in_progress":
        _require_expired(state, task, now)
        started = c.TaskStarted(task.id, actor)
        begun = () if state.begun else (c.PlanBegun(),)
        return (*begun, c.TaskReturned(task.id), started, leased)
    require_unfinished(task)
    if task.status == "failed":
        raise InvalidStatus("task_failed", task_id=task.id, status=task.status)
    require_executable(state, task)
    return (*taken_up(state, task, actor), leased)


def claim_plan(
    state: PlanState, command: commands.ClaimPlan, now: datetime
) -> tuple[c.Change, ...]:
    """Hold the plan, whatever its status, unless another runner does."""
    actor = check_name(command.actor, "actor")
    until = _until(command.seconds, now)
    refuse_claimed(state, PLAN, now)
    return (c.TaskLeased(PLAN, actor, state.ledger.last_token + 1, until),)


def renew(state: PlanState, command: commands.Renew, now: datetime) -> tuple[c.Change, ...]:
    """Let a lease last so many seconds from now."""
    until = _until(command.seconds, now)
    lease = held(state, command)
    return () if lease.until == until else (c.LeaseRenewed(lease.task, until),)


def release(state: PlanState, command: commands.Release, _now: datetime) -> tuple[c.Change, ...]:
    """Give a claimed task back, and with it goes the lease; the plan's lease goes alone."""
    task = held(state, command).task
    return (c.TaskReturned(task) if task else c.LeaseEnded(task),)


def _until(seconds: int, now: datetime) -> datetime:
    return now + timedelta(seconds=check_number(seconds, "seconds", 1, LONGEST_LEASE))


def _next(state: PlanState, now: datetime) -> Task:
    found = state.next_executable()
    if found is None:
        found = next(iter(state.graph.sort(state.ledger.expired(now))), None)
    if found is None:
        raise nothing_ready(state)
    return state.tasks[found]


def _require_expired(state: PlanState, task: Task, now: datetime) -> None:
    """Refuse a task that is held, or that was begun without a lease and so never runs out."""
    refuse_claimed(state, task.id, now)
    if task.id not in state.ledger.leases:
        raise InvalidStatus("task_already", task_id=task.id, status=task.status)
