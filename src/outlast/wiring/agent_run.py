"""One run of an agent: lease the plan, build the pipeline, drive the loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from outlast.adapters.drivers.local import never, run
from outlast.application.loops.chat import converse
from outlast.application.loops.session import LoopOptions
from outlast.application.runtime.lease_holder import LeaseHolder, was_interrupted
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

    def __init__(self, choices: AgentOptions, holder: LeaseHolder) -> None:
        """Open and lease the plan; raise `TaskClaimed` while another run holds it."""
        self._chosen, self._holder = choices, holder
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
        chosen = self._chosen
        loop = converse(
            message,
            tools=tool_specs(chosen.tools),
            plan_tools=plan_tool_specs(chosen.settings.loop.plan_tools),
            options=self._loop_options(),
            language=chosen.language,
            interrupted=self.interrupted,
        )
        try:
            return await run(loop, build_pipeline(self.run, self._kit()), chosen.is_cancelled)
        except LeaseLost:
            said = text("loop_overtaken", chosen.language)
            stopped = Stopped(self.run.plan.status, "overtaken", said)
        send_event(chosen.listener, stopped)
        return stopped

    def _reopen_run(self) -> None:
        """Open the plan again; carry over what was spent and said so far."""
        spent = Charge(self.run.used, planning=self.run.planning)
        self._holder.release_all()
        desk = self._open_run(spent)
        with self._messages_lock:
            self.run = desk
            for message in self._messages:
                desk.post_message(message)

    def _open_run(self, *spent: Charge) -> Run:
        trouble = None
        try:
            plan = self._find_plan() if self._chosen.planning else None
            if plan is not None and not (spent and plan.status in ("completed", "failed")):
                self.interrupted = was_interrupted(plan)
                return self._lease_plan(plan, *spent)
        except PlanNotFound:  # several plans are open: the caller must choose
            raise
        except StoreError as error:
            trouble = error
        run = self._lease_plan(self._chosen.locator.scratch_plan(), *spent, is_scratch=True)
        run.store_error = trouble
        return run

    def _find_plan(self) -> Plan | None:
        self._chosen.locator.clean_up(self._chosen.settings.cleanup)
        return self._chosen.locator.find()

    def _lease_plan(self, plan: Plan, *spent: Charge, is_scratch: bool = False) -> Run:
        held, language = self._holder.acquire(plan), self._chosen.language
        run = Run(plan, held, is_scratch=is_scratch, language=language)
        known = run.view().budget
        run.commit((*spent, SetBudget(self._effective_budget(known))), run.view_after)
        return run

    def _effective_budget(self, known: Budget) -> Budget:
        """Return each limit from the options, else from the plan, else from the settings."""
        defaults, given = self._chosen.settings.budget, self._chosen.budget or NO_LIMIT
        return update_budget(update_budget(defaults, known), given)

    def _loop_options(self) -> LoopOptions:
        chosen, loop = self._chosen, self._chosen.settings.loop
        return LoopOptions(
            max_iterations=chosen.max_iterations,
            policy=loop.policy,
            words=loop.words,
            least_iterations=loop.least_iterations,
            most_iterations=loop.most_iterations,
            auto_create_plan=chosen.settings.auto_create_plan,
            context_characters=loop.context_characters,
            enable_planning=chosen.planning,
            stop_limit=chosen.settings.rules.stop_limit,
        )

    def _hook_middleware(self, inner: Handler) -> Handler:
        chosen, settings = self._chosen, self._chosen.settings
        hooks = (*find_hooks(settings.hooks.python), *chosen.hooks)
        return HookMiddleware(inner, self.run, settings, hooks, chosen.language)

    def _permission_middleware(self, inner: Handler) -> Handler:
        chosen = self._chosen
        return Permission(
            inner,
            self.run,
            chosen.tools,
            allow=chosen.allow,
            yes=chosen.yes,
            language=chosen.language,
        )

    def _kit(self) -> Dependencies:
        chosen = self._chosen
        return Dependencies(
            model=chosen.model,
            tools=chosen.tools,
            holder=self._holder,
            create_plan=chosen.locator.create,
            create_scratch=chosen.locator.scratch_plan,
            sleep=chosen.sleep,
            timeout=chosen.timeout,
            settings=chosen.settings,
            budget=self._effective_budget(NO_LIMIT),
            listener=chosen.listener,
            person=chosen.person,
            transcript_of=chosen.locator.transcript_of,
            permission=self._permission_middleware,
            hooks=self._hook_middleware,
            language=chosen.language,
        )
