"""Create the stored plan in the middle of a run, and continue on it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.effects import Outcome, Recorded
from outlast.agent.events import Notified
from outlast.errors import PlanExists, PlanNotFound, Refused, StoreError
from outlast.model.budget import NOTHING
from outlast.model.commands import SetBudget, TakeInterjections
from outlast.model.execute import return_commit
from outlast.system.threads import call_in_pool, call_to_end

if TYPE_CHECKING:
    from outlast.agent.runtime.lane import CallNext, Lane

# Errors that mean that another runner created the plan first.
RACE_LOST: Final = (PlanExists, PlanNotFound, Refused)


async def create_plan(effect: e.CreatePlan, lane: Lane, _call_next: CallNext) -> Outcome:
    """Create a plan where there is none or the last one has ended, and switch to it.

    If another runner created the plan first, `CreationRaceLost` is raised and no effect is executed
    without that plan.
    """
    run, resources = lane.run, lane.run.resources
    async with run.hold_messages():
        if not run.is_scratch:
            await _leave_ended_plan(lane)
        await lane.flush()
        await lane.refresh()  # a message may have arrived from another thread
        acquire = resources.holder.acquire
        create = partial(resources.create_plan, effect.goal, acquire, run.budget)
        handover = run.handover_commands()
        try:
            plan, lease = await call_to_end(create)
        except RACE_LOST as error:
            raise e.CreationRaceLost(error) from error
        run.switch_to(plan, lease)
        await lane.commit(handover, return_commit)
    try:
        await call_in_pool(run.recall_permissions)
    except StoreError as error:
        lane.emit(Notified(run.error_text(error), "permission"))
    return Recorded()


async def leave_ended_plan(effect: e.Think, lane: Lane, call_next: CallNext) -> Outcome:
    """Switch to a scratch plan before the first model call beside a plan that has ended.

    The cost of a new goal is not charged to the ended plan: it is charged to the scratch plan,
    whose counters the new plan takes over.
    """
    if lane.is_main and not lane.has_thought:
        lane.has_thought = True
        if not lane.run.is_scratch and (await lane.refresh()).has_ended:
            async with lane.run.hold_messages():
                await _leave_ended_plan(lane)
    return await call_next(effect)


async def _leave_ended_plan(lane: Lane) -> None:
    """Switch to a scratch plan, take messages along, and release the ended plan."""
    run, ended = lane.run, lane.run.plan
    holder, plan = run.resources.holder, run.resources.create_scratch()
    messages, carried = (await lane.refresh()).new_messages, run.message_commands()
    if messages:
        lane.defer(TakeInterjections(messages[-1].id))
    await lane.flush()
    lease = await call_to_end(partial(holder.acquire, plan))
    run.switch_to(plan, lease, is_scratch=True)
    run.recall_permissions()  # those of the ended plan were for that plan
    run.used_before = NOTHING
    await lane.commit((SetBudget(run.spec.limits()), *carried), return_commit)
    await call_in_pool(partial(holder.release, ended))
