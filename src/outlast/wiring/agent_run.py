"""One run of an agent: lease the plan, build the pipeline, drive the loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from outlast.adapters.drivers.local import never, run
from outlast.application.loops.chat import converse
from outlast.application.loops.session import LoopOptions
from outlast.application.runtime.lease_holder import LeaseHolder, has_stale_lease
from outlast.application.runtime.listeners import send_event
from outlast.application.runtime.middleware.hooks import HookMiddleware
from outlast.application.runtime.middleware.permission import Permission
from outlast.application.runtime.pipeline import Dependencies, build_pipeline, tool_specs
from outlast.application.runtime.run import Run
from outlast.application.tools.tool_sets import plan_tool_specs
from outlast.config.settings import Settings
from outlast.domain.budget import NO_LIMIT, update_budget
from outlast.domain.commands import Charge, SetBudget
from outlast.errors import PlanNotFound, StoreError
from outlast.ports.effects import CreationRaceLost, LeaseLost
from outlast.ports.events import Stopped
from outlast.texts import text
from outlast.wiring.hooks import find_hooks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from outlast.application.plan.plan import Plan
    from outlast.domain.budget import Budget
    from outlast.ports.effects import Handler
    from outlast.ports.events import Event
    from outlast.ports.hook import Hook
    from outlast.ports.model import Model
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool
    from outlast.texts import Language
    from outlast.wiring.plan_locator import PlanLocator


def _ignore_event(_event: Event) -> None:
    """Ignore an event."""


@dataclass(frozen=True)
class AgentOptions:
    """The validated options of an `AgentLoop`."""

    model: Model
    locator: PlanLocator
    tools: tuple[Tool, ...] = ()
    planning: bool = True
    max_iterations: int = 20
    budget: Budget | None = None
    settings: Settings = field(default_factory=Settings)
    listener: Callable[[Event], object] = _ignore_event
    person: Person | None = None
    hooks: tuple[Hook, ...] = ()
    allow: tuple[str, ...] = ()
    yes: bool = False
    language: Language = "en"
    lease_seconds: int = 60
    is_cancelled: Callable[[], bool] = never
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    timeout: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout


class AgentRun:
    """Leases the plan, or a scratch plan instead of an unusable one, while a loop works on it."""

    def __init__(self, options: AgentOptions, holder: LeaseHolder) -> None:
        """Open and lease the plan; raise `TaskClaimed` while another run has the lease."""
        self._options, self._holder = options, holder
        self.interrupted = False
        self._messages: list[str] = []
        self._messages_lock = Lock()
        self.run = self._open_run()

    def say(self, message: str) -> None:
        """Record a person's message for the loop. Thread-safe."""
        with self._messages_lock:
            self.run.post_message(message)
            self._messages.append(message)

    async def execute(self, message: str) -> Stopped:
        """Work on a message; if another run created the plan first, start again on that plan."""
        try:
            return await self._converse(message)
        except CreationRaceLost:
            self._reopen_run()
        try:
            return await self._converse(message)
        except CreationRaceLost as again:
            raise again.error from None

    async def _converse(self, message: str) -> Stopped:
        options = self._options
        loop = converse(
            message,
            tools=tool_specs(options.tools),
            plan_tools=plan_tool_specs(options.settings.loop.plan_tools),
            options=self._loop_options(),
            language=options.language,
            interrupted=self.interrupted,
        )
        try:
            return await run(
                loop, build_pipeline(self.run, self._dependencies()), options.is_cancelled
            )
        except LeaseLost:
            reason = text("loop_overtaken", options.language)
            stopped = Stopped(self.run.plan.status, "overtaken", reason)
        send_event(options.listener, stopped)
        return stopped

    def _reopen_run(self) -> None:
        """Open the plan again; carry over the spending and the messages of this run."""
        spent = Charge(self.run.used, planning=self.run.planning)
        self._holder.release_all()
        new_run = self._open_run(spent)
        with self._messages_lock:
            self.run = new_run
            for message in self._messages:
                new_run.post_message(message)

    def _open_run(self, *spent: Charge) -> Run:
        store_error = None
        try:
            plan = self._find_plan() if self._options.planning else None
            if plan is not None and not (spent and plan.status in ("completed", "failed")):
                self.interrupted = has_stale_lease(plan)
                return self._lease_plan(plan, *spent)
        except PlanNotFound:  # several plans are open: the caller must choose
            raise
        except StoreError as error:
            store_error = error
        run = self._lease_plan(self._options.locator.scratch_plan(), *spent, is_scratch=True)
        run.store_error = store_error
        return run

    def _find_plan(self) -> Plan | None:
        self._options.locator.clean_up(self._options.settings.cleanup)
        return self._options.locator.find()

    def _lease_plan(self, plan: Plan, *spent: Charge, is_scratch: bool = False) -> Run:
        lease, language = self._holder.acquire(plan), self._options.language
        run = Run(plan, lease, is_scratch=is_scratch, language=language)
        known = run.view().budget
        run.commit((*spent, SetBudget(self._effective_budget(known))), run.view_after)
        return run

    def _effective_budget(self, known: Budget) -> Budget:
        """Return each limit from the options, else from the plan, else from the settings."""
        defaults, given = self._options.settings.budget, self._options.budget or NO_LIMIT
        return update_budget(update_budget(defaults, known), given)

    def _loop_options(self) -> LoopOptions:
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
        )

    def _hook_middleware(self, inner: Handler) -> Handler:
        options, settings = self._options, self._options.settings
        hooks = (*find_hooks(settings.hooks.python), *options.hooks)
        return HookMiddleware(inner, self.run, settings, hooks, options.language)

    def _permission_middleware(self, inner: Handler) -> Handler:
        options = self._options
        return Permission(
            inner,
            self.run,
            options.tools,
            allow=options.allow,
            yes=options.yes,
            language=options.language,
        )

    def _dependencies(self) -> Dependencies:
        options = self._options
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
            permission=self._permission_middleware,
            hooks=self._hook_middleware,
            language=options.language,
        )
