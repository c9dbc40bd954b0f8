"""Two runners on one plan, advanced step by step, killed and frozen in between."""

import asyncio
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from outlast.agent.effects import Effect, LeaseLost, Outcome
from outlast.agent.events import Stopped
from outlast.agent.runtime.lane import CallNext, Lane
from outlast.agent.runtime.lease_holder import has_stale_lease
from outlast.errors import OutlastError, TaskClaimed
from outlast.store.files.log import open_files
from tests.agent.runtime.scene import LEASE, Scene, plan_on
from tests.store.faults import FaultyDisk, Killed, QuickDisk


class Gate:
    """Where a runner waits, before and after every effect, until it is advanced."""

    def __init__(self) -> None:
        self._arrived = asyncio.Event()
        self._opened = asyncio.Event()
        self.is_dead = False

    async def __call__(self, effect: Effect, _lane: Lane, call_next: CallNext) -> Outcome:
        await self._wait()
        outcome = await call_next(effect)
        await self._wait()
        return outcome

    async def _wait(self) -> None:
        if self.is_dead:
            raise Killed
        self._arrived.set()
        await self._opened.wait()
        self._opened.clear()

    async def pass_once(self, work: asyncio.Task[Any]) -> None:
        """Open the gate; return when the runner is at the gate again, or has ended."""
        await self._next_arrival(work)
        self._arrived.clear()
        self._opened.set()
        await self._next_arrival(work)

    async def _next_arrival(self, work: asyncio.Task[Any]) -> None:
        arrival = asyncio.create_task(self._arrived.wait())
        await asyncio.wait((arrival, work), return_when=asyncio.FIRST_COMPLETED)
        arrival.cancel()


class Runner:
    """One process: a loop that holds the plan, or believes that it does."""

    def __init__(self, scene: Scene) -> None:
        self._disk = FaultyDisk(QuickDisk())  # of the plan
        self._tool_disk = FaultyDisk(QuickDisk())
        self._store = open_files(str(scene.directory), self._disk, scene.clock())
        self.plan = plan_on(self._store, scene.clock)
        self.frozen = False
        self.end: Stopped | LeaseLost | None = None
        stale = has_stale_lease(self.plan)
        try:
            held = self.plan.core.claim_plan(LEASE)
        except OutlastError:
            self._store.close()
            raise
        held.stop()  # its beats come from the test
        self.lease, self._gate = held.lease, Gate()
        self._work = asyncio.create_task(
            scene.work(
                self.plan,
                self.lease,
                self._tool_disk,
                outside=self._gate,
                inside=self._gate,
                stale=stale,
            )
        )

    @property
    def writes(self) -> int:
        """How often it has written to the plan."""
        return self._disk.calls.count("write")

    async def advance(self) -> None:
        """Continue for one step; release the plan at the end."""
        await self._gate.pass_once(self._work)
        if not self._work.done():
            return
        try:
            self.end = self._work.result()
            with suppress(OutlastError):  # it may be late
                self.plan.release(self.lease)
        except LeaseLost as late:
            self.end = late
        self._store.close()

    def beat(self) -> None:
        """Renew the lease; a runner that lost it learns so at its next step."""
        with suppress(OutlastError):
            self.plan.renew(self.lease, LEASE)

    async def kill(self) -> None:
        """End at once; no file can be touched any more."""
        for disk in (self._disk, self._tool_disk):
            with suppress(Killed):
                disk.die()
        self._gate.is_dead = True
        self._work.cancel()
        with suppress(Killed, asyncio.CancelledError):
            await self._work


class Chaos:
    """Advances, freezes and kills runners as the dice say until the plan is finished."""

    def __init__(self, path: Path, seed: int) -> None:
        self.scene = Scene(path)
        where, now = str(self.scene.directory), self.scene.clock()
        self._watching = open_files(where, QuickDisk(), now)
        self.dice = Random(seed)  # noqa: S311 - to be repeated
        self.runners: list[Runner] = []
        self.kills = self.refusals = self.late = 0

    def play(self) -> None:
        """Play until the plan is finished and every runner has ended."""
        asyncio.run(self._play())
        self._watching.close()

    async def _play(self) -> None:
        try:
            while not self.finished():
                await self._turn()
            for runner in list(self.runners):
                while runner.end is None:
                    await self._advance(runner)
        except BaseException:
            for runner in self.runners:  # which would wait at their gates for ever
                await runner.kill()
            raise

    def finished(self) -> bool:
        return any(isinstance(runner.end, Stopped) for runner in self.runners)

    async def _turn(self) -> None:
        awake = [runner for runner in self.runners if not runner.frozen]
        match self.dice.random():
            case chance if chance < 0.02 and awake:
                await self._kill(self.dice.choice(awake))
            case chance if chance < 0.05 and awake:
                self.dice.choice(awake).frozen = True
            case chance if chance < 0.1:
                self._let_time_pass(awake)
            case chance if chance < 0.15 and len(self.runners) < 3:
                self._start()
            case chance if chance < 0.17 and self.runners:
                self.dice.choice(self.runners).frozen = False
            case _ if awake:
                await self._advance(self.dice.choice(awake))

    def _start(self) -> None:
        lease = self._lease()
        try:
            self.runners.append(Runner(self.scene))
        except TaskClaimed:
            self.refusals += 1
            assert lease is not None
            assert lease.until > self.scene.clock()

    def _let_time_pass(self, awake: list[Runner]) -> None:
        for _ in range(self.dice.randrange(4)):
            self.scene.clock.advance(LEASE // 3)
            for runner in awake:
                runner.beat()

    async def _kill(self, runner: Runner) -> None:
        await runner.kill()
        self.runners.remove(runner)
        self.kills += 1

    async def _advance(self, runner: Runner) -> None:
        """Continue for one step; check that a runner writes only while it holds the plan."""
        lease, before = self._lease(), [other.writes for other in self.runners]
        await runner.advance()
        for other, writes in zip(self.runners, before, strict=True):
            if other.writes != writes:
                assert lease is not None
                assert lease.token == other.lease.token, "a late runner has written"
        if isinstance(runner.end, LeaseLost):
            self.runners.remove(runner)
            self.late += 1

    def _lease(self) -> Any:
        return self._ask(lambda state: state.ledger.leases.get(0))

    def _ask(self, question: Any) -> Any:
        return self._watching.read(question)
