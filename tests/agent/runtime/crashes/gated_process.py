"""A process that runs the loop and asks for permission to continue at every step."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from outlast.agent.effects import Effect, LeaseLost, Loop, Outcome
from outlast.agent.runtime.lane import CallNext, Lane
from outlast.agent.runtime.lease_holder import LeaseHolder, has_stale_lease
from outlast.errors import TaskClaimed
from outlast.store.files.log import open_files
from outlast.system.disk import Disk
from tests.agent.runtime.scene import LEASE, Scene, plan_on


def gate_loop(loop: Loop[Any]) -> Loop[Any]:
    """Run a loop that asks before and after every effect."""
    effect = next(loop)
    while True:
        ask()
        reply = yield effect
        ask()
        try:
            effect = loop.send(reply)
        except StopIteration as end:
            return end.value


async def gate_execution(effect: Effect, _lane: Lane, call_next: CallNext) -> Outcome:
    """Ask before and after every effect within its attempt."""
    ask()
    outcome = await call_next(effect)
    ask()
    return outcome


def ask() -> None:
    say("?")
    sys.stdin.readline()


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def go(scene: Scene) -> str:
    disk = Disk()
    plan = plan_on(open_files(str(scene.directory), disk, scene.clock()), scene.clock)
    stale = has_stale_lease(plan)
    with plan, LeaseHolder(LEASE) as holder:
        lease = holder.acquire(plan)
        try:
            return asyncio.run(
                scene.work(plan, lease, disk, wrap=gate_loop, inside=gate_execution, stale=stale)
            ).why
        except LeaseLost:
            return "overtaken"


if __name__ == "__main__":
    try:
        say(go(Scene(Path(sys.argv[1]), new=False, shared=True)))
    except TaskClaimed as error:
        say(error.code)
