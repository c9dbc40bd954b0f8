"""Hold plans as their one runner while a loop works on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from outlast.application.heartbeat import Heartbeat
    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Lease
    from outlast.domain.state import PlanState


class Holder:
    """Takes plans, as a run comes by them, and gives all of them back at its end.

    A plan that another runner holds is refused. One whose runner went silent is taken over, and
    that runner stops at its next change, which is not made.
    """

    def __init__(self, seconds: int) -> None:
        """Hold each plan for so many seconds at a time."""
        self._seconds = seconds
        self._held: list[tuple[Plan, Heartbeat]] = []

    def take(self, plan: Plan) -> Lease:
        """Hold a plan from now on."""
        beat = plan.hold_plan(self._seconds)
        self._held.append((plan, beat))
        return beat.lease

    def give_back(self, plan: Plan) -> None:
        """Hold a plan no longer."""
        for held in self._held:
            if held[0] is plan:
                self._held.remove(held)
                held[1].__exit__(None, None, None)
                return

    def let_go(self) -> None:
        """Give everything back."""
        while self._held:
            self.give_back(self._held[-1][0])

    def __enter__(self) -> Self:
        """Begin to hold."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Give everything back."""
        self.let_go()


def was_interrupted(plan: Plan) -> bool:
    """Tell whether the last runner of a plan went silent without giving it back."""
    now = plan.now()

    def is_stale(state: PlanState) -> bool:
        lease = state.ledger.leases.get(0)
        return lease is not None and not lease.is_live(now)

    return plan.read(is_stale)
