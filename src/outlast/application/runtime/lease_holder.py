"""Leases: a run holds its plans exclusively while it works on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from outlast.application.heartbeat import Heartbeat
    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Lease
    from outlast.domain.state import PlanState


class LeaseHolder:
    """Acquires leases on plans and releases all of them at the end of the run.

    A plan that another runner holds is refused. A plan whose runner went silent is taken over; that
    runner stops at its next commit, which is refused.
    """

    def __init__(self, seconds: int) -> None:
        """Hold each plan for `seconds` at a time; a heartbeat renews the lease."""
        self._seconds = seconds
        self._heartbeats: list[tuple[Plan, Heartbeat]] = []

    def acquire(self, plan: Plan) -> Lease:
        """Acquire the lease of a plan; raise `TaskClaimed` if another runner holds it."""
        heartbeat = plan.claim_plan(self._seconds)
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


def was_interrupted(plan: Plan) -> bool:
    """Return whether the last runner of a plan went silent without releasing it."""
    now = plan.now()

    def is_stale(state: PlanState) -> bool:
        lease = state.ledger.leases.get(0)
        return lease is not None and not lease.is_live(now)

    return plan.read(is_stale)
