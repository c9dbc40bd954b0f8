"""An agent: a model and its tools, on a plan that outlasts them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from outlast.application.runtime.listener import inform
from outlast.application.runtime.notifications import notifying
from outlast.config.settings import Settings
from outlast.domain.budget import NO_LIMIT, renewed
from outlast.domain.decide.talk import check_said
from outlast.errors import InvalidStatus
from outlast.ports.events import Stopped
from outlast.texts import text
from outlast.wiring.people import notifier

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from outlast.application.plan.plan import Plan
    from outlast.domain.budget import Budget
    from outlast.ports.events import Event
    from outlast.ports.hook import Hook
    from outlast.ports.model import Model
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool
    from outlast.texts import Language
    from outlast.wiring.agent_run import AgentRun


class AgentLoop:
    """Lets a model work with tools, on a plan that it goes on with after any interruption.

    The plan is the one that is given, or the one with `key` in `workdir`, where the first reply
    that calls a tool makes it; without `workdir` it is in memory and ends with the process. The
    `budget` is the plan's. With `enable_planning=False` there is no plan, and the budget is for one
    run.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each thing that can be chosen
        self,
        *,
        model: Model | str,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        plan: Plan | None = None,
        workdir: str | os.PathLike[str] | None = None,
        key: str | None = None,
        enable_planning: bool = True,
        max_iterations: int | None = None,
        budget: Budget | None = None,
        settings: Settings | None = None,
        on_event: Callable[[Event], object] | None = None,
        person: Person | None = None,
        hooks: Iterable[Hook] = (),
        allow: Iterable[str] = (),
        yes: bool = False,
        language: Language | None = None,
        actor: str = "agent",
        lease_seconds: int = 60,
    ) -> None:
        """Put an agent together; nothing is opened, made or asked yet."""
        from outlast.application.hooks.own_hooks import checked
        from outlast.wiring.agent_checks import check_agent, check_price, check_workdir
        from outlast.wiring.agent_run import Choices
        from outlast.wiring.plan_locator import PlanPlace

        check_agent(
            model=model,
            plan=plan,
            max_iterations=max_iterations,
            budget=budget,
            settings=settings,
            on_event=on_event,
            person=person,
            tools=tools,
            allow=allow,
            enable_planning=enable_planning,
            yes=yes,
            language=language,
            actor=actor,
        )
        if plan is None and workdir is not None:
            check_workdir(workdir)
        known = settings or Settings()
        self._listeners = (on_event, _notifying(known))
        self._choices = Choices(
            model=_model(model, known),
            tools=_tools(tools, known),
            place=PlanPlace(plan, workdir, key, actor),
            planning=enable_planning and known.enabled,
            max_iterations=max_iterations or known.loop.max_iterations,
            budget=budget,
            settings=known,
            listener=self._listen,
            person=person,
            hooks=checked(hooks),
            allow=(*known.permissions.allow, *allow),
            yes=yes,
            language=language or ("zh" if known.language == "zh" else "en"),
            lease_seconds=lease_seconds,
            is_over=self._is_over,
        )
        self._run: AgentRun | None = None
        self._task: asyncio.Task[Stopped] | None = None
        self._unsaid: list[str] = []
        self._stopped: Stopped | None = None
        self._cancelled = False
        check_price(renewed(known.budget, budget or NO_LIMIT), self._choices.model)

    async def run(self, message: str) -> Stopped:
        """Do what a message asks for, until that is done or something stops it; say which."""
        from outlast.wiring.agent_checks import check_message

        check_message(message)
        if self._task is not None:
            raise InvalidStatus("loop_runs_already")
        self._stopped, self._cancelled = None, False
        self._task = asyncio.create_task(self._work(message))
        try:
            return await self._task
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
            said = text("loop_cancelled", self._choices.language)
            return self._stopped or Stopped("idle", "cancelled", said)
        finally:
            self._task = None

    def cancel(self) -> None:
        """Have the run end as soon as it can, its plan paused; may be called from any thread."""
        task = self._task
        if task is not None:
            self._cancelled = True
            task.get_loop().call_soon_threadsafe(task.cancel)

    def say(self, message: str) -> None:
        """Say something to the agent at work, from any thread; its next iteration hears it."""
        run = self._run
        if run is None:
            self._unsaid.append(check_said(message))
        else:
            run.say(message)

    async def _work(self, message: str) -> Stopped:
        from outlast.application.runtime.lease import Holder
        from outlast.wiring.agent_run import AgentRun

        try:
            with Holder(self._choices.lease_seconds) as holder:
                self._run = AgentRun(self._choices, holder)
                while self._unsaid:
                    self._run.say(self._unsaid.pop(0))
                return await self._run.go(message)
        finally:
            self._run = None
            self._choices.place.close()

    def _is_over(self) -> bool:
        """Tell whether the run was cancelled, whoever may have kept that to himself."""
        task = self._task
        return task is not None and task.cancelling() > 0

    def _listen(self, event: Event) -> None:
        if isinstance(event, Stopped):
            self._stopped = event
        for listener in self._listeners:
            inform(listener, event)


async def run(  # noqa: PLR0913 - what people choose most often, and the rest
    goal: str,
    *,
    plan: Plan | None = None,
    model: Model | str,
    tools: Iterable[Tool | Callable[..., Any]] = (),
    budget: Budget | None = None,
    on_event: Callable[[Event], object] | None = None,
    **options: Any,  # noqa: ANN401 - the keywords of another function
) -> Stopped:
    """Let a model work towards a goal; go on from where an earlier run was interrupted.

    `options` are the other keywords of `AgentLoop`.
    """
    agent = AgentLoop(
        model=model, tools=tools, plan=plan, budget=budget, on_event=on_event, **options
    )
    return await agent.run(goal)


def _notifying(settings: Settings) -> Callable[[Event], object] | None:
    """Return what passes on to the user's command what a person should know."""
    found = notifier(settings.notify.command)
    return notifying(found) if found else None


def _model(model: Model | str, settings: Settings) -> Model:
    if not isinstance(model, str):
        return model
    from outlast.wiring.models import find_model

    return find_model(model, settings)


def _tools(given: Iterable[Tool | Callable[..., Any]], settings: Settings) -> tuple[Tool, ...]:
    """Return the tools that are given and those the user has enabled; no two have one name."""
    from outlast.application.tools.sets import NAMES
    from outlast.wiring.tools import gathered, installed

    return gathered((*given, *installed(settings.tools.enabled)), NAMES)
