"""Two runners on one plan, advanced by hand step by step, killed and frozen in between."""

from collections.abc import Coroutine, Generator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from outlast.adapters.stores.files.store import FilesStore
from outlast.application.runtime.lease_holder import has_stale_lease
from outlast.errors import OutlastError, TaskClaimed
from outlast.ports.effects import Effect, Handler, LeaseLost, Reply
from outlast.ports.events import Stopped
from tests.adapters.stores.faults import FaultyDisk, Killed, QuickDisk
from tests.application.runtime.scene import LEASE, Scene, plan_on


class Step:
    """Where a runner waits until it is advanced."""

    def __await__(self) -> Generator[None]:
        yield


class SteppedHandler:
    """A handler that waits before and after every effect."""

    def __init__(self, inner: Handler) -> None:
        self._inner = inner

    async def handle(self, effect: Effect) -> Reply:
        await Step()
        reply = await self._inner.handle(effect)
        await Step()
        return reply


class Runner:
    """One process: a loop that holds the plan, or believes that it does."""

    def __init__(self, scene: Scene) -> None:
        self._disk = FaultyDisk(QuickDisk())
        self._store = FilesStore(str(scene.directory), self._disk, scene.clock())
        self.plan = plan_on(self._store, scene.clock)
        self.frozen = False
        self.end: Stopped | LeaseLost | None = None
        stale = has_stale_lease(self.plan)
        try:
            held = self.plan.claim_plan(LEASE)
        except OutlastError:
            self._store.close()
            raise
        held.stop()  # its beats come from the test
        self.lease = held.lease
        self._work: Coroutine[Any, Any, Stopped] = scene.work(
            self.plan, self.lease, self._disk, SteppedHandler, SteppedHandler, stale=stale
        )

    def advance(self) -> None:
        """Continue for one step; release the plan at the end."""
        try:
            self._work.send(None)
        except StopIteration as end:
            self.end = end.value
            with suppress(OutlastError):  # it may be late
                self.plan.release(self.lease)
            self._store.close()
        except LeaseLost as late:
            self.end = late
            self._store.close()

    def beat(self) -> None:
        """Renew the lease; a runner that lost it learns so at its next step."""
        with suppress(OutlastError):
            self.plan.renew(self.lease, LEASE)

    def kill(self) -> None:
        """End at once; no file can be touched any more."""
        with suppress(Killed):
            self._disk.die()
        with suppress(Killed):
            self._work.close()


class Chaos:
    """Advances, freezes and kills runners as the dice say until the plan is finished."""

    def __init__(self, path: Path, seed: int) -> None:
        self.scene = Scene(path)
        where, now = str(self.scene.directory), self.scene.clock()
        self._watching = FilesStore(where, QuickDisk(), now)
        self.dice = Random(seed)  # noqa: S311 - to be repeated
        self.runners: list[Runner] = []
        self.kills = self.refusals = self.late = 0

    def play(self) -> None:
        """Play until the plan is finished and every runner has ended."""
        while not self.finished():
            self._turn()
        for runner in list(self.runners):
            while runner.end is None:
                self._advance(runner)
        self._watching.close()

    def finished(self) -> bool:
        return any(isinstance(runner.end, Stopped) for runner in self.runners)

    def _turn(self) -> None:
        awake = [runner for runner in self.runners if not runner.frozen]
        match self.dice.random():
            case chance if chance < 0.02 and awake:
                self._kill(self.dice.choice(awake))
            case chance if chance < 0.05 and awake:
                self.dice.choice(awake).frozen = True
            case chance if chance < 0.1:
                self._let_time_pass(awake)
            case chance if chance < 0.15 and len(self.runners) < 3:
                self._start()
            case chance if chance < 0.17 and self.runners:
                self.dice.choice(self.runners).frozen = False
            case _ if awake:
                self._advance(self.dice.choice(awake))

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

    def _kill(self, runner: Runner) -> None:
        runner.kill()
        self.runners.remove(runner)
        self.kills += 1

    def _advance(self, runner: Runner) -> None:
        """Continue for one step; check that a runner writes only while it holds the plan."""
        before, lease = self._revision(), self._lease()
        runner.advance()
        if self._revision() != before:
            assert lease is not None
            assert lease.token == runner.lease.token, "a late runner has written"
        if isinstance(runner.end, LeaseLost):
            self.runners.remove(runner)
            self.late += 1

    def _lease(self) -> Any:
        return self._ask(lambda state: state.ledger.leases.get(0))

    def _revision(self) -> int:
        revision: int = self._ask(lambda state: state.revision)
        return revision

    def _ask(self, question: Any) -> Any:
        return self._watching.read(question)
