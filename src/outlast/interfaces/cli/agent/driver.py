"""Runs a loop to its end, while people watch it and may stop it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from outlast.interfaces.cli.agent.run_result import INTERRUPTED
from outlast.interfaces.cli.render.output import write
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Lease
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.live.port import View
    from outlast.ports.events import Stopped
    from outlast.wiring.agent import AgentLoop

_TICK: Final = 0.25
_LOOK: Final = 0.1


async def driven(agent: AgentLoop, message: str, view: View, call: Call) -> Stopped:
    """Let an agent work; the first Ctrl-C pauses it, the second ends the process at once."""
    ticking = asyncio.create_task(_tick(view))
    try:
        with _interruptible(agent, view, call):
            return await agent.run(message)
    finally:
        ticking.cancel()
        view.close()


async def _tick(view: View) -> None:
    while True:
        await asyncio.sleep(_TICK)
        view.tick()


@contextmanager
def _interruptible(agent: AgentLoop, view: View, call: Call) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    pressed = False

    def interrupt() -> None:
        nonlocal pressed
        if pressed:
            view.close()
            os._exit(INTERRUPTED)
        pressed = True
        agent.cancel()
        if not call.as_json:
            with view.resting():
                write(call.say("run_pausing"), sys.stderr)

    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def patient(plan: Plan, call: Call) -> None:
    """Wait until a run that has died holds the plan no longer; one that lives is not waited for."""
    held = _held(plan)
    if held is None:
        return
    if not call.as_json:
        until = f"{held.until.astimezone():%H:%M:%S}"
        write(call.say("run_waits", holder=visible(held.holder), until=until), sys.stderr)
    while _held(plan) == held:  # noqa: ASYNC110 - whoever lives renews it, in another process
        await asyncio.sleep(_LOOK)


def _held(plan: Plan) -> Lease | None:
    lease = plan.read(lambda state: state.ledger.leases.get(0))
    return lease if lease is not None and lease.is_live(plan.now()) else None
