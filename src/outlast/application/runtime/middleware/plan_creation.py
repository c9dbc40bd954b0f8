"""Begin the plan that is kept, in the middle of a run, and go on there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.loop_commands import Interject, SetBudget, TakeInterjections
from outlast.errors import PlanExists, PlanNotFound, Refused
from outlast.formats.redact.fast import without_secrets
from outlast.ports import effects as e

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.lease import Holder
    from outlast.application.runtime.run import Desk
    from outlast.domain.budget import Budget
    from outlast.domain.model import Lease

    Hold = Callable[[Plan], Lease]
    Found = Callable[[str, Hold, Budget], tuple[Plan, Lease]]

# What whoever founds a plan meets where another runner was faster.
_PRECEDED: Final = (PlanExists, PlanNotFound, Refused)


class Founding:
    """Moves the desk to a new plan when there was none, or the last one has ended.

    What a new goal costs before it has a plan is not charged to the plan that has ended: the first
    thought beside one goes to a makeshift plan, and what that counted goes with it. Whoever finds
    that another runner has begun the plan meanwhile does nothing without it.
    """

    def __init__(  # noqa: PLR0913 - what a plan begins with
        self,
        inner: e.Handler,
        desk: Desk,
        holder: Holder,
        *,
        found: Found,
        makeshift: Callable[[], Plan],
        budget: Budget,
    ) -> None:
        """Wrap a handler; `found` makes a plan out of a goal, and has it held.

        The plan begins with its budget: who is killed right then must not go on without one.
        """
        self._inner, self._desk, self._holder = inner, desk, holder
        self._found, self._makeshift, self._budget = found, makeshift, budget
        self._thought = False

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Found a plan; let the rest through."""
        if isinstance(effect, e.Found):
            with self._desk.moving:
                return self._begin(effect.goal)
        if isinstance(effect, e.Think) and not self._thought:
            self._thought = True
            if self._desk.kept and self._desk.look().ended:
                with self._desk.moving:
                    self._step_aside()
        return await self._inner.handle(effect)

    def _step_aside(self) -> None:
        """Leave the plan that has ended, and let others have it; what people said comes along."""
        desk, before, plan = self._desk, self._desk.origin, self._makeshift()
        said = desk.look().said
        if said:
            desk.commit((TakeInterjections(said[-1].id),), desk.view_after)
        desk.move(plan, self._holder.take(plan), kept=False)
        told = (Interject(one.text, one.by) for one in said)
        desk.commit((SetBudget(self._budget), *told), desk.view_after)
        self._holder.give_back(before)

    def _begin(self, goal: str) -> e.Recorded:
        desk = self._desk
        if desk.kept:
            self._step_aside()
        desk.look()  # somebody in another thread may have said something just now
        carried = desk.carried()
        try:
            plan, lease = self._found(without_secrets(goal), self._holder.take, desk.budget)
        except _PRECEDED as error:
            raise e.Preceded(error) from error
        desk.move(plan, lease)
        return e.Recorded(desk.now(), desk.commit(carried, desk.view_after))
