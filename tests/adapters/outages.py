"""A plan on a disk that loses what was not synced, and people who were told that it is safe."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

from outlast.adapters.stores.files.store import FilesStore
from outlast.domain import commands as c
from outlast.domain.enact import receipt
from outlast.errors import PlanNotFound, Refused
from outlast.ports.store import Store
from outlast.system.disk import Disk
from outlast.testing import MemoryStore
from tests.adapters.faults import FaultyDisk, Killed
from tests.adapters.operations import CREATE, LATEST, NOW
from tests.adapters.simulated import SimulatedDisk
from tests.domain.recompute import whole

WHERE = "/plan"
Step = tuple[tuple[c.Command, ...], Any, str]


class World:
    """A plan on a simulated disk, and what people were told about it."""

    longest = 90  # calls that a process lives

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - a power cut is no secret
        self.disk = SimulatedDisk()
        self.moment = NOW
        self.kept: list[Step] = []
        self.doubtful: list[Step] = []
        self.promised = False
        self.cuts = 0
        self.model = self._model([])

    @staticmethod
    def _model(steps: list[Step]) -> MemoryStore:
        model = MemoryStore(NOW)
        model.commit((CREATE,), receipt, author="ann", now=NOW)
        for step in steps:
            _repeat(model, step)
        return model

    def begin(self) -> None:
        """Make the plan; the process may die in it, and the power may go then or later."""
        process = FaultyDisk(self.disk, self.random.choice((0, self.random.randrange(1, 13))))
        with suppress(Killed):
            self.make(process).close()
        if self.random.random() < 0.5:
            self.cut()

    def make(self, disk: Disk) -> Store:
        """Make the plan, which is a promise when it returns."""
        store = self._create(disk)
        self.promised = True
        return store

    def _create(self, disk: Disk) -> Store:
        return FilesStore.create(WHERE, disk, CREATE, author="ann", now=NOW)

    def _open(self, disk: Disk) -> Store:
        return FilesStore(WHERE, disk, LATEST)

    def open(self, disk: Disk) -> Store:
        """Open the plan; if nobody was ever told that it is there, make it anew."""
        try:
            return self._open(disk)
        except PlanNotFound:
            assert not self.promised, "the plan is gone"
            self.doubtful = []
            return self.make(disk)

    def live(self) -> None:
        """Let a process work until it dies, by itself or with the power."""
        process = FaultyDisk(self.disk, self.random.randrange(1, self.longest))
        with suppress(Killed):
            store = self.open(process)
            if self.doubtful and self.random.random() < 0.5:
                self.commit(store, self.doubtful[0])
            for _ in range(self.random.randrange(8)):
                self.commit(store, (self.some_commands(store), self.now(), self.some_key()))
            store.close()
        if self.random.random() < 0.6:
            self.cut()

    def tell(self) -> None:
        """Let it all happen."""
        self.begin()
        for _ in range(3):
            self.live()
        self.look()

    def commit(self, store: Store, step: Step) -> None:
        """Ask for a change; it is in doubt until it is acknowledged, which makes all safe."""
        commands, now, key = step
        seen = store.read(lambda state: state.revision) - self.model.read(lambda s: s.revision)
        seen_before = self.doubtful[:seen]
        self.doubtful = [*seen_before, step] if step not in seen_before else seen_before
        try:
            store.commit(commands, receipt, author="ann", now=now, key=key)
        except Refused:
            self.doubtful = seen_before
            return
        self.promised = True
        for safe in self.doubtful:
            _repeat(self.model, safe)
        self.kept += self.doubtful
        self.doubtful = []

    def cut(self) -> None:
        """Take the power away, and see what is left."""
        self.cuts += 1
        self.disk.power_cut(self.random)
        self.look()

    def look(self) -> None:
        """Open the plan and hold it against what may be there."""
        store = self.open(self.disk)
        found = store.read(whole)
        self.inspect(store)
        store.close()
        allowed = [self.model.read(whole)]
        allowed += [
            self._model([*self.kept, *self.doubtful[: count + 1]]).read(whole)
            for count in range(len(self.doubtful))
        ]
        assert found in allowed, f"revision {found['revision']} of {len(self.kept) + 1}"
        assert not [name for name in self.disk.names(WHERE) if name.endswith(".new")]

    def inspect(self, store: Store) -> None:
        """Look at what else there may be."""

    def now(self) -> Any:
        """Return the next moment."""
        self.moment += timedelta(seconds=1)
        return self.moment

    def some_key(self) -> str:
        """Return a key of its own."""
        return f"key {self.moment}"

    def some_commands(self, store: Store) -> tuple[c.Command, ...]:
        """Return commands that the plan will take, of many lengths."""
        tasks = store.read(lambda state: [*state.graph.ready])
        text = "x" * self.random.choice((1, 20, 700, 3000))
        name = self.random.choice("abcdefgh")
        added = c.AddTasks((c.NewTask(name, reasoning=text),))
        if not tasks or self.random.random() < 0.5:
            return (added,)
        task = self.random.choice(tasks)
        return self.random.choice(((c.Complete(task, "ann", name),), (added, c.Skip(task))))


def _repeat(model: MemoryStore, step: Step) -> None:
    commands, now, key = step
    model.commit(commands, receipt, author="ann", now=now, key=key)


def survive(kind: type[World], seeds: Iterable[int]) -> int:
    """Let it all happen in many worlds; return how often the power went."""
    cuts = 0
    for seed in seeds:
        world = kind(seed)
        try:
            world.tell()
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        cuts += world.cuts
    return cuts
