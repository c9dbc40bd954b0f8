"""A process that runs the loop and asks for permission to continue at every step."""

import asyncio
import sys
from pathlib import Path

from outlast.adapters.stores.files.store import FilesStore
from outlast.application.runtime.lease_holder import LeaseHolder, has_stale_lease
from outlast.errors import TaskClaimed
from outlast.ports.effects import Effect, Handler, LeaseLost, Reply
from outlast.system.disk import Disk
from tests.application.runtime.scene import LEASE, Scene, plan_on


class GatedHandler:
    """A handler that asks before and after every effect."""

    def __init__(self, inner: Handler) -> None:
        self._inner = inner

    async def handle(self, effect: Effect) -> Reply:
        ask()
        reply = await self._inner.handle(effect)
        ask()
        return reply


def ask() -> None:
    say("?")
    sys.stdin.readline()


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def go(scene: Scene) -> str:
    disk = Disk()
    plan = plan_on(FilesStore(str(scene.directory), disk, scene.clock()), scene.clock)
    stale = has_stale_lease(plan)
    with plan, LeaseHolder(LEASE) as holder:
        lease = holder.acquire(plan)
        try:
            return asyncio.run(
                scene.work(plan, lease, disk, GatedHandler, GatedHandler, stale=stale)
            ).why
        except LeaseLost:
            return "overtaken"


if __name__ == "__main__":
    try:
        say(go(Scene(Path(sys.argv[1]), new=False, shared=True)))
    except TaskClaimed as error:
        say(error.code)
