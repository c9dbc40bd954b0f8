"""Who may work on a claimed task, or on a claimed plan: whoever shows the token of the lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.limits import LARGEST_ID, check_number, check_ref
from outlast.errors import ClaimLost, TaskClaimed

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.commands import Fence, Release, Renew
    from outlast.domain.model import Lease
    from outlast.domain.state import PlanState

PLAN: Final = 0  # stands for the plan itself where a task is named


def demand(state: PlanState, command: Fence, _now: datetime) -> tuple[Change, ...]:
    """Refuse whoever does not hold the task, or the plan itself; change nothing."""
    held(state, command)
    return ()


def held(state: PlanState, command: Fence | Renew | Release) -> Lease:
    """Return the lease that a command shows the token of."""
    ref = check_ref(command.task, "task_id")
    check_number(command.token, "token", 1, LARGEST_ID)
    return _require_token(state, ref if ref == PLAN else state.task(ref).id, command.token)


def fence(state: PlanState, ref: int | str, token: int | None, now: datetime) -> None:
    """Refuse a token that is not the one of the task's lease, and no token while the lease lasts.

    The right token is good even after its time, until somebody else has taken the task.
    """
    if token is None and not state.ledger.leases:
        return
    task = state.find(check_ref(ref, "task_id"))
    if task is not None:
        fence_id(state, task.id, token, now)


def fence_id(state: PlanState, task_id: int, token: int | None, now: datetime) -> None:
    """Do the same for a task that may be gone, or for the plan itself.

    The plan's own token is good for a task that nobody has claimed, as none would be.
    """
    if token is None or (task_id and _is_token(state, PLAN, token)):
        refuse_claimed(state, task_id, now)
    else:
        _require_token(state, task_id, token)


def _require_token(state: PlanState, task_id: int, token: int) -> Lease:
    if not _is_token(state, task_id, token):
        text = "claim_lost" if task_id else "plan_claim_lost"
        raise ClaimLost(text, task_id=task_id, token=token)
    return state.ledger.leases[task_id]


def _is_token(state: PlanState, task_id: int, token: int) -> bool:
    check_number(token, "token", 1, LARGEST_ID)
    lease = state.ledger.leases.get(task_id)
    return lease is not None and lease.token == token


def refuse_claimed(state: PlanState, task_id: int, now: datetime) -> None:
    """Refuse a task, or the plan itself, that somebody holds now."""
    lease = state.ledger.leases.get(task_id)
    if lease is not None and lease.is_live(now):
        raise TaskClaimed(
            "task_claimed" if task_id else "plan_claimed",
            task_id=task_id,
            holder=lease.holder,
            until=lease.until.isoformat(timespec="seconds"),
        )
