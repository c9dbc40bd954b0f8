"""The plan as the handlers of a loop use it: look at it, change it, change it under a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from outlast.errors import ClaimLost
from outlast.ports.effects import Overtaken, PlanView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.application.planning import Plan
    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.model import Lease
    from outlast.domain.state import PlanState

T = TypeVar("T")
_BEFORE: Final = 2
_SHOWN: Final = 6


class Desk:
    """One plan, in the name of the actor of its handle, under the lease of its runner."""

    def __init__(self, plan: Plan, lease: Lease) -> None:
        """Work on a plan that is held by this lease."""
        self.plan = plan.fenced(lease)
        self.now = plan.now
        self.token = lease.token
        self._lease = lease

    def look(self) -> PlanView:
        """Return the plan as it is now."""
        return self.plan.read(lambda state: view(state, self.plan.actor))

    def commit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
        key: str = "",
    ) -> T:
        """Change the plan; raise what refuses it, with words."""
        try:
            return self.plan.commit(commands, then, reason=reason, key=key)
        except ClaimLost as error:
            raise Overtaken from error

    def view_after(self, state: PlanState, _commit: Commit) -> PlanView:
        """Answer a commit with the plan that it left."""
        return view(state, self.plan.actor)

    def under(self, key: str) -> Plan:
        """Return a handle whose one change is known by a key."""
        return self.plan.fenced(self._lease, key)


def view(state: PlanState, actor: str) -> PlanView:
    """Return what a loop needs of a plan, in the same size whatever the plan's."""
    place = state.current_step_index
    before = max(place - _BEFORE, 0)
    around = state.graph.order[before : before + _SHOWN]
    current = state.current(actor) or 0
    return PlanView(
        goal=state.goal,
        status=state.status,
        revision=state.revision,
        iteration_count=state.iteration_count,
        done=state.finished,
        total=len(state.tasks),
        current=state.tasks.get(current),
        place=place,
        before=before,
        tasks=tuple(map(state.tasks.__getitem__, around)),
        attempts=tuple(state.ledger.attempts.values()),
        already=state.ledger.done.get(current, ()),
    )
