"""Switch a run to another plan: to a new one, away from an ended one, and from one that is lost.

When the plan can no longer be read or written, the run falls back to a scratch plan and reports it
once.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Outcome, Recorded, Settled
from outlast.agent.events import Notified
from outlast.errors import (
    HistoryDiverged,
    PlanClosed,
    PlanExists,
    PlanNotFound,
    Refused,
    StoreError,
)
from outlast.model.budget import NOTHING
from outlast.model.commands import SetBudget, TakeInterjections
from outlast.model.execute import return_commit
from outlast.system.threads import call_in_pool, call_to_end

if TYPE_CHECKING:
    from outlast.agent.runtime.lane import CallNext, Lane
    from outlast.agent.runtime.run import Run

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


async def fall_back(effect: e.Effect, lane: Lane, call_next: CallNext) -> Outcome:
    """Handle an effect; on a store error, switch to a scratch plan with the same budget.

    An effect for a task is then executed for the plan as a whole. A commit to the lost plan is
    refused. The run creates no other stored plan. A run with several lanes, or one that needs its
    plan, cannot go on: there the error is raised. So is `HistoryDiverged` always: a plan that was
    rolled back would later have the work done again.
    """
    run = lane.run
    if isinstance(effect, e.CreatePlan) and run.store_error:
        return _refusal(run, run.store_error)
    started_before = lane.attempts_started
    try:
        if run.store_error and not run.is_error_reported:
            raise run.store_error
        outcome = await call_next(effect)
    except PlanClosed:  # by the caller, not by a failure
        raise
    except StoreError as error:
        await _switch_to_scratch(lane, error)
        is_untried = lane.attempts_started == started_before
        return await _handle_on_scratch(effect, lane, call_next, error, is_untried=is_untried)
    if run.store_error and not run.is_error_reported:
        await _switch_to_scratch(lane, run.store_error)
    return outcome


async def _handle_on_scratch(
    effect: e.Effect, lane: Lane, call_next: CallNext, error: StoreError, *, is_untried: bool
) -> Outcome:
    """Handle an effect on the scratch plan, unless it may have been executed already."""
    match effect:
        case e.Act() | e.PlanTool() if not is_untried or isinstance(effect, e.PlanTool):
            return Acted(error=lane.run.error_text(error), code=error.code)
        case e.Attempted():
            return await call_next(replace(effect, task=None))
        case e.Settle():
            return Settled("unknown")
        case e.Record() | e.CreatePlan():
            return _refusal(lane.run, error)
        case _:
            return await call_next(effect)


def _refusal(run: Run, error: StoreError) -> Recorded:
    return Recorded(error.code, run.error_text(error))


async def _switch_to_scratch(lane: Lane, error: StoreError) -> None:
    run = lane.run
    run.store_error = error
    if run.needs_plan or isinstance(error, HistoryDiverged):
        raise error
    if not run.is_scratch:
        with suppress(StoreError):  # it may be well again: keep the ends
            await lane.flush()
        async with run.hold_messages():
            commands, plan = run.handover_commands(), run.resources.create_scratch()
            lease = await call_to_end(partial(run.resources.holder.acquire, plan))
            run.switch_to(plan, lease, is_scratch=True)
            lane.drop_pending()
            await lane.commit(commands, return_commit)
    lane.report_lost_plan(error)
