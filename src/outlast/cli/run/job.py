"""One agent run: which plan, with which options, watched by which display; a signal pauses it."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent.agent_spec import AgentSpec, Loop, PlanRef, Replan, ToolLoop
from outlast.agent.events import Event, Stopped
from outlast.agent.people.permission_file import permissions_at
from outlast.agent.people.terminal import restore_terminals
from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions
from outlast.cli.live.display import Display, open_display
from outlast.config.amounts import parse_budget
from outlast.config.files import user_file
from outlast.config.load import PLAN
from outlast.console.call import Call, PlanContext
from outlast.console.plan_context import live_lease, set_context
from outlast.console.render.output import write
from outlast.console.render.summary import numbered_name
from outlast.console.stop_signals import stop_on_signals
from outlast.errors import InvalidArgument, OutlastError, StoreError, WrongUsage
from outlast.language import LANGUAGES, text, visible
from outlast.model.budget import Budget, update_budget
from outlast.model.ledger import DELEGATE
from outlast.model.limits import LARGEST_ID, NAME_CHARACTERS, fold_actor
from outlast.model.model import ASSISTANT, PERSON, LastRun, Question, Task
from outlast.orchestrator.command_options import VOLUMES, choose_agent, choose_loop
from outlast.orchestrator.known_agents import SHELL, find_worker
from outlast.plan.core import holder_state
from outlast.plan.home.find import load_settings, workspace_at
from outlast.plan.plans import Plans, open_plan
from outlast.system.caller import OWN_AGENT, host_agent, person_name
from outlast.system.logs import LOG
from outlast.system.patterns import can_permit
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from logging import LogRecord

    from outlast.agent.agent_loop import AgentLoop, RunResult
    from outlast.agent.people.person import Person
    from outlast.agent.work import Agent
    from outlast.context.tool import Tool
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan
    from outlast.store.port import Layout

_SHOWN_TASKS: Final = 5
_TICK_SECONDS: Final = 0.25
_POLL_SECONDS: Final = 0.1
_ASKING_TOOLS: Final = ("bash",)  # beside those that ask for paths
# Ready-made values would come from the plan, and so perhaps from a stranger.
_FLAGS: Final = {"loop.model": "--model NAME", "loop.max_iterations": "--max-iterations NUMBER"}


class PlanObserver:
    """Opens the plan of a call for reading, as soon as there is one that has not ended."""

    def __init__(self, home: str, context: PlanContext) -> None:
        """Remember where the plan will be; nothing is opened yet. Its key may be known later."""
        self._home, self._context = home, context
        self._plan: Plan | None = None

    def __call__(self) -> Plan | None:
        """Return the plan, or None while there is none."""
        if self._plan is None:
            plan = self.open_now()
            if plan is not None and plan.status in ("completed", "failed"):
                plan.close()
            else:
                self._plan = plan
        return self._plan

    def open_now(self) -> Plan | None:
        """Open the plan as it is now, even if it has ended; return None if there is none."""
        if not self._context.key:
            return None
        try:
            return open_plan(self._home, self._context.key, actor=PERSON)
        except OutlastError:
            return None

    def close(self) -> None:
        """Close the plan, if it was opened."""
        if self._plan is not None:
            self._plan.close()
            self._plan = None


def observe_plan(home: str, context: PlanContext) -> AbstractContextManager[Plan | None]:
    """Open the plan of a call for reading as it is now; None if there is none."""
    return PlanObserver(home, context).open_now() or nullcontext()


def _is_unreported(record: LogRecord) -> bool:
    """Return whether a log record is not already shown by the display."""
    return not getattr(record, "reported", False)


class AgentJob(Struct, frozen=True):
    """One agent run on the plan of a call, which need not exist yet.

    With `approve` a plan is carried out without a question. `is_model_remembered` tells that the
    model is that of the plan's last run. A task of the assistant is worked on with its tools. With
    `resume` a paused plan is resumed, whatever the message says.
    """

    call: Call
    spec: AgentSpec
    home: str
    approve: bool = False
    is_model_remembered: bool = False
    is_assistant: bool = False
    resume: bool = False

    @property
    def key(self) -> str:
        """The key of the plan; empty while a new plan has none."""
        return self.call.context.key

    def observe(self) -> AbstractContextManager[Plan | None]:
        """Open the plan for reading as it is now; None if there is none."""
        return observe_plan(self.home, self.call.context)

    def require_model(self) -> None:
        """Raise `WrongUsage` with how to set a model if the run needs one and there is none."""
        if self.spec.delegation is None and not self.spec.model:
            raise WrongUsage("no_model", file=visible(user_file(os.environ)))

    def require_work(self) -> None:
        """Refuse a run whose agent cannot work here, or that has neither tasks nor a planner.

        Nothing has been created yet.
        """
        choice = self.spec.delegation
        find_worker(self.spec)
        if choice is None or choice.has_model:
            return
        with self.observe() as plan:
            if plan is None:
                raise WrongUsage("agent_needs_model", agent=visible(choice.agent_name))
            if not plan.progress.total:
                raise WrongUsage("agent_nothing_to_do", key=visible(plan.key))
            if choice.agent_name == SHELL:
                require_commands(plan.tasks())

    def run(self, message: str) -> Stopped:
        """Run the agent on a message and show its events."""
        gc.enable()  # unlike other commands this one may run for days
        observer = PlanObserver(self.home, self.call.context)
        LOG.addFilter(_is_unreported)
        try:
            return asyncio.run(self._run(message, observer))
        except asyncio.CancelledError as error:  # before the agent began
            raise KeyboardInterrupt from error
        finally:
            LOG.removeFilter(_is_unreported)
            observer.close()
            if self.key:  # others may have created plans meanwhile
                set_context(self.call, workspace_at(self.home), self.key)

    async def _run(self, message: str, observer: PlanObserver) -> Stopped:
        beginning = asyncio.current_task()
        assert beginning is not None  # noqa: S101 - for the type: it is a coroutine
        with stop_on_signals(beginning.cancel):  # until the agent works
            return await self._begin(message, observer)

    async def _begin(self, message: str, observer: PlanObserver) -> Stopped:
        plan = observer()
        if plan is None:
            await self._wait_for_dead_run(observer)
        else:
            self._check_budget(plan.budget.limits())
            Plans(workspace_at(self.home)).make_current(self.key)
            await wait_for_lease(plan, self.call)
            if plan.status in ("completed", "failed"):  # while we waited
                done_text = text("run_done_by_other", self.spec.language)
                return Stopped(plan.status, "overtaken", done_text)
        asking, agents = self.call.is_interactive, self.spec.delegation is not None
        with open_display(self.call, message, observer, asking=asking, agents=agents) as display:
            worker = find_worker(self.spec)
            try:
                agent = self._create_agent(display, worker)
            except OutlastError as error:
                raise self._explain_model_error(error) from error
            agent.release_at_end(self.call.at_end)
            work = agent.run(message, resume=self.resume)
            return await drive_agent(agent, work, display, self.call)

    def _check_budget(self, limits: Budget) -> None:
        """Refuse an agent that asks for more than the plan may cost."""
        if self.spec.budget is not None:
            self.call.refuse_higher_budget(limits, update_budget(limits, self.spec.budget))

    async def _wait_for_dead_run(self, observer: PlanObserver) -> None:
        """Wait for a run that died after its plan had ended: its lease is still live."""
        ended = observer.open_now()
        if ended is not None:
            with ended:
                await wait_for_lease(ended, self.call)

    def _create_agent(self, display: Display, worker: Agent | None) -> AgentLoop:
        workspace, spec = workspace_at(self.home), self.spec
        is_new, is_stored = not (self.key and workspace.has_plan(self.key)), False

        def listen(event: Event) -> None:
            nonlocal is_stored
            is_stored = is_stored or self._note_plan(agent.plan, is_new=is_new)
            display.show_event(event)

        from outlast.agent.agent_loop import AgentLoop

        if spec.delegation is not None and worker is not None:
            spec = replace(spec, loop=replace(spec.delegation, agent=worker))
        agent = AgentLoop.from_spec(
            replace(
                spec,
                plan=replace(spec.plan, key=self.key or None),
                tools=self._tools(),
                person=terminal_person(self.call, display),
                on_event=listen,
            )
        )
        return agent

    def _explain_model_error(self, error: OutlastError) -> OutlastError:
        """Return the error of a model that cannot be used; it names a remembered one."""
        if not self.is_model_remembered:
            return error
        model = visible(self.spec.settings.loop.model)
        return InvalidArgument(
            "remembered_model_unusable", argument="--model", model=model, problem=error
        )

    def _tools(self) -> tuple[Tool, ...]:
        settings = self.spec.settings
        if self.is_assistant:
            from outlast.assistant.tools import tools_beside

            return tools_beside(self.home, settings, self.spec.language)
        from outlast.agent.tools.choice import built_in_tools

        return built_in_tools(
            self.home, allow_outside=True, limits=settings.limits, pass_env=settings.tools.pass_env
        )

    def _note_plan(self, plan: Plan | None, *, is_new: bool) -> bool:
        """Make a plan that the run has created the one of the call, and the current one."""
        if plan is None:
            return False
        workspace = workspace_at(self.home)
        set_context(self.call, workspace, self.key or plan.key)
        if is_new:
            Plans(workspace).make_current(self.key, is_new=True)
        return True


def require_commands(tasks: Iterable[Task]) -> None:
    """Refuse unfinished tasks without a command: the agent `shell` could not do them."""
    missing = [numbered_name(task) for task in tasks if not (task.run or task.finished)]
    if missing:
        raise WrongUsage("tasks_without_command", tasks=missing[:_SHOWN_TASKS], count=len(missing))


async def drive_agent(
    agent: AgentLoop, work: Awaitable[RunResult], display: Display, call: Call
) -> Stopped:
    """Wait for a run of the agent. A signal to stop pauses it, a second one ends the process."""
    ticking = asyncio.create_task(_tick_display(display))
    try:
        with _pause_on_signals(agent, display, call):
            result = await work
            return Stopped(result.status, result.why, result.text, result.answer)
    finally:
        ticking.cancel()
        display.close()


async def _tick_display(display: Display) -> None:
    while True:
        await asyncio.sleep(_TICK_SECONDS)
        display.tick()


def _pause_on_signals(
    agent: AgentLoop, display: Display, call: Call
) -> AbstractContextManager[None]:
    def pause() -> None:
        agent.cancel()
        if not call.wants_json:
            with suppress(OSError), display.pause():  # the terminal may be gone
                write(_pausing_text(agent, call), sys.stderr)

    def restore() -> None:
        with suppress(OSError):
            display.close()
            restore_terminals()

    return stop_on_signals(pause, restore)


def _pausing_text(agent: AgentLoop, call: Call) -> str:
    """Return that the run stops, and which tasks its agents leave unfinished."""
    plan = agent.plan
    begun = [] if plan is None else plan.core.read(_delegated_tasks)
    if not begun:
        return call.text("run_pausing")
    return call.text("agents_stopping", tasks=begun)


def _delegated_tasks(state: PlanState) -> list[str]:
    """Return the tasks that agents work on at this moment."""
    attempts = state.ledger.attempts.values()
    tasks = sorted({attempt.task for attempt in attempts if attempt.kind == DELEGATE})
    return [numbered_name(state.tasks[task]) for task in tasks if task in state.tasks]


async def wait_for_lease(plan: Plan, call: Call) -> None:
    """Wait until the lease of a dead run has expired; return at once if a live run renews it."""
    lease = live_lease(plan)
    if lease is None or holder_state(lease.process) == "running":
        return
    if not call.wants_json:
        until = f"{lease.until.astimezone():%H:%M:%S}"
        write(call.text("run_waits", holder=visible(lease.holder), until=until), sys.stderr)
    while live_lease(plan) == lease:  # noqa: ASYNC110 - a live run renews it in another process
        await asyncio.sleep(_POLL_SECONDS)


def terminal_person(call: Call, display: Display) -> Person | None:
    """Return the person at the terminal, or None if there is none to ask."""
    if not call.is_interactive:
        return None
    from outlast.agent.people.terminal import TerminalPerson

    if display.draws_questions:
        drawn = TerminalPerson(call.language, draw=display.draw_question)
        return _PersonBesideDisplay(drawn, nullcontext)
    return _PersonBesideDisplay(TerminalPerson(call.language), display.pause)


class _PersonBesideDisplay:
    """Asks a person, one question after the other; a display that cannot show them is paused."""

    def __init__(self, person: Person, pause: Callable[[], AbstractContextManager[None]]) -> None:
        self._person, self._pause = person, pause
        self._turn = asyncio.Lock()

    async def answer(self, question: Question) -> str | None:
        """Wait for earlier questions, ask, and return the answer."""
        async with self._turn:
            with self._pause():
                return await self._person.answer(question)


def read_job(
    call: Call, plan: Plan | None, home: str, *, dry_run: bool = False, resume: bool = False
) -> AgentJob:
    """Merge settings, the memory of a plan in a workspace, and the options of the command line.

    Adds notices on what was ignored. Raises `WrongUsage` if the only model is one that the plan
    remembers and the user has not chosen.
    """
    values = call.values
    options = {
        "loop.model": values.get("model"),
        "loop.max_iterations": values.get("max_iterations"),
        "layout": plan_layout(values),
        "orchestrator.sessions": values.get("sessions"),
        "orchestrator.review": values.get("review"),
        "mailbox.layout": None if plan_layout(values) else values.get("layout"),
    }
    last_run = None if plan is None else plan.last_run
    chosen = NO_PERMISSIONS if plan is None else _read_permissions(home, plan.id)
    remembered = {} if last_run is None else _remembered_settings(last_run, chosen)
    loaded = load_settings(current_directory(), arguments=options, remembered=remembered)
    call.notices.extend(loaded.notices)
    settings = loaded.settings
    for key, value in loaded.ignored.items():
        name = visible(str(value))
        if key == "loop.model" and not settings.loop.model:
            raise WrongUsage("remembered_model_refused", value=name)
        call.notices.append(("remembered_ignored", {"value": name, "flag": _FLAGS[key]}))
    budget = values.get("budget")
    agent = choose_agent(values, home, settings, last_run, chosen)
    is_reviewed = settings.orchestrator.review or (last_run is not None and last_run.review)
    loop: Loop = agent or ToolLoop.from_settings(settings)
    if agent is None and choose_loop(values, last_run) == "replan":
        loop = Replan.from_settings(settings, review=is_reviewed, in_chat=False)
    has_model = agent is None or agent.has_model
    spec = AgentSpec(
        model=settings.loop.model if has_model else "",
        loop=loop,
        plan=PlanRef(workdir=home),
        budget=None if budget is None else parse_budget(budget),
        settings=settings,
        actor=_actor(call, "" if last_run is None else last_run.actor),
        lease_seconds=values.get("lease", 60),
        language=call.agent_language(settings),
        person_name=person_name(),
        allow=_allowed_patterns(values.get("allow", ())),
        yes=bool(values.get("yes")),
        dry_run=dry_run,
        remember_permissions=True,
    )

    return AgentJob(
        call,
        spec,
        home,
        approve=bool(values.get("yes") or values.get("approve")),
        is_model_remembered=loaded.origins["loop.model"] == PLAN,
        is_assistant=last_run is not None and last_run.loop == ASSISTANT and "loop" not in values,
        resume=resume,
    )


def plan_layout(values: Mapping[str, Any]) -> Layout | None:
    """Return the layout of the plan's files that the command line names, if any."""
    layout: Layout | None = None if values.get("layout") == VOLUMES else values.get("layout")
    return layout


