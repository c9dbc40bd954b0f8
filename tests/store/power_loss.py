"""A plan on a disk that loses what was not synced, and what was acknowledged to its callers."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

from outlast.errors import PlanNotFound, Refused
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.files.log import open_files
from outlast.store.port import Request, Store
from outlast.stores import MemoryStore
from outlast.system.disk import Disk
from tests.model.indexes import encode_all
from tests.store.faults import FaultyDisk, Killed
from tests.store.opening import new_files
from tests.store.operations import CREATE, LATEST, NOW
from tests.store.simulated_disk import SimulatedDisk

WHERE = "/plan"
Step = tuple[tuple[c.Command, ...], Any, str]


class World:
    """A plan on a simulated disk, and the commits that were acknowledged."""

    longest = 90  # calls that a process lives

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - a power cut is no secret
        self.disk = SimulatedDisk()
        self.moment = NOW
        self.acknowledged: list[Step] = []
        self.doubtful: list[Step] = []
        self.promised = False
        self.cuts = 0
        self.model = self._model([])

    @staticmethod
    def _model(steps: list[Step]) -> MemoryStore:
        model = MemoryStore(NOW)
        model.commit(Request((CREATE,), "ann", NOW), return_commit)
        for step in steps:
            _repeat(model, step)
        return model

    def begin(self) -> None:
        """Create the plan; the process may die in it, and the power may go then or later."""
        process = FaultyDisk(self.disk, self.random.choice((0, self.random.randrange(1, 13))))
        with suppress(Killed):
            self.make(process).close()
        if self.random.random() < 0.5:
            self.cut_power()

    def make(self, disk: Disk) -> Store:
        """Create the plan; from its return on the plan is acknowledged."""
        store = self._create(disk)
        self.promised = True
        return store

    def _create(self, disk: Disk) -> Store:
        return new_files(WHERE, disk, CREATE, author="ann", now=NOW)

    def _open(self, disk: Disk) -> Store:
        return open_files(WHERE, disk, LATEST)

    def open(self, disk: Disk) -> Store:
        """Open the plan; create it again if its creation was never acknowledged."""
        try:
            return self._open(disk)
        except PlanNotFound:
            assert not self.promised, "the plan is gone"
            self.doubtful = []
            return self.make(disk)

    def live(self) -> None:
        """Let a process work until it dies, alone or with the power."""
        process = FaultyDisk(self.disk, self.random.randrange(1, self.longest))
        with suppress(Killed):
            store = self.open(process)
            if self.doubtful and self.random.random() < 0.5:
                self.commit(store, self.doubtful[0])
            for _ in range(self.random.randrange(8)):
                self.commit(store, (self.some_commands(store), self.now(), self.some_key()))
            store.close()
        if self.random.random() < 0.6:
            self.cut_power()

    def run(self) -> None:
        """Run the whole scenario."""
        self.begin()
        for _ in range(3):
            self.live()
        self.check()

    def commit(self, store: Store, step: Step) -> None:
        """Request a change; it is doubtful until a later acknowledgement makes all durable."""
        commands, now, key = step
        seen = store.read(lambda state: state.revision) - self.model.read(lambda s: s.revision)
        seen_before = self.doubtful[:seen]
        self.doubtful = [*seen_before, step] if step not in seen_before else seen_before
        try:
            store.commit(Request(commands, "ann", now, key=key), return_commit)
        except Refused:
            self.doubtful = seen_before
            return
        self.promised = True
        for safe in self.doubtful:
            _repeat(self.model, safe)
        self.acknowledged += self.doubtful
        self.doubtful = []

    def cut_power(self) -> None:
        """Cut the power and check what is left."""
        self.cuts += 1
        self.disk.power_cut(self.random)
        self.check()

    def check(self) -> None:
        """Open the plan and compare it with what may be there."""
        store = self.open(self.disk)
        found = store.read(encode_all)
        self.inspect(store)
        store.close()
        allowed = [self.model.read(encode_all)]
        allowed += [
            self._model([*self.acknowledged, *self.doubtful[: count + 1]]).read(encode_all)
            for count in range(len(self.doubtful))
        ]
        assert found in allowed, f"revision {found['revision']} of {len(self.acknowledged) + 1}"
        assert not [name for name in self.disk.list_directory(WHERE) if name.endswith(".new")]

    def inspect(self, store: Store) -> None:
        """Check more in subclasses."""

    def now(self) -> Any:
        """Return the next moment."""
        self.moment += timedelta(seconds=1)
        return self.moment

    def some_key(self) -> str:
        """Return a new key."""
        return f"key {self.moment}"

    def some_commands(self, store: Store) -> tuple[c.Command, ...]:
        """Return commands that the plan accepts, of various lengths."""
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
    model.commit(Request(commands, "ann", now, key=key), return_commit)


def survive(kind: type[World], seeds: Iterable[int]) -> int:
    """Run many scenarios; return how often the power went."""
    cuts = 0
    for seed in seeds:
        world = kind(seed)
        try:
            world.run()
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        cuts += world.cuts
    return cuts
