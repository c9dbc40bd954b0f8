"""One agent run: which plan, with which options, watched by which display."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.application.tools.tool_sets import NAMES
from outlast.interfaces.cli.agent.driver import drive_agent, wait_for_lease
from outlast.interfaces.cli.agent.options import RunOptions
from outlast.interfaces.cli.agent.person import is_interactive, terminal_person
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.live.display import open_display
from outlast.interfaces.cli.live.observer import PlanObserver
from outlast.ports.events import Stopped
from outlast.ports.hook import HookResult
from outlast.system.logs import LOG
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from logging import LogRecord

    from outlast.interfaces.cli.live.display import Display
    from outlast.ports.effects import PlanView
    from outlast.ports.hook import Hook, HookContext, HookFunction
    from outlast.ports.tool import Tool
    from outlast.texts import Language
    from outlast.wiring.agents.loop import AgentLoop


# For a run that only plans: it has nothing to recover and nothing to finish.
_HOOKS: Final = {
    "session_start": False,
    "on_stop": False,
    "user_prompt": True,
    "pre_tool_use": True,
}
_PLANNING: Final = frozenset(
    ("add_tasks", "plan_read", "plan_details", "findings_write", "ask_user")
)
_PLAN_MANAGER_NAMES: Final = frozenset(("initializePlan", "addTask", "updateTask", "removeTask"))
_READING: Final = frozenset(name for name in NAMES if name.startswith("get"))


def _is_unreported(record: LogRecord) -> bool:
    """Return whether a log record is not already shown by the display."""
    return not getattr(record, "reported", False)


class AgentJob(Struct, frozen=True):
    """One agent run on the plan with this key, which need not exist yet.

    With `only_planning` the agent may read and plan, and change nothing else. With `resume` a
    paused plan is resumed, whatever the message says.
    """

    call: Call
    options: RunOptions
    home: str
    key: str
    only_planning: bool = False
    resume: bool = False

    def run(self, message: str) -> Stopped:
        """Run the agent on a message and show its events."""
        gc.enable()  # unlike other commands this one may run for days
        observer = PlanObserver(self.home, self.key)
        LOG.addFilter(_is_unreported)
        try:
            return asyncio.run(self._run(message, observer))
        finally:
            LOG.removeFilter(_is_unreported)
            observer.close()

    async def _run(self, message: str, observer: PlanObserver) -> Stopped:
        plan = observer()
        if plan is None:
            await self._wait_for_dead_run(observer)
        else:
            await wait_for_lease(plan, self.call)
            if plan.status in ("completed", "failed"):  # while we waited
                done_text = text("run_done_by_other", self.options.language)
                return Stopped(plan.status, "overtaken", done_text)
        is_asking = is_interactive(self.call)
        with open_display(self.call, message, observer, asking=is_asking) as display:
            agent = self._create_agent(display)
            work = agent.run(message, resume=self.resume)
            return await drive_agent(agent, work, display, self.call)

    async def _wait_for_dead_run(self, observer: PlanObserver) -> None:
        """Wait for a run that died after its plan had ended: its lease is still live."""
        ended = observer.open_now()
        if ended is not None:
            with ended:
                await wait_for_lease(ended, self.call)

    def _create_agent(self, display: Display) -> AgentLoop:
        from outlast.wiring.agents.loop import AgentLoop
        from outlast.wiring.tools import built_in_tools

        options = self.options
        settings = options.settings
        tools: tuple[Tool, ...] = built_in_tools(
            self.home,
            allow_outside=True,
            limits=settings.limits,
            pass_env=settings.tools.pass_env,
        )
        hooks: tuple[Hook, ...] = ()
        if self.only_planning:
            tools = tuple(tool for tool in tools if tool.level == "read")
            quiet = replace(settings.hooks, **_HOOKS)
            settings = replace(settings, hooks=quiet, tools=replace(settings.tools, enabled=()))
            hooks = (planning_only_hook((tool.name for tool in tools), options.language),)
        return AgentLoop(
            model=options.require_model(),
            tools=tools,
            workdir=self.home,
            key=self.key,
            budget=options.budget,
            settings=settings,
            on_event=display.show_event,
            person=terminal_person(self.call, display),
            hooks=hooks,
            yes=options.yes,
            language=options.language,
            actor=options.actor,
            lease_seconds=options.lease,
        )


def planning_only_hook(read_tools: Iterable[str], language: Language) -> HookFunction:
    """Return a hook that tells the model to plan, and refuses tools that do anything else."""
    allowed = _PLANNING.union(_PLAN_MANAGER_NAMES, _READING, read_tools)

    def guard(context: HookContext, plan: PlanView | None) -> HookResult | None:  # noqa: ARG001 - called so
        if context.point == "user_prompt":
            return HookResult(inject_context=text("plan_only", language))
        if context.point == "pre_tool_use" and context.tool_name not in allowed:
            refusal = text("not_while_planning", language, tool=visible(context.tool_name))
            return HookResult(should_continue=False, inject_context=refusal, notification=refusal)
        return None

    return guard
