"""`AgentLoop`: a model with tools, working on a durable plan."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self, get_args

from msgspec import structs

from outlast.agent import ahead  # noqa: F401 - what a run imports later
from outlast.agent.agent_spec import AgentSpec, Loop, PlanRef, Replan, ToolLoop
from outlast.agent.events import Event, Stopped, StopReason
from outlast.agent.people.notify import command_notifier
from outlast.agent.people.person import Person
from outlast.agent.runtime.listeners import notification_listener, send_event
from outlast.config.parse import check_settings
from outlast.config.settings import Settings
from outlast.context.chat_model import Model
from outlast.context.tool import Tool
from outlast.errors import InvalidArgument, InvalidStatus, StoreError
from outlast.hooks.custom import validate_hooks
from outlast.hooks.port import Hook
from outlast.language import Language, text
from outlast.model.budget import NOTHING, Budget, Spend
from outlast.model.decide.conversation import check_message
from outlast.model.limits import (
    LARGEST_ID,
    check_choice,
    check_flag,
    check_number,
    wrong_type_error,
)
from outlast.model.model import LoopName, PlanStatus
from outlast.plan.core import as_tuple
from outlast.plan.plan import Plan
from outlast.store.port import Layout
from outlast.system.clock import Clock
from outlast.system.logs import LOG
from outlast.system.threads import call_to_end

if TYPE_CHECKING:
    from outlast.agent.agent_run import AgentRun
    from outlast.agent.runtime.lease_holder import LeaseHolder


@dataclass(frozen=True)
class RunResult:
    """The result of a run.

    `answer` is the last text of the model. `key` is the key of the plan that it worked on; empty
    if no plan was needed. `status` is the status of the plan, `why` and `text` tell why the run
    ended. `spent` is what this run has cost.
    """

    answer: str
    key: str
    status: PlanStatus
    why: StopReason
    text: str
    spent: Spend
    _find_plan: Callable[[], Plan | None] = field(repr=False, compare=False)

    @cached_property
    def plan(self) -> Plan | None:
        """The plan that the run worked on; one in a workspace is opened now, to be closed again.

        None if no plan was needed, or if another plan has its key now.
        """
        return self._find_plan()


class AgentLoop:
    """Runs a model with tools on a plan, and resumes it after any interruption.

    The plan is the given one, or the one with `key` in `workdir`, where the first reply that calls
    a tool creates it; without `workdir` it lives in memory and ends with the process. Without a
    key, the first message chooses: the unfinished plan that has it as its goal, or a new plan; a
    phrase such as "continue" is about the current plan of the workspace. The first
    plan of a key is created in `layout`, or in that of the settings; later ones keep its layout.
    The `budget` belongs to the plan. With `enable_planning=False` there is no plan, and the budget
    covers one run. The model may ask questions if there is a `person`, or with `ask`: then they
    wait in the plan for an answer. `person_name` is recorded with what the person says.

    `loop` is the name of one, or its value. In `tools` the model calls tools until it is done. In
    `replan` it plans first, takes each item in small steps, at most `max_iterations` of them, and
    replans after each item; with `review` a person approves each change of the plan. `clock` tells
    the model the time, by default in the zone of the settings. With `in_chat`, the plan exists, and
    the answers tell what to type in a chat.

    A stored plan remembers what its last run worked with. With `dry_run` the agent only plans, and
    so do later runs until a person approves the plan (`plan.approve`). With `remember_permissions`
    what `allow` and the person permit is kept in the user's state directory for later runs of the
    plan in `workdir`.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        *,
        model: Model | str,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        plan: Plan | None = None,
        workdir: str | os.PathLike[str] | None = None,
        key: str | None = None,
        layout: Layout | None = None,
        loop: LoopName | Loop = "tools",
        review: bool = False,
        clock: Clock | None = None,
        in_chat: bool = False,
        enable_planning: bool = True,
        max_iterations: int | None = None,
        budget: Budget | None = None,
        settings: Settings | None = None,
        on_event: Callable[[Event], object] | None = None,
        person: Person | None = None,
        person_name: str = "",
        ask: bool = False,
        hooks: Iterable[Hook] = (),
        allow: Iterable[str] = (),
        yes: bool = False,
        dry_run: bool = False,
        remember_permissions: bool = False,
        language: Language | None = None,
        actor: str = "agent",
        lease_seconds: int = 60,
    ) -> None:
        """Validate the options; nothing is opened, created or called yet."""
        known = Settings() if settings is None else settings
        check_settings(known)
        usual: Language = "zh" if known.language == "zh" else "en"
        spec = AgentSpec(
            model=model,
            tools=as_tuple(tools, "tools"),
            hooks=validate_hooks(hooks),
            loop=_make_loop(
                loop,
                known,
                max_iterations,
                review=review,
                in_chat=in_chat,
                enable_planning=enable_planning,
            ),
            plan=PlanRef(plan, workdir, key, layout),
            enable_planning=enable_planning,
            budget=budget,
            settings=known,
            on_event=on_event,
            actor=actor,
            lease_seconds=lease_seconds,
            language=usual if language is None else language,
            clock=clock,
            person=person,
            person_name=person_name,
            ask=ask,
            allow=as_tuple(allow, "allow"),
            yes=yes,
            dry_run=dry_run,
            remember_permissions=remember_permissions,
        )
        self._prepare(spec)

    @classmethod
    def from_spec(cls, spec: AgentSpec) -> Self:
        """Return an agent for a spec; find what it needs, and raise an error if that is missing."""
        agent = cls.__new__(cls)
        agent._prepare(spec)  # noqa: SLF001 - its own
        return agent

    def _prepare(self, spec: AgentSpec) -> None:
        from outlast.agent.loops.session import History
        from outlast.agent.resources import find_resources, locate_plan

        self._spec, self._locator = spec, locate_plan(spec)
        self._listeners = (spec.on_event, _notification_listener(spec.settings))
        self._resources = find_resources(spec, self._locator, self._listen)
        self._history = History()
        self._run: AgentRun | None = None
        self._task: asyncio.Task[RunResult] | None = None
        self._pending_messages: list[str] = []
        self._stopped: Stopped | None = None
        self._last_result: RunResult | None = None
        self._cancelled = False
        self._at_end: list[Callable[[], object]] | None = None

    @property
    def plan(self) -> Plan | None:
        """The plan that the agent works on, or has worked on last; None before there is one."""
        if self._run is not None:
            return self._run.plan
        return self._last_result.plan if self._last_result else None

    async def run(self, message: str, *, resume: bool = False) -> RunResult:
        """Work on a message until it is done or something stops the run.

        The next run continues the conversation. With `resume` a paused plan is resumed, whatever
        the message says.
        """
        if not isinstance(message, str):
            raise wrong_type_error("message", "str", message)
        if not message.strip():
            raise InvalidArgument("name_blank", argument="message")
        if self._task is not None:
            raise InvalidStatus("loop_runs_already")
        self._stopped, self._last_result, self._cancelled = None, None, False
        self._task = asyncio.create_task(self._work(message, resume=resume))
        try:
            return await self._task
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
            return self._last_result or self._never_started()
        finally:
            self._task = None

    def cancel(self) -> None:
        """End the run as soon as possible and pause its plan. Thread-safe."""
        task = self._task
        if task is not None:
            self._cancelled = True
            task.get_loop().call_soon_threadsafe(task.cancel)

    def say(self, message: str) -> None:
        """Send a message to the running agent; its next iteration reads it. Thread-safe."""
        run = self._run
        if run is None:
            self._pending_messages.append(check_message(message))
        else:
            run.say(message)

    def release_at_end(self, at_end: list[Callable[[], object]]) -> None:
        """Add to a list what releases the plan of a run, if that has ended, instead of doing it.

        As long as the lease is kept, or was left by a process that died, the same goal ends that
        run instead of beginning a new plan. So the caller reports the end, and then releases it.
        """
        self._at_end = at_end

    def _never_started(self) -> RunResult:
        """Return the result of a run that was cancelled before its first step."""
        reason = text("loop_stopped", self._spec.language)
        return RunResult("", "", "idle", "cancelled", reason, NOTHING, lambda: None)

    async def _work(self, message: str, *, resume: bool) -> RunResult:
        from outlast.agent.agent_run import AgentRun
        from outlast.agent.runtime.lease_holder import LeaseHolder

        holder = LeaseHolder(self._spec.lease_seconds)
        resources = replace(self._resources, holder=holder)
        agent_run = self._run = AgentRun(self._spec, resources, self._locator, self._history)
        reason = text("loop_stopped", self._spec.language)
        try:
            while self._pending_messages:
                agent_run.say(self._pending_messages.pop(0))
            self._stopped = await agent_run.execute(message, resume=resume)
        finally:
            self._run = None
            stopped = self._stopped
            if stopped is None:
                stopped = Stopped("idle", "cancelled", reason)
            finish = partial(self._finish, agent_run, holder, stopped)
            result = await call_to_end(finish)
        return result

    def _finish(self, agent_run: AgentRun, holder: LeaseHolder, stopped: Stopped) -> RunResult:
        """Release and close the plan of a run; keep its result, even if that is cancelled."""
        locator, plan = self._locator, agent_run.plan
        key = plan_id = ""

        def release() -> None:
            holder.release_all()
            locator.close()

        try:
            if plan is not None:
                key, plan_id = plan.key, plan.id
        except StoreError as error:
            LOG.warning("the plan of the run cannot be read any more: %s", error)
        if self._at_end is not None and stopped.status in ("completed", "failed"):
            self._at_end.append(release)
        else:
            release()
        reopen = partial(locator.reopen, plan, key, plan_id)
        status, why, spent = stopped.status, stopped.why, agent_run.cost()
        result = RunResult(stopped.answer, key, status, why, stopped.text, spent, reopen)
        self._last_result = result
        return result

    def _listen(self, event: Event) -> None:
        if isinstance(event, Stopped):
            self._stopped = event
        for listener in self._listeners:
            send_event(listener, event)


