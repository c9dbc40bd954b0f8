"""One agent run: which plan, with which options, watched by which display; Ctrl-C pauses it."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent.agent_spec import AgentSpec
from outlast.agent.events import Stopped
from outlast.agent.people.notifier import restore_terminals
from outlast.cli.live.display import open_display
from outlast.cli.live.observer import PlanObserver
from outlast.cli.run.person import terminal_person
from outlast.cli.run.run_result import INTERRUPTED
from outlast.config.files import user_file
from outlast.console.call import Call, is_interactive
from outlast.console.plan_context import live_lease, set_context
from outlast.console.render.output import write
from outlast.console.render.summary import numbered_name
from outlast.console.rights import refuse_higher_budget
from outlast.errors import InvalidArgument, OutlastError, WrongUsage
from outlast.language import text, visible
from outlast.model.budget import update_budget
from outlast.model.ledger import DELEGATE
from outlast.orchestrator.known_agents import SHELL, find_worker
from outlast.plan.home.find import workspace_at
from outlast.plan.plans import Plans
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Iterator
    from logging import LogRecord

    from outlast.agent.agent_loop import AgentLoop, RunResult
    from outlast.agent.events import Event
    from outlast.agent.work import Agent
    from outlast.cli.live.display import Display
    from outlast.context.tool import Tool
    from outlast.model.budget import Budget
    from outlast.model.model import Task
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_SHOWN_TASKS: Final = 5
_TICK_SECONDS: Final = 0.25
_POLL_SECONDS: Final = 0.1


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
        with PlanObserver(self.home, self.call.context).open_now() or nullcontext() as plan:
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
        finally:
            LOG.removeFilter(_is_unreported)
            observer.close()
            if self.key:  # others may have created plans meanwhile
                set_context(self.call, workspace_at(self.home), self.key)

    async def _run(self, message: str, observer: PlanObserver) -> Stopped:
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
        asking, agents = is_interactive(self.call), self.spec.delegation is not None
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
            refuse_higher_budget(self.call, limits, update_budget(limits, self.spec.budget))

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
    """Wait for a run of the agent. The first Ctrl-C pauses it, the second ends the process."""
    ticking = asyncio.create_task(_tick_display(display))
    try:
        with _pause_on_interrupt(agent, display, call):
            result = await work
            return Stopped(result.status, result.why, result.text, result.answer)
    finally:
        ticking.cancel()
        display.close()


async def _tick_display(display: Display) -> None:
    while True:
        await asyncio.sleep(_TICK_SECONDS)
        display.tick()


@contextmanager
def _pause_on_interrupt(agent: AgentLoop, display: Display, call: Call) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    pressed = False

    def interrupt() -> None:
        nonlocal pressed
        if pressed:
            display.close()
            restore_terminals()
            os._exit(INTERRUPTED)
        pressed = True
        agent.cancel()
        if not call.wants_json:
            with display.pause():
                write(_pausing_text(agent, call), sys.stderr)

    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


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
    if lease is None:
        return
    if not call.wants_json:
        until = f"{lease.until.astimezone():%H:%M:%S}"
        write(call.text("run_waits", holder=visible(lease.holder), until=until), sys.stderr)
    while live_lease(plan) == lease:  # noqa: ASYNC110 - a live run renews it in another process
        await asyncio.sleep(_POLL_SECONDS)
