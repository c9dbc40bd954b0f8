"""Acquire, renew and release the leases on the plans of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from outlast.model.model import PLAN, Lease
from outlast.system.process_identity import holder_state, process_state
from outlast.system.processes import kill_programs_of

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan
    from outlast.store.heartbeat import Heartbeat


class LeaseHolder:
    """Acquires leases on plans and releases all of them at the end of the run.

    A plan with another runner's live lease is refused, and so is one whose runner's process runs
    here, whatever the clock says. An expired lease is taken over, and that of a process that has
    ended here at once; the former runner stops at its next commit, which is
    refused by the fence token. The programs that it has left here are killed first.
    """

    def __init__(self, seconds: int) -> None:
        """Lease each plan for `seconds` at a time; a heartbeat renews the lease."""
        self._seconds = seconds
        self._heartbeats: list[tuple[Plan, Heartbeat]] = []

    def acquire(self, plan: Plan) -> Lease:
        """Acquire the lease of a plan; raise `TaskClaimed` if another runner has it."""
        _end_programs(plan)
        views = plan.core.views
        if views is not None:  # what a dead runner's tool did is nobody's edit
            views.sync_touched()
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


def _end_programs(plan: Plan) -> None:
    """Kill what a runner left behind that has ended or was stopped: it might go on working."""
    now = plan.core.now()
    lease = plan.core.read(lambda state: state.ledger.leases.get(PLAN))
    if lease is None or lease.is_live(now, holder_state):
        return
    if process_state(lease.process) in ("ended", "stopped"):
        kill_programs_of(lease.process)


def has_stale_lease(plan: Plan) -> bool:
    """Return whether the plan's lease was left without a release: its runner died or froze."""
    now = plan.core.now()

    def is_stale(state: PlanState) -> bool:
        lease = state.ledger.leases.get(PLAN)
        return lease is not None and not lease.is_live(now, holder_state)

    return plan.core.read(is_stale)
