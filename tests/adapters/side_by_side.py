"""A plan in memory and the same plan in files: the same steps on both, then every comparison."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from outlast.adapters.stores.files import FilesStore
from outlast.application.planning import Plan
from outlast.errors import OutlastError
from outlast.testing import MemoryStore
from tests.domain.recompute import assert_indexes, whole
from tests.domain.strategies import BEGINNING, Wish

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command, CreatePlan
    from outlast.domain.state import PlanState
    from outlast.ports.store import Store
    from outlast.system.disk import Disk

Answer = tuple[Any, ...]


@dataclass(frozen=True)
class Step:
    """What to commit, under which key, through which handle, after how many seconds; or else."""

    wishes: tuple[Wish, ...]
    handle: int = 0
    key: str = ""  # "", "new", "again", "for others"
    number: int = 0
    seconds: int = 1
    how: str = "commit"  # "submit", "undo", "reopen"


class SideBySide:
    """Two handles on the files, and the memory store that they are held against."""

    def __init__(self, where: str, disk: Disk, plan: CreatePlan) -> None:
        self.where, self.disk = where, disk
        self.now = BEGINNING
        self.memory = MemoryStore(self.now)
        self.memory.commit((plan,), _all, author="ann", now=self.now)
        first = FilesStore.create(where, disk, plan, author="ann", now=self.now)
        self.files = [first, self._opened()]
        self.keys: list[tuple[str, tuple[Command, ...]]] = []
        self.compare()

    def _opened(self) -> FilesStore:
        return FilesStore(self.where, self.disk, self.now)

    def do(self, step: Step) -> Answer:
        """Take a step on both; they answer the same."""
        if step.how == "undo":
            return self._both(step.handle, lambda store: Plan(store, self.clock, str, "bo").undo())
        if step.how == "reopen":
            return self.reopen(step)
        return self._commit(step)

    def _commit(self, step: Step) -> Answer:
        self.now += timedelta(seconds=step.seconds)
        commands = self.memory.read(lambda state: _commands(state, step))
        key, commands = self._key(step, commands)
        return self._both(step.handle, lambda store: _ask(store, commands, key, self.now, step))

    def _key(self, step: Step, commands: tuple[Command, ...]) -> tuple[str, tuple[Command, ...]]:
        if step.key in ("again", "for others") and self.keys:
            key, asked = self.keys[step.number % len(self.keys)]
            return key, asked if step.key == "again" else commands
        if step.key != "new":
            return "", commands
        key = f"key {len(self.keys)}"
        self.keys.append((key, commands))
        return key, commands

    def _both(self, handle: int, ask: Callable[[Store], Any]) -> Answer:
        expected, answer = _answer(ask, self.memory), _answer(ask, self.files[handle])
        assert answer == expected
        self.compare()
        return expected

    def clock(self) -> datetime:
        """Return the time, which only steps move."""
        return self.now

    def reopen(self, step: Step) -> Answer:
        """Look back, and go on as another process would."""
        self._look_back(self.files[step.handle], step.number)
        self.files[step.handle].close()
        self.files[step.handle] = self._opened()
        assert self.files[step.handle].notices == []
        self.compare()
        return ("reopened",)

    def compare(self) -> None:
        """Hold both handles against the memory store."""
        expected = self.memory.read(whole)
        for store in self.files:
            assert store.read(whole) == expected

    def _look_back(self, store: FilesStore, number: int) -> None:
        """Compare the past, from one revision on and as it was there."""
        revision = 2 + number % self.memory.read(lambda state: state.revision)
        assert store.since(revision - 2) == self.memory.since(revision - 2)
        assert whole(store.before(revision)) == whole(self.memory.before(revision))
        store.read(assert_indexes)

    def close(self) -> None:
        """Let go of the files."""
        for store in self.files:
            store.close()


def _commands(state: PlanState, step: Step) -> tuple[Command, ...]:
    return tuple(wish.command(state) for wish in step.wishes)


def _all(state: PlanState, commit: Commit) -> Answer:
    return commit, whole(state)


def _ask(
    store: Store, commands: tuple[Command, ...], key: str, now: datetime, step: Step
) -> Answer:
    author = ("ann", "bo")[step.number % 2]
    if step.how == "commit":
        return store.commit(commands, _all, author=author, now=now, reason=step.key, key=key)
    return store.submit(commands, _all, author=author, now=now, reason=step.key, key=key).result(30)


def _answer(ask: Callable[[Store], Any], store: Store) -> Answer:
    try:
        return ("", ask(store))
    except OutlastError as error:
        return error.code, error.text, error.details
