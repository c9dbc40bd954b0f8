"""Drive an agent to its end while a display shows it; Ctrl-C pauses it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from outlast.agent.events import Stopped
from outlast.agent.people.notifier import restore_terminals
from outlast.cli.run.run_result import INTERRUPTED
from outlast.console.plan_context import live_lease
from outlast.console.render.output import write
from outlast.console.render.summary import numbered_name
from outlast.language import visible
from outlast.model.ledger import DELEGATE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from outlast.agent.agent_loop import AgentLoop, RunResult
    from outlast.cli.live.display import Display
    from outlast.console.call import Call
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_TICK_SECONDS: Final = 0.25
_POLL_SECONDS: Final = 0.1


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
