"""Acquire, renew and release the leases on the plans of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import PLAN
from outlast.ports.edits import EditableStore

if TYPE_CHECKING:
    from typing import Self

    from outlast.application.heartbeat import Heartbeat
    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Lease
    from outlast.domain.state import PlanState


class LeaseHolder:
    """Acquires leases on plans and releases all of them at the end of the run.

    A plan with another runner's live lease is refused. An expired lease is taken over; the former
    runner stops at its next commit, which is refused by the fence token.
    """

    def __init__(self, seconds: int) -> None:
        """Lease each plan for `seconds` at a time; a heartbeat renews the lease."""
        self._seconds = seconds
        self._heartbeats: list[tuple[Plan, Heartbeat]] = []

    def acquire(self, plan: Plan) -> Lease:
        """Acquire the lease of a plan; raise `TaskClaimed` if another runner has it."""
        store = plan.core.store
        if isinstance(store, EditableStore):  # what a dead runner's tool did is nobody's edit
            store.sync_touched()
        heartbeat = plan.core.claim_plan(self._seconds)
        self._heartbeats.append((plan, heartbeat))
        return heartbeat.lease

    def release(self, plan: Plan) -> None:
        """Release the lease of a plan."""
        for entry in self._heartbeats:
            if entry[0] is plan:
                self._heartbeats.remove(entry)
                entry[1].__exit__(None, None, None)
                return

    def release_all(self) -> None:
        """Release all leases."""
        while self._heartbeats:
            self.release(self._heartbeats[-1][0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.release_all()


def has_stale_lease(plan: Plan) -> bool:
    """Return whether the plan's lease expired without a release: its runner died or froze."""
    now = plan.core.now()

    def is_stale(state: PlanState) -> bool:
        lease = state.ledger.leases.get(PLAN)
        return lease is not None and not lease.is_live(now)

    return plan.core.read(is_stale)
