"""One agent run: which plan, with which options, watched by which display."""

from __future__ import annotations

import asyncio
import gc
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from outlast.agent.events import Stopped
from outlast.agent.work import AgentSetup
from outlast.cli.live.display import open_display
from outlast.cli.live.observer import PlanObserver
from outlast.cli.run.driver import drive_agent, wait_for_lease
from outlast.cli.run.options import SHELL, RunOptions, require_commands
from outlast.cli.run.person import terminal_person
from outlast.console.call import Call, is_interactive
from outlast.console.plan_context import set_context
from outlast.console.rights import refuse_higher_budget
from outlast.errors import OutlastError, WrongUsage
from outlast.language import text, visible
from outlast.model.budget import update_budget
from outlast.plan.home.find import workspace_at
from outlast.plan.plans import Plans
from outlast.system.caller import person_name
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from logging import LogRecord

    from outlast.agent.agent_loop import AgentLoop
    from outlast.agent.events import Event
    from outlast.agent.work import Agent
    from outlast.cli.live.display import Display
    from outlast.context.tool import Tool
    from outlast.model.budget import Budget
    from outlast.plan.plan import Plan


def _is_unreported(record: LogRecord) -> bool:
    """Return whether a log record is not already shown by the display."""
    return not getattr(record, "reported", False)


class AgentJob(Struct, frozen=True):
    """One agent run on the plan of a call, which need not exist yet.

    With `dry_run` it only plans, and the plan needs approval. With `resume` a paused plan is
    resumed, whatever the message says.
    """

    call: Call
    options: RunOptions
    home: str
    dry_run: bool = False
    resume: bool = False

    @property
    def key(self) -> str:
        """The key of the plan; empty while a new plan has none."""
        return self.call.context.key

    def require_work(self) -> None:
        """Refuse a run whose agent cannot work here, or that has neither tasks nor a planner.

        Nothing has been created yet.
        """
        choice = self.options.agent
        self.require_agent()
        if choice is None or choice.has_model:
            return
        with PlanObserver(self.home, self.call.context).open_now() or nullcontext() as plan:
            if plan is None:
                raise WrongUsage("agent_needs_model", agent=visible(choice.name))
            if not plan.progress.total:
                raise WrongUsage("agent_nothing_to_do", key=visible(plan.key))
            if choice.name == SHELL:
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
                done_text = text("run_done_by_other", self.options.language)
                return Stopped(plan.status, "overtaken", done_text)
        asking, agents = is_interactive(self.call), self.options.agent is not None
        with open_display(self.call, message, observer, asking=asking, agents=agents) as display:
            worker = self.require_agent()
            try:
                agent = self._create_agent(display, worker)
            except OutlastError as error:
                raise self.options.explain_model_error(error) from error
            agent.release_at_end(self.call.at_end)
            work = agent.run(message, resume=self.resume)
            return await drive_agent(agent, work, display, self.call)

    def _check_budget(self, limits: Budget) -> None:
        """Refuse an agent that asks for more than the plan may cost."""
        if self.options.budget is not None:
            refuse_higher_budget(self.call, limits, update_budget(limits, self.options.budget))

    async def _wait_for_dead_run(self, observer: PlanObserver) -> None:
        """Wait for a run that died after its plan had ended: its lease is still live."""
        ended = observer.open_now()
        if ended is not None:
            with ended:
                await wait_for_lease(ended, self.call)

    def require_agent(self) -> Agent | None:
        """Return the agent that carries out the tasks; None if the model does that itself.

        Raises an error if it cannot work here.
        """
        choice, options = self.options.agent, self.options
        if choice is None:
            return None
        from outlast.orchestrator.coding_agents import find_agent

        pass_env = options.settings.tools.pass_env
        setup = AgentSetup(self.home, options.language, pass_env, choice.timeout)
        return find_agent(choice.name, setup, choice.mailbox)

    def _create_agent(self, display: Display, worker: Agent | None) -> AgentLoop:
        workspace = workspace_at(self.home)
        is_new, is_stored = not (self.key and workspace.has_plan(self.key)), False

        def listen(event: Event) -> None:
            nonlocal is_stored
            is_stored = is_stored or self._note_plan(agent.plan, is_new=is_new)
            display.show_event(event)

        person = terminal_person(self.call, display)
        choices = {**self._choices(), "on_event": listen, "person": person}
        choice, model = self.options.agent, self.options.settings.loop.model
        if worker is None or choice is None:
            from outlast.agent.agent_loop import AgentLoop

            agent = AgentLoop(
                model=self.options.require_model(),
                loop=self.options.loop,
                review=self.options.review,
                **choices,
            )
            return agent
        from outlast.orchestrator.orchestrator_loop import OrchestratorLoop

        agent = OrchestratorLoop(
            agent=worker,
            model=model if choice.has_model else None,
            parallel=choice.parallel,
            permissions=choice.permissions,
            timeout=choice.timeout,
            review=choice.review,
            mailbox=choice.mailbox,
            **choices,
        )
        return agent

    def _choices(self) -> dict[str, Any]:
        """Return the keywords of `AgentLoop` that do not depend on the display."""
        options = self.options
        settings = options.settings
        return {
            "tools": self._tools(),
            "workdir": self.home,
            "key": self.key or None,
            "budget": options.budget,
            "settings": settings,
            "allow": options.allow,
            "yes": options.yes,
            "dry_run": self.dry_run,
            "remember_permissions": True,
            "language": options.language,
            "actor": options.actor,
            "person_name": person_name(),
            "lease_seconds": options.lease,
        }

    def _tools(self) -> tuple[Tool, ...]:
        settings = self.options.settings
        if self.options.is_assistant:
            from outlast.assistant.tool_choice import tools_beside

            return tools_beside(self.home, settings, self.options.language)
        from outlast.agent.tools.choice import built_in_tools

        return built_in_tools(
            self.home,
            allow_outside=True,
            limits=settings.limits,
            pass_env=settings.tools.pass_env,
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