async def run(  # noqa: PLR0913 - the most frequent choices by name
    goal: str,
    *,
    plan: Plan | None = None,
    model: Model | str,
    tools: Iterable[Tool | Callable[..., Any]] = (),
    budget: Budget | None = None,
    on_event: Callable[[Event], object] | None = None,
    **options: Any,  # noqa: ANN401 - the keywords of another function
) -> RunResult:
    """Run a model on a goal; continue where an earlier run was interrupted.

    `options` are further keywords of `AgentLoop`.
    """
    agent = AgentLoop(
        model=model, tools=tools, plan=plan, budget=budget, on_event=on_event, **options
    )
    return await agent.run(goal)


def _make_loop(
    loop: LoopName | Loop, settings: Settings, max_iterations: int | None, **flags: bool
) -> Loop:
    """Return the loop of a name: `replan` needs a plan, and the other flags need `replan`."""
    enable_planning = flags.pop("enable_planning")
    for name, value in flags.items():
        if check_flag(value, name) and loop != "replan":
            raise InvalidArgument("needs_replan", argument=name)
    if not isinstance(loop, Loop):
        name = check_choice(loop, "loop", get_args(LoopName))
        is_replan = name == "replan"
        if is_replan and not enable_planning:
            raise InvalidArgument("replan_needs_plan", argument="enable_planning")
        replan = Replan.from_settings
        loop = replan(settings, **flags) if is_replan else ToolLoop.from_settings(settings)
    if max_iterations is None:
        return loop
    # Only newer versions of msgspec validate what `replace` makes.
    check_number(max_iterations, "max_iterations", 1, LARGEST_ID)
    return structs.replace(loop, max_iterations=max_iterations)


def _notification_listener(settings: Settings) -> Callable[[Event], object] | None:
    """Return a listener that runs the user's notification command; None without one."""
    notifier = command_notifier(settings.notify.command)
    return notification_listener(notifier) if notifier else None
