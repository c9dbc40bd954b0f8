"""Create the stored plan in the middle of a run, and continue on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.commands import Interject, SetBudget, TakeInterjections
from outlast.errors import PlanExists, PlanNotFound, Refused
from outlast.formats.redact.fast import redact_text
from outlast.ports import effects as e

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.lease_holder import LeaseHolder
    from outlast.application.runtime.run import Run
    from outlast.domain.budget import Budget
    from outlast.domain.model import Lease

    Acquire = Callable[[Plan], Lease]
    Create = Callable[[str, Acquire, Budget], tuple[Plan, Lease]]

# Errors that mean that another runner created the plan first.
_RACE_LOST: Final = (PlanExists, PlanNotFound, Refused)


class PlanCreation:
    """Switches the run to a new plan when there is none or the last one has ended.

    The cost of a new goal is not charged to the ended plan: the first `Think` beside an ended plan
    switches to a scratch plan, whose counters the new plan takes over. If another runner created
    the plan first, `CreationRaceLost` is raised and no effect is executed without that plan.
    """

    def __init__(  # noqa: PLR0913 - what a plan begins with
        self,
        inner: e.Handler,
        run: Run,
        holder: LeaseHolder,
        *,
        create_plan: Create,
        create_scratch: Callable[[], Plan],
        budget: Budget,
    ) -> None:
        """Wrap a handler; `create_plan` makes a plan of a goal and acquires its lease.

        The budget is in the commit that creates the plan: a process killed right after it must not
        continue without a budget.
        """
        self._inner, self._run, self._holder = inner, run, holder
        self._create_plan, self._create_scratch, self._budget = create_plan, create_scratch, budget
        self._has_thought = False

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Handle `CreatePlan`; leave an ended plan before the first `Think`."""
        if isinstance(effect, e.CreatePlan):
            with self._run.switch_lock:
                return self._create(effect.goal)
        if isinstance(effect, e.Think) and not self._has_thought:
            self._has_thought = True
            if not self._run.is_scratch and self._run.view().has_ended:
                with self._run.switch_lock:
                    self._leave_ended_plan()
        return await self._inner.handle(effect)

    def _leave_ended_plan(self) -> None:
        """Switch to a scratch plan, take messages along, and release the ended plan."""
        run, ended, plan = self._run, self._run.unfenced_plan, self._create_scratch()
        messages = run.view().new_messages
        if messages:
            run.commit((TakeInterjections(messages[-1].id),), run.view_after)
        run.switch_to(plan, self._holder.acquire(plan), is_scratch=True)
        carried = (Interject(message.text, message.by) for message in messages)
        run.commit((SetBudget(self._budget), *carried), run.view_after)
        self._holder.release(ended)

    def _create(self, goal: str) -> e.Recorded:
        run = self._run
        if not run.is_scratch:
            self._leave_ended_plan()
        run.view()  # a message may have arrived from another thread
        handover = run.handover_commands()
        try:
            plan, lease = self._create_plan(redact_text(goal), self._holder.acquire, run.budget)
        except _RACE_LOST as error:
            raise e.CreationRaceLost(error) from error
        run.switch_to(plan, lease)
        return e.Recorded(run.now(), run.commit(handover, run.view_after))
