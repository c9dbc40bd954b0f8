"""One run of an agent: lease the plan, open the main lane, drive the loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import structs

from outlast.agent.dry_run import restrict_to_planning
from outlast.agent.effects import CreationRaceLost, LeaseLost
from outlast.agent.events import Notified, Stopped
from outlast.agent.loops.chat import converse
from outlast.agent.loops.replan_loop.conversation import replan_conversation
from outlast.agent.loops.session import History, LoopOptions
from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions
from outlast.agent.runtime.driver import never, run
from outlast.agent.runtime.lease_holder import LeaseHolder, has_stale_lease
from outlast.agent.runtime.listeners import send_event
from outlast.agent.runtime.middleware.plan_creation import RACE_LOST
from outlast.agent.runtime.pipeline import main_lane
from outlast.agent.runtime.run import Dependencies, Run, wait_until_stored
from outlast.config.settings import Settings
from outlast.errors import PlanClosed, PlanNotFound, StoreError
from outlast.hooks.discovery import find_hooks
from outlast.language import text
from outlast.model.budget import NO_LIMIT, NOTHING, spend_between, sum_spend, update_budget
from outlast.model.commands import Charge, SetBudget
from outlast.model.intents import is_continue, is_goal, is_same_goal
from outlast.model.model import ASSISTANT, PERSON, LastRun
from outlast.orchestrator.scheduler import orchestrate
from outlast.plan.plan import Plan
from outlast.plan.tools.tool_sets import plan_tool_specs, tool_specs
from outlast.redact.truncate import text_of
from outlast.system.caller import host_agent
from outlast.system.environment import set_plan_variable
from outlast.system.threads import call_in_pool, call_to_end

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future
    from contextlib import AbstractAsyncContextManager

    from outlast.agent.events import Event
    from outlast.agent.loops.replan_loop.options import ReplanOptions
    from outlast.agent.people.person import Person
    from outlast.agent.permissions import PermissionStore
    from outlast.agent.plan_locator import PlanLocator
    from outlast.agent.runtime.workspace_port import WorkspaceProbe
    from outlast.agent.work import Agent, Permissions, Preflight
    from outlast.context.chat_model import Model
    from outlast.context.tool import Tool
    from outlast.hooks.port import Hook
    from outlast.language import Language
    from outlast.model.budget import Budget, Spend
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.orchestrator.options import OrchestratorOptions
    from outlast.store.port import Notice


def _ignore_event(_event: Event) -> None:
    """Ignore an event."""


@dataclass(frozen=True)
class AgentOptions:
    """The validated options of an `AgentLoop`; `model_name` is what the plan remembers.

    With `orchestrator`, the run lets `agent` carry out the tasks of a plan that exists. With
    `replan`, the replan loop works on the plan, which a message that is a goal creates.
    """

    model: Model
    locator: PlanLocator
    model_name: str = ""
    tools: tuple[Tool, ...] = ()
    planning: bool = True
    max_iterations: int = 20
    budget: Budget | None = None
    settings: Settings = field(default_factory=Settings)
    listener: Callable[[Event], object] = _ignore_event
    person: Person | None = None
    person_name: str = ""
    ask: bool = False
    hooks: tuple[Hook, ...] = ()
    allow: tuple[str, ...] = ()
    yes: bool = False
    dry_run: bool = False
    permission_store: PermissionStore | None = None
    chosen: PlanPermissions = NO_PERMISSIONS
    language: Language = "en"
    actor: str = "agent"
    lease_seconds: int = 60
    orchestrator: OrchestratorOptions | None = None
    replan: ReplanOptions | None = None
    agent: Agent | None = None
    agent_permissions: Permissions = "edit"
    agent_timeout: float = 600.0
    preflight: Preflight | None = None
    probe: WorkspaceProbe | None = None
    is_cancelled: Callable[[], bool] = never
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    timeout: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout

    @property
    def needs_plan(self) -> bool:
        """Whether the loop cannot work without a plan that lasts."""
        return self.orchestrator is not None or self.replan is not None


def _plan_only(options: AgentOptions) -> AgentOptions:
    only = restrict_to_planning(options.tools, options.settings, options.language)
    hooks = (*options.hooks, only.hook)
    return replace(options, tools=only.tools, settings=only.settings, hooks=hooks)


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
        self, options: AgentOptions, holder: LeaseHolder, history: History | None = None
    ) -> None:
        """Remember the options and the conversation so far; nothing is opened yet."""
        self._options, self._holder = options, holder
        self._history = History() if history is None else history
        self._messages: list[str] = []
        self._notices: list[Notice] = []
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
        set_plan_variable(self._options.locator.stored_key)
        try:
            return await self._converse(message, resume=resume)
        except CreationRaceLost:
            await call_in_pool(self._holder.release_all)
        try:
            return await self._converse(message, resume=resume)
        except CreationRaceLost as again:
            raise again.error from None

    async def _converse(self, message: str, *, resume: bool) -> Stopped:
        options = self._options
        current, interrupted = await call_to_end(partial(self._open_run, message, resume=resume))
        self._switch_run(current)
        for key, details in (*options.locator.take_notices(), *self._take_notices()):
            send_event(options.listener, Notified(text(key, options.language, **details), "plan"))
        if options.orchestrator is not None:
            await call_in_pool(partial(self._tell_agents, message, current))
            plan_only = options.orchestrator.plan_only or self._plan_only
            how = structs.replace(options.orchestrator, plan_only=plan_only)
            loop = orchestrate(how, options.language)
        elif options.replan is not None:
            speaker = current.dependencies.speaker
            replan = structs.replace(options.replan, plan_only=self._plan_only)
            loop = replan_conversation(message, replan, speaker=speaker, resume=resume)
        else:
            loop = converse(
                message,
                tools=tool_specs(current.dependencies.tools),
                plan_tools=plan_tool_specs(options.settings.loop.plan_tools),
                options=self._loop_options(current.dependencies.speaker),
                language=options.language,
                history=self._history,
                interrupted=interrupted,
                resume=resume,
            )
        try:
            lane = main_lane(current)
            lane.has_thought = options.needs_plan  # it never leaves an ended plan
            return await run(loop, lane, options.is_cancelled)
        except LeaseLost:
            reason = text("loop_overtaken", options.language)
            status = await call_in_pool(lambda: current.plan.status)
            stopped = Stopped(status, "overtaken", reason)
        send_event(options.listener, stopped)
        return stopped

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
        store_error, spent, may_act = None, list[Charge](), not self._options.dry_run
        if self.run is not None:
            spent.append(Charge(self.run.used, planning=self.run.planning))
        try:
            plan = self._find_plan(message, resume=resume) if self._options.planning else None
            if plan is not None:
                may_act = may_act and not plan.needs_approval
                if not (spent and plan.status in ("completed", "failed")):
                    interrupted = has_stale_lease(plan)
                    return self._lease_plan(plan, *spent, may_act=may_act), interrupted
        except (PlanNotFound, PlanClosed):  # a mistake of the caller, not a failure of the store
            raise
        except StoreError as error:
            store_error = error
        if self._options.needs_plan:
            raise store_error or PlanNotFound("nothing_to_run", candidates=[])
        scratch = self._options.locator.scratch_plan()
        run = self._lease_plan(scratch, *spent, may_act=may_act, is_scratch=True)
        run.store_error = store_error
        return run, False

    def _find_plan(self, message: str, *, resume: bool) -> Plan | None:
        locator = self._options.locator
        locator.clean_up(self._options.settings.cleanup)
        plan = locator.find_for(message, resume=resume)
        has_task = plan is not None and plan.status not in ("completed", "failed")
        replan = self._options.replan
        creates = replan is not None and not replan.in_chat  # the assistant creates its tasks
        if not creates or has_task or resume or not is_goal(message):
            return plan
        goal, budget = text_of(message), self._effective_budget(NO_LIMIT)
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
        options = self._options if may_act else _plan_only(self._options)
        dependencies = self._dependencies(options, plan.last_run)
        run = Run(plan, lease, dependencies, is_scratch=is_scratch)
        budget = self._effective_budget(plan.budget.limits())

        def remember(state: PlanState, _commit: Commit) -> None:
            run.remember(state)

        about_run = () if is_scratch else run.run_commands()
        run.core.commit((*spent, SetBudget(budget), *about_run), remember)
        try:
            run.recall_permissions()
        except StoreError as error:
            self._notices.append((error.text, error.details))
        run.used_before = spend_between(sum_spend(charge.spend for charge in spent), run.used)
        return run

    def _take_notices(self) -> list[Notice]:
        notices, self._notices = self._notices, []
        return notices

    def _effective_budget(self, known: Budget) -> Budget:
        """Return each limit from the options, else from the plan, else from the settings."""
        defaults, own = self._options.settings.budget, self._options.budget or NO_LIMIT
        return update_budget(update_budget(defaults, known), own)

    def _loop_options(self, speaker: str) -> LoopOptions:
        options, loop = self._options, self._options.settings.loop
        return LoopOptions(
            max_iterations=options.max_iterations,
            policy=loop.policy,
            words=loop.words,
            least_iterations=loop.least_iterations,
            most_iterations=loop.most_iterations,
            auto_create_plan=options.settings.auto_create_plan,
            context_characters=loop.context_characters,
            enable_planning=options.planning,
            stop_limit=options.settings.rules.stop_limit,
            can_ask=options.person is not None or options.ask or loop.ask_unattended,
            speaker=speaker,
        )

    def _dependencies(self, options: AgentOptions, known: LastRun | None) -> Dependencies:
        return Dependencies(
            model=options.model,
            tools=options.tools,
            holder=self._holder,
            create_plan=options.locator.create,
            create_scratch=options.locator.scratch_plan,
            sleep=options.sleep,
            timeout=options.timeout,
            settings=options.settings,
            budget=self._effective_budget(NO_LIMIT),
            listener=options.listener,
            person=options.person,
            transcript_of=options.locator.transcript_of,
            hooks=(*find_hooks(options.settings.hooks.python), *options.hooks),
            allow=options.allow,
            yes=options.yes,
            permission_store=options.permission_store,
            chosen=options.chosen,
            last_run=_last_run(options, known),
            dry_run=options.dry_run,
            needs_plan=options.needs_plan,
            has_rules=options.replan is None,  # they tell of plan tools, which that loop has not
            slots=options.orchestrator.parallel if options.orchestrator else 1,
            agent=options.agent,
            agent_permissions=options.agent_permissions,
            agent_timeout=options.agent_timeout,
            preflight=options.preflight,
            probe=options.probe,
            language=options.language,
            speaker=options.actor if host_agent() else PERSON,
            person_name=options.person_name,
        )


def _last_run(options: AgentOptions, known: LastRun | None) -> LastRun:
    """Return what the plan remembers of a run with these options."""
    how = options.orchestrator or options.replan
    return LastRun(
        options.model_name,
        options.actor,
        options.language,
        options.max_iterations,
        options.agent.name if options.agent else "",
        options.orchestrator.parallel if options.orchestrator else 1,
        how is not None and how.review,
        _loop_name(options, known),
    )


def _loop_name(options: AgentOptions, known: LastRun | None) -> str:
    """Return the loop that the plan remembers; a task of the assistant stays one."""
    if options.replan is None:
        return "tools"
    was_assistant = known is not None and known.loop == ASSISTANT
    return ASSISTANT if options.replan.in_chat or was_assistant else "replan"
