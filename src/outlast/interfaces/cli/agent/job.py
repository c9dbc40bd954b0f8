"""One job for an agent: who is to work on which plan, and how."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.interfaces.cli.agent.driver import driven, patient
from outlast.interfaces.cli.agent.options import Wanted
from outlast.interfaces.cli.agent.person import is_somebody_there, person_at
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.live.observer import Peek
from outlast.interfaces.cli.live.selection import view_for
from outlast.ports.events import Stopped
from outlast.system.logs import LOG
from outlast.texts import text

if TYPE_CHECKING:
    from logging import LogRecord

    from outlast.interfaces.cli.live.port import View
    from outlast.ports.hook import Hook
    from outlast.ports.tool import Tool
    from outlast.wiring.agent import AgentLoop


_SILENT: Final = {"session_start": False, "on_stop": False}  # nothing is found, nothing left undone


def _is_untold(record: LogRecord) -> bool:
    """Tell whether a record of the log says what whoever watches is not told anyway."""
    return not getattr(record, "told", False)


class Job(Struct, frozen=True):
    """What was asked for, and the plan it is about: the one of a key, which may not be there yet.

    With `only_planning` the agent may look and plan, and change nothing else.
    """

    call: Call
    asked: Wanted
    home: str
    key: str
    only_planning: bool = False

    def work(self, message: str) -> Stopped:
        """Let the agent do what a message says, while people watch."""
        gc.enable()  # unlike other commands this one may live for days
        peek = Peek(self.home, self.key)
        LOG.addFilter(_is_untold)
        try:
            return asyncio.run(self._work(message, peek))
        finally:
            LOG.removeFilter(_is_untold)
            peek.close()

    async def _work(self, message: str, peek: Peek) -> Stopped:
        plan = peek()
        if plan is None:
            await self._outwait(peek)
        else:
            await patient(plan, self.call)
            if plan.status in ("completed", "failed"):  # while we waited
                done = text("run_done_by_other", self.asked.language)
                return Stopped(plan.status, "overtaken", done)
        asking = is_somebody_there(self.call)
        with view_for(self.call, message, peek, asking=asking) as view:
            return await driven(self._agent(view), message, view, self.call)

    async def _outwait(self, peek: Peek) -> None:
        """Wait for a run that died as its plan had ended; it holds the plan a while longer."""
        ended = peek.fresh()
        if ended is not None:
            with ended:
                await patient(ended, self.call)

    def _agent(self, view: View) -> AgentLoop:
        from outlast.wiring.agent import AgentLoop
        from outlast.wiring.tools import built_in

        asked = self.asked
        settings = asked.settings
        tools: tuple[Tool, ...] = built_in(self.home, outside=True, limits=settings.limits)
        hooks: tuple[Hook, ...] = ()
        if self.only_planning:
            from outlast.interfaces.cli.agent.planning_only import refusing_work

            tools = tuple(tool for tool in tools if tool.level == "read")
            quiet = replace(settings.hooks, **_SILENT)
            settings = replace(settings, hooks=quiet, tools=replace(settings.tools, enabled=()))
            hooks = (refusing_work((tool.name for tool in tools), asked.language),)
        return AgentLoop(
            model=asked.require_model(),
            tools=tools,
            workdir=self.home,
            key=self.key,
            budget=asked.budget,
            settings=settings,
            on_event=view.tell,
            person=person_at(self.call, view),
            hooks=hooks,
            yes=asked.yes,
            language=asked.language,
            actor=asked.actor,
            lease_seconds=asked.lease,
        )
