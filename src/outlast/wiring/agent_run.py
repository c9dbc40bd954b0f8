"""One run of an agent: who sits down at which plan, with what at hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from outlast.adapters.drivers.local import never, run
from outlast.application.loops.chat import converse
from outlast.application.loops.options import LoopOptions
from outlast.application.runtime.lease import Holder, was_interrupted
from outlast.application.runtime.listener import inform
from outlast.application.runtime.middleware.hooks import HooksAsked
from outlast.application.runtime.middleware.permission import Permission
from outlast.application.runtime.pipeline import Kit, specs, stacked
from outlast.application.runtime.run import Desk
from outlast.application.tools.sets import plan_tool_specs
from outlast.config.settings import Settings
from outlast.domain.budget import NO_LIMIT, renewed
from outlast.domain.loop_commands import Charge, SetBudget
from outlast.errors import PlanNotFound, StoreError
from outlast.ports.effects import Overtaken, Preceded
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
    from outlast.wiring.plan_locator import PlanPlace


def _unheard(_event: Event) -> None:
    """Listen to nothing."""


@dataclass(frozen=True)
class Choices:
    """All that an agent was told when it was put together."""

    model: Model
    place: PlanPlace
    tools: tuple[Tool, ...] = ()
    planning: bool = True
    max_iterations: int = 20
    budget: Budget | None = None
    settings: Settings = field(default_factory=Settings)
    listener: Callable[[Event], object] = _unheard
    person: Person | None = None
    hooks: tuple[Hook, ...] = ()
    allow: tuple[str, ...] = ()
    yes: bool = False
    language: Language = "en"
    lease_seconds: int = 60
    is_over: Callable[[], bool] = never
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    timeout: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout


class AgentRun:
    """Holds the plan, or stands in for one that cannot be used, while a loop works on it."""

    def __init__(self, choices: Choices, holder: Holder) -> None:
        """Sit down at the plan, if there is one; refused while another runner holds it."""
        self._choices, self._holder = choices, holder
        self.interrupted = False
        self._said: list[str] = []
        self._speaking = Lock()
        self.desk = self._sit_down()

    def say(self, message: str) -> None:
        """Say something to the loop in a person's name; may be called from any thread."""
        with self._speaking:
            self.desk.say(message)
            self._said.append(message)

    async def go(self, message: str) -> Stopped:
        """Do what a message asks for; who is preceded does it on the plan that is there then."""
        try:
            return await self._converse(message)
        except Preceded:
            self._sit_down_again()
        try:
            return await self._converse(message)
        except Preceded as again:
            raise again.error from None

    async def _converse(self, message: str) -> Stopped:
        chosen = self._choices
        loop = converse(
            message,
            tools=specs(chosen.tools),
            plan_tools=plan_tool_specs(chosen.settings.loop.plan_tools),
            options=self._options(),
            language=chosen.language,
            interrupted=self.interrupted,
        )
        try:
            return await run(loop, stacked(self.desk, self._kit()), chosen.is_over)
        except Overtaken:
            said = text("loop_overtaken", chosen.language)
            stopped = Stopped(self.desk.plan.status, "overtaken", said)
        inform(chosen.listener, stopped)
        return stopped

    def _sit_down_again(self) -> None:
        """Come to the plan as if only now; what was spent and said so far still counts."""
        spent = Charge(self.desk.used, planning=self.desk.planning)
        self._holder.let_go()
        desk = self._sit_down(spent)
        with self._speaking:
            self.desk = desk
            for message in self._said:
                desk.say(message)

    def _sit_down(self, *spent: Charge) -> Desk:
        trouble = None
        try:
            plan = self._find() if self._choices.planning else None
            if plan is not None and not (spent and plan.status in ("completed", "failed")):
                self.interrupted = was_interrupted(plan)
                return self._at(plan, *spent)
        except PlanNotFound:  # there are several, and somebody has to say which
            raise
        except StoreError as error:
            trouble = error
        desk = self._at(self._choices.place.makeshift(), *spent, kept=False)
        desk.trouble = trouble
        return desk

    def _find(self) -> Plan | None:
        self._choices.place.clean_up(self._choices.settings.cleanup)
        return self._choices.place.find()

    def _at(self, plan: Plan, *spent: Charge, kept: bool = True) -> Desk:
        held, language = self._holder.take(plan), self._choices.language
        desk = Desk(plan, held, kept=kept, language=language)
        known = desk.look().budget
        desk.commit((*spent, SetBudget(self._limits(known))), desk.view_after)
        return desk

    def _limits(self, known: Budget) -> Budget:
        """Return what holds of each: what was given now, else what the plan has, else a setting."""
        usual, given = self._choices.settings.budget, self._choices.budget or NO_LIMIT
        return renewed(renewed(usual, known), given)

    def _options(self) -> LoopOptions:
        chosen, loop = self._choices, self._choices.settings.loop
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

    def _hooked(self, inner: Handler) -> Handler:
        chosen, settings = self._choices, self._choices.settings
        hooks = (*find_hooks(settings.hooks.python), *chosen.hooks)
        return HooksAsked(inner, self.desk, settings, hooks, chosen.language)

    def _guarded(self, inner: Handler) -> Handler:
        chosen = self._choices
        return Permission(
            inner,
            self.desk,
            chosen.tools,
            allow=chosen.allow,
            yes=chosen.yes,
            language=chosen.language,
        )

    def _kit(self) -> Kit:
        chosen = self._choices
        return Kit(
            model=chosen.model,
            tools=chosen.tools,
            holder=self._holder,
            found=chosen.place.found,
            makeshift=chosen.place.makeshift,
            sleep=chosen.sleep,
            timeout=chosen.timeout,
            settings=chosen.settings,
            budget=self._limits(NO_LIMIT),
            listener=chosen.listener,
            person=chosen.person,
            transcript_of=chosen.place.transcript_of,
            permission=self._guarded,
            hooks=self._hooked,
            language=chosen.language,
        )
