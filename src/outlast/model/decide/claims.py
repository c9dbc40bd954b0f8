"""Claims on tasks and on the plan: leases, and the fence tokens that stop a late holder."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from outlast.errors import ClaimLost, InvalidStatus, TaskClaimed
from outlast.model import changes as c
from outlast.model import commands
from outlast.model.decide.preconditions import (
    nothing_ready_error,
    require_active,
    require_approved,
    require_executable,
    require_unfinished,
    start_changes,
)
from outlast.model.limits import (
    LARGEST_ID,
    NAME_CHARACTERS,
    check_length,
    check_name,
    check_number,
    check_ref,
)
from outlast.model.model import LONGEST_LEASE, PLAN, Lease, ProcessState, StateOf, Task, cannot_tell

if TYPE_CHECKING:
    from outlast.model.state import PlanState


def claim(state: PlanState, command: commands.Claim, now: datetime) -> tuple[c.Change, ...]:
    """Start a ready task and lease it, or take over a task whose lease has expired."""
    actor = check_name(command.actor, "actor")
    until = _until(command.seconds, now)
    if command.task is not None:
        check_ref(command.task, "task")
    require_approved(state, actor)
    require_active(state)
    task = _next_claimable(state, now) if command.task is None else state.task(command.task)
    leased = c.TaskLeased(task.id, actor, state.ledger.last_token + 1, until)
    if task.status == "in_progress":
        _require_expired(state, task, now)
        started = c.TaskStarted(task.id, actor)
        start_plan = () if state.begun else (c.PlanBegun(),)
        return (*start_plan, c.TaskReturned(task.id), started, leased)
    require_unfinished(task)
    if task.status == "failed":
        raise InvalidStatus("task_failed", task_id=task.id, status=task.status)
    require_executable(state, task)
    return (*start_changes(state, task, actor), leased)


def claim_plan(
    state: PlanState, command: commands.ClaimPlan, now: datetime
) -> tuple[c.Change, ...]:
    """Lease the plan, whatever its status, unless another runner has a live lease."""
    actor = check_name(command.actor, "actor")
    until = _until(command.seconds, now)
    process = check_length(command.process, "process", NAME_CHARACTERS)
    check_number(command.ended, "ended", 0, LARGEST_ID)
    check_number(command.running, "running", 0, LARGEST_ID)
    known: dict[int, ProcessState] = {command.ended: "ended", command.running: "running"}
    held = state.ledger.leases.get(PLAN)
    found = "unknown" if held is None else known.get(held.token, "unknown")
    refuse_claimed(state, PLAN, now, state_of=lambda _: found)
    return (c.TaskLeased(PLAN, actor, state.ledger.last_token + 1, until, process),)


def renew(state: PlanState, command: commands.Renew, now: datetime) -> tuple[c.Change, ...]:
    """Extend a lease to the given seconds from now."""
    until = _until(command.seconds, now)
    lease = require_lease(state, command)
    return () if lease.until == until else (c.LeaseRenewed(lease.task, until),)


def release(state: PlanState, command: commands.Release, _now: datetime) -> tuple[c.Change, ...]:
    """Return a claimed task, which ends its lease; for the plan, end only the lease."""
    task = require_lease(state, command).task
    return (c.TaskReturned(task) if task else c.LeaseEnded(task),)


def _until(seconds: int, now: datetime) -> datetime:
    return now + timedelta(seconds=check_number(seconds, "seconds", 1, LONGEST_LEASE))


def _next_claimable(state: PlanState, now: datetime) -> Task:
    task_id = state.next_ready()
    if task_id is None:
        task_id = next(iter(state.graph.sort(state.ledger.expired_tasks(now))), None)
    if task_id is None:
        raise nothing_ready_error(state)
    return state.tasks[task_id]


def _require_expired(state: PlanState, task: Task, now: datetime) -> None:
    """Refuse a task that is leased, or that was started without a lease."""
    refuse_claimed(state, task.id, now)
    if task.id not in state.ledger.leases:
        raise InvalidStatus("task_already", task_id=task.id, status=task.status)


def require_fence(
    state: PlanState, command: commands.Fence, _now: datetime
) -> tuple[c.Change, ...]:
    """Refuse a token that is not the current one of the task or the plan; change nothing."""
    require_lease(state, command)
    return ()


def require_lease(
    state: PlanState, command: commands.Fence | commands.Renew | commands.Release
) -> Lease:
    """Return the lease whose token a command carries; raises `ClaimLost`."""
    ref = check_ref(command.task, "task")
    check_number(command.token, "token", 1, LARGEST_ID)
    return _require_token(state, ref if ref == PLAN else state.task(ref).id, command.token)


def check_fence(state: PlanState, ref: int | str, token: int | None, now: datetime) -> None:
    """Refuse a wrong token, and a missing token while the task is leased.

    The right token stays valid after the lease expired, until another actor claims the task.
    """
    if token is None and not state.ledger.leases:
        return
    task = state.find(check_ref(ref, "task"))
    if task is not None:
        check_fence_by_id(state, task.id, token, now)


def check_fence_by_id(state: PlanState, task_id: int, token: int | None, now: datetime) -> None:
    """Like `check_fence`, for a task id that may no longer exist, or for the plan itself.

    The plan's own token counts as no token for a task.
    """
    if token is None or (task_id and _is_current_token(state, PLAN, token)):
        refuse_claimed(state, task_id, now, "task_claimed_pass_lease")
    else:
        _require_token(state, task_id, token)


def _require_token(state: PlanState, task_id: int, token: int) -> Lease:
    if not _is_current_token(state, task_id, token):
        task = state.tasks.get(task_id)
        if task is not None and task.finished and token <= state.ledger.last_token:
            raise ClaimLost("claim_ended", task_id=task_id, token=token, status=task.status)
        text = "claim_lost" if task_id else "plan_claim_lost"
        raise ClaimLost(text, task_id=task_id, token=token)
    return state.ledger.leases[task_id]


def _is_current_token(state: PlanState, task_id: int, token: int) -> bool:
    check_number(token, "token", 1, LARGEST_ID)
    lease = state.ledger.leases.get(task_id)
    return lease is not None and lease.token == token


def refuse_claimed(
    state: PlanState,
    task_id: int,
    now: datetime,
    text: str = "task_claimed",
    *,
    state_of: StateOf = cannot_tell,
) -> None:
    """Refuse a task, or the plan itself, that is leased now; `text` is the refusal of a task."""
    lease = state.ledger.live_lease(task_id, now, state_of)
    if lease is None:
        return
    if not task_id and state_of(lease.process) == "running":
        raise TaskClaimed(
            "plan_claimed_here", task_id=task_id, holder=lease.holder, process=lease.process_number
        )
    raise TaskClaimed(
        text if task_id else "plan_claimed",
        task_id=task_id,
        holder=lease.holder,
        until=lease.until.isoformat(timespec="seconds"),
    )
