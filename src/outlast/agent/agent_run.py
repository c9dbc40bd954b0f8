"""One run of an agent: lease the plan, open the main lane, drive the loop."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import structs

from outlast.agent.agent_spec import AgentSpec, Delegation, Replan, ToolLoop
from outlast.agent.dry_run import restrict_to_planning
from outlast.agent.effects import CreationRaceLost, LeaseLost, Loop
from outlast.agent.events import Event, Notified, Stopped
from outlast.agent.loops.chat import converse
from outlast.agent.loops.replan_loop.loop import replan_conversation
from outlast.agent.loops.session import History
from outlast.agent.runtime.driver import run
from outlast.agent.runtime.lease_holder import has_stale_lease
from outlast.agent.runtime.listeners import send_event
from outlast.agent.runtime.middleware.plan_switches import RACE_LOST
from outlast.agent.runtime.pipeline import main_lane
from outlast.agent.runtime.run import Resources, Run, wait_until_stored
from outlast.errors import PlanClosed, PlanNotFound, StoreError
from outlast.hooks.custom import find_hooks
from outlast.language import text
from outlast.language.times import write_local
from outlast.model.budget import NOTHING, Spend, spend_between, sum_spend
from outlast.model.commands import Charge, SetBudget
from outlast.model.intents import is_continue, is_goal, is_same_goal
from outlast.plan.plan import Plan
from outlast.plan.tools.tool_sets import plan_tool_specs, tool_specs
from outlast.redact.truncate import text_of
from outlast.system.clock import find_zone, now
from outlast.system.environment import set_plan_variable
from outlast.system.threads import call_in_pool, call_to_end

if TYPE_CHECKING:
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.agent.plan_locator import PlanLocator
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState


class _PlanInUse(Plan):
    """The plan of a running loop. Closing it closes nothing: the loop still needs it."""

    __slots__ = ()

    def close(self) -> None:
        """Leave the plan open."""


class AgentRun:
    """Leases the plan, or a scratch plan instead of an unusable one, while a loop works on it.

    Opening and leasing block, so `execute` does that in a thread.
    """

    def __init__(
        self,
        spec: AgentSpec,
        resources: Resources,
        locator: PlanLocator,
        history: History | None = None,
    ) -> None:
        """Remember what to work with and the conversation so far; nothing is opened yet."""
        self._spec, self._resources, self._locator = spec, resources, locator
        self._holder = resources.holder
        self._history = History() if history is None else history
        self._messages: list[str] = []
        self._plan_only = False
        self._posted = 0  # messages that the present run has
        self._messages_lock = Lock()
        self.run: Run | None = None

    def say(self, message: str) -> None:
        """Send a person's message to the loop, once the plan is open. Thread-safe."""
        with self._messages_lock:
            self._messages.append(message)
            posted = self._post_messages()
        wait_until_stored(posted)

    @property
    def plan(self) -> Plan | None:
        """The plan that the loop works on; None while it has none but a scratch plan."""
        run = self.run
        return None if run is None or run.is_scratch else _PlanInUse(run.plan.core)

    def cost(self) -> Spend:
        """Return what the run has cost so far."""
        return NOTHING if self.run is None else self.run.cost()

    async def execute(self, message: str, *, resume: bool = False) -> Stopped:
        """Work on a message; if another run created the plan first, start again on that plan.

        Raises `TaskClaimed` while another run has the lease of the plan.
        """
        set_plan_variable(self._locator.stored_key)
        try:
            return await self._converse(message, resume=resume)
        except CreationRaceLost:
            await call_in_pool(self._holder.release_all)
        try:
            return await self._converse(message, resume=resume)
        except CreationRaceLost as again:
            raise again.error from None

    async def _converse(self, message: str, *, resume: bool) -> Stopped:
        spec = self._spec
        current, interrupted = await call_to_end(partial(self._open_run, message, resume=resume))
        self._switch_run(current)
        for key, details in self._locator.take_notices():
            self._send(Notified(text(key, spec.language, **details), "plan"))
        if spec.delegation is not None:
            await call_in_pool(partial(self._tell_agents, message, current))
        loop = self._make_loop(message, current, interrupted=interrupted, resume=resume)
        try:
            lane = main_lane(current)
            lane.has_thought = spec.needs_plan  # it never leaves an ended plan
            return await run(loop, lane)
        except LeaseLost:
            reason = text("loop_overtaken", spec.language)
            status = await call_in_pool(lambda: current.plan.status)
            stopped = Stopped(status, "overtaken", reason)
        self._send(stopped)
        return stopped

    def _send(self, event: Event) -> None:
        send_event(self._resources.listener, event)

    def _make_loop(
        self, message: str, current: Run, *, interrupted: bool, resume: bool
    ) -> Loop[Stopped]:
        """Return the loop of the spec, told what is known now that its run begins."""
        spec, speaker = self._spec, current.resources.speaker
        match spec.loop:
            case Delegation() as how:
                plan_only = how.plan_only or self._plan_only
                how = structs.replace(how, plan_only=plan_only)
                loop: Loop[Stopped] = how.crew.loop(how, spec.language)
                return loop
            case Replan() as how:
                how = structs.replace(
                    how,
                    tools=tool_specs(self._resources.tools),
                    moment=write_local(_local_time(spec)),
                    language=spec.language,
                    plan_only=self._plan_only,
                )
                return replan_conversation(message, how, speaker=speaker, resume=resume)
            case ToolLoop() as how:
                can_ask = spec.ask or spec.settings.loop.ask_unattended
                how = structs.replace(
                    how,
                    enable_planning=how.enable_planning and spec.plans,
                    can_ask=spec.person is not None or can_ask,
                    speaker=speaker,
                )
                return converse(
                    message,
                    tools=tool_specs(current.resources.tools),
                    plan_tools=plan_tool_specs(spec.settings.loop.plan_tools),
                    options=how,
                    language=spec.language,
                    history=self._history,
                    interrupted=interrupted,
                    resume=resume,
                )

    def _tell_agents(self, message: str, current: Run) -> None:
        """Tell the agents what is neither the goal of the plan nor a phrase such as "continue"."""
        if not (is_continue(message) or is_same_goal(current.plan.goal, message)):
            self.say(message)

    def _switch_run(self, current: Run) -> None:
        """Send the messages of the former run to the new one too."""
        with self._messages_lock:
            self.run, self._posted = current, 0
            posted = self._post_messages()
        wait_until_stored(posted)

    def _post_messages(self) -> list[Future[Commit]]:
        if self.run is None:
            return []
        unposted = self._messages[self._posted :]
        self._posted = len(self._messages)
        return [self.run.post_message(message) for message in unposted]

    def _open_run(self, message: str, *, resume: bool) -> tuple[Run, bool]:
        """Open and lease the plan of a message; tell whether its last runner died.

        The spending of a former run, which lost the race to create the plan, is carried over.
        """
        store_error, spent, may_act = None, list[Charge](), not self._spec.dry_run
        if self.run is not None:
            spent.append(Charge(self.run.used, planning=self.run.planning))
        try:
            plan = self._find_plan(message, resume=resume) if self._spec.plans else None
            if plan is not None:
                may_act = may_act and not plan.needs_approval
                if not (spent and plan.status in ("completed", "failed")):
                    interrupted = has_stale_lease(plan)
                    return self._lease_plan(plan, *spent, may_act=may_act), interrupted
        except (PlanNotFound, PlanClosed):  # a mistake of the caller, not a failure of the store
            raise
        except StoreError as error:
            store_error = error
        if self._spec.needs_plan:
            raise store_error or PlanNotFound("nothing_to_run", candidates=[])
        scratch = self._locator.scratch_plan()
        run = self._lease_plan(scratch, *spent, may_act=may_act, is_scratch=True)
        run.store_error = store_error
        return run, False

    def _find_plan(self, message: str, *, resume: bool) -> Plan | None:
        locator = self._locator
        locator.clean_up(self._spec.settings.cleanup)
        plan = locator.find_for(message, resume=resume)
        has_task = plan is not None and plan.status not in ("completed", "failed")
        how = self._spec.loop
        creates = isinstance(how, Replan) and not how.in_chat  # the assistant creates its tasks
        if not creates or has_task or resume or not is_goal(message):
            return plan
        goal, budget = text_of(message), self._spec.limits()
        try:
            plan, _ = locator.create(goal, self._holder.acquire, budget)
        except RACE_LOST as error:
            raise CreationRaceLost(error) from error
        self._holder.release(plan)  # to be leased like one that existed
        return plan

    def _lease_plan(
        self, plan: Plan, *spent: Charge, may_act: bool, is_scratch: bool = False
    ) -> Run:
        lease = self._holder.acquire(plan)
        may_act = may_act and not plan.needs_approval  # another process may have had the lease
        self._plan_only = not may_act
        spec, resources = self._spec, self._resources
        if not may_act:
            spec, resources = restrict_to_planning(spec, resources)
        hooks = (*find_hooks(spec.settings.hooks.python), *resources.hooks)
        resources = replace(resources, hooks=hooks)
        run = Run(plan, lease, spec, resources, is_scratch=is_scratch)
        run.last_run = spec.last_run(plan.last_run)
        budget = self._spec.limits(plan.budget.limits())

        def remember(state: PlanState, _commit: Commit) -> None:
            run.remember(state)

        try:  # first: the plan must not remember an agent that nobody seems to have chosen
            run.recall_permissions()
        except StoreError as error:
            self._locator.add_notice(error.text, error.details)
        about_run = () if is_scratch else run.run_commands()
        run.core.commit((*spent, SetBudget(budget), *about_run), remember)
        run.used_before = spend_between(sum_spend(charge.spend for charge in spent), run.used)
        return run


def _local_time(spec: AgentSpec) -> datetime:
    if spec.clock is not None:
        return spec.clock()
    return now().astimezone(find_zone(spec.settings.assistant.time_zone))