def _allowed_patterns(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of `--allow`; refuse one that allows nothing, such as `git push`."""
    for pattern in patterns:
        if not can_permit(pattern, _ASKING_TOOLS):
            raise WrongUsage("allow_unknown", pattern=visible(pattern))
    return tuple(patterns)


def _read_permissions(home: str, plan_id: str) -> PlanPermissions:
    """Return what the user has chosen for a plan; nothing if that cannot be read.

    The run reports a failure.
    """
    try:
        return permissions_at(home).read(plan_id)
    except StoreError:
        return NO_PERMISSIONS


def _remembered_settings(
    last_run: LastRun, chosen: PlanPermissions
) -> dict[str, tuple[object, bool]]:
    """Return the settings that a plan remembers, each with whether the user has chosen it.

    A plan may come from a stranger: what no run could have recorded is left out.
    """
    remembered: dict[str, tuple[object, bool]] = {}
    if last_run.model:
        remembered["loop.model"] = last_run.model, last_run.model == chosen.model
    if 0 < last_run.max_iterations <= LARGEST_ID:
        is_chosen = last_run.max_iterations <= chosen.max_iterations
        remembered["loop.max_iterations"] = last_run.max_iterations, is_chosen
    if last_run.language in LANGUAGES:
        remembered["language"] = last_run.language, True
    return remembered


def _actor(call: Call, remembered: str) -> str:
    """Return who the run acts as: the named actor, a coding agent, or that of the last run.

    OUTLAST_ACTOR says who asks: a person's run acts as an agent.
    """
    named = call.named_actor or host_agent()
    if not named or (named == PERSON and call.common.get("actor") is None):
        is_agent = bool(remembered.strip()) and remembered.isprintable()
        is_usable = is_agent and fold_actor(remembered) != PERSON
        named = remembered if is_usable and len(remembered) <= NAME_CHARACTERS else OWN_AGENT
    if named == PERSON:
        raise WrongUsage("run_as_person", actor=named)
    return named
