"""Begin the plan that is kept, in the middle of a run, and go on there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.loop_commands import SetBudget
from outlast.errors import Refused
from outlast.formats.conceal import without_secrets
from outlast.ports import effects as e
from outlast.ports.events import Notified

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.holding import Holder
    from outlast.application.planning import Plan
    from outlast.application.wrappers.desk import Desk
    from outlast.domain.budget import Budget


class Founding:
    """Moves the desk to a new plan when there was none, or the last one has ended.

    What a new goal costs before it has a plan is not charged to the plan that has ended: the first
    thought beside one goes to a makeshift plan, and what that counted goes with it.
    """

    def __init__(  # noqa: PLR0913 - what a plan begins with
        self,
        inner: e.Handler,
        desk: Desk,
        holder: Holder,
        *,
        found: Callable[[str], Plan],
        makeshift: Callable[[], Plan],
        budget: Budget,
    ) -> None:
        """Wrap a handler; `found` makes a plan out of a goal."""
        self._inner, self._desk, self._holder = inner, desk, holder
        self._found, self._makeshift, self._budget = found, makeshift, budget
        self._thought = False

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Found a plan; let the rest through."""
        if isinstance(effect, e.Found):
            return await self._begin(effect.goal)
        if isinstance(effect, e.Think) and not self._thought:
            self._thought = True
            if self._desk.kept and self._desk.look().ended:
                self._step_aside()
        return await self._inner.handle(effect)

    def _step_aside(self) -> None:
        """Leave the plan that has ended, and let others have it."""
        desk, before, plan = self._desk, self._desk.origin, self._makeshift()
        desk.move(plan, self._holder.take(plan), kept=False)
        desk.commit((SetBudget(self._budget),), desk.view_after)
        self._holder.give_back(before)

    async def _begin(self, goal: str) -> e.Recorded:
        desk = self._desk
        if desk.kept:
            self._step_aside()
        desk.look()  # somebody in another thread may have said something just now
        carried = desk.carried()
        try:
            plan = self._found(without_secrets(goal))
            desk.move(plan, self._holder.take(plan))
        except Refused as error:
            await self._inner.handle(e.Tell(Notified(desk.words(error), "unplanned")))
            return e.Recorded(desk.now(), desk.look(), error.code, desk.words(error))
        return e.Recorded(desk.now(), desk.commit(carried, desk.view_after))
