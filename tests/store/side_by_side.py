"""The same steps on a plan in memory, in files, in files with views, and in a database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from outlast.documents.views.synced_views import SyncedViews
from outlast.errors import OutlastError
from outlast.plan.core import PlanCore
from outlast.plan.home.database import Database
from outlast.plan.plan import Plan
from outlast.store.files.log import open_files
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.system.disk import read_whole
from tests.documents.views.rendered_plans import (
    TASK_PLAN,
    ViewsWithoutTimer,
    assert_rendered,
    with_sync,
)
from tests.model.indexes import assert_indexes, encode_all
from tests.model.strategies import BEGINNING
from tests.store.faults import QuickDisk
from tests.store.opening import new_files, new_views, open_views, views_of
from tests.store.operations import fresh_directory
from tests.store.simulated_disk import SimulatedDisk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from outlast.model.changes import Commit
    from outlast.model.commands import Command, CreatePlan
    from outlast.model.state import PlanState
    from outlast.store.port import Store
    from outlast.system.disk import Disk
    from tests.model import strategies

Answer = tuple[Any, ...]


@dataclass(frozen=True)
class Step:
    """A commit with its key, handle and delay, or another action (`how`)."""

    requests: tuple[strategies.Request, ...]
    handle: int = 0
    key: str = ""  # "", "new", "again", "for others"
    number: int = 0
    seconds: int = 1
    how: str = "commit"  # "submit", "undo", "reopen", "render"


@dataclass(frozen=True)
class Place:
    """Where the plans are; views have a timer thread only on a real disk."""

    plain: str
    viewed: str
    database: str
    disk: Disk
    kind: type[SyncedViews] = SyncedViews


def new_place(path: Path, *, simulated: bool) -> Place:
    """Return an empty place."""
    plain, viewed, database = (
        str(fresh_directory(path / name)) for name in ("plain", "viewed", "database")
    )
    if simulated:
        return Place("/plain", "/viewed", database, SimulatedDisk(), ViewsWithoutTimer)
    return Place(plain, viewed, database, QuickDisk())


class SideBySide:
    """Two handles on each stored plan, and the memory store to compare them with."""

    def __init__(self, place: Place, plan: CreatePlan) -> None:
        self.place, self.disk = place, place.disk
        self.database = Database(f"{place.database}/plans.db", QuickDisk())
        self.key = plan.key
        self.now = now = BEGINNING
        self.memory = MemoryStore(now)
        self.memory.commit(Request((plan,), "ann", now), _all)
        kept = new_files(place.plain, self.disk, plan, author="ann", now=now)
        shown = new_views(place.viewed, self.disk, plan, now=now, kind=place.kind)
        self.viewed = [with_sync(shown, self.clock), self._open_viewed()]
        self.kept: list[list[Store]] = [
            [kept, self._open_files()],
            [self.database.create(plan, "ann", now), self._open_rows()],
        ]
        self.keys: list[tuple[str, tuple[Command, ...]]] = []
        self.compare()

    def _open_files(self) -> Store:
        return open_files(self.place.plain, self.disk, self.now)

    def _open_rows(self) -> Store:
        return self.database.open(self.key, self.now)

    def _open_viewed(self) -> Store:
        return with_sync(
            open_views(self.place.viewed, self.disk, self.now, self.place.kind), self.clock
        )

    def do(self, step: Step) -> Answer:
        """Take a step on all stores; their answers are equal."""
        if step.how == "undo":
            return self._all(
                step.handle, lambda store: Plan(PlanCore(store, self.clock, str, "bo")).undo()
            )
        if step.how == "reopen":
            return self.reopen(step)
        if step.how == "render":
            return self.render(step.handle)
        return self._commit(step)

    def _commit(self, step: Step) -> Answer:
        self.now += timedelta(seconds=step.seconds)
        commands = self.memory.read(lambda state: _commands(state, step))
        key, commands = self._key(step, commands)
        return self._all(step.handle, lambda store: _ask(store, commands, key, self.now, step))

    def _key(self, step: Step, commands: tuple[Command, ...]) -> tuple[str, tuple[Command, ...]]:
        if step.key in ("again", "for others") and self.keys:
            key, asked = self.keys[step.number % len(self.keys)]
            return key, asked if step.key == "again" else commands
        if step.key != "new":
            return "", commands
        key = f"key {len(self.keys)}"
        self.keys.append((key, commands))
        return key, commands

    def _all(self, handle: int, ask: Callable[[Store], Any]) -> Answer:
        expected = _answer(ask, self.memory)
        for stores in self._stores():
            assert _answer(ask, stores[handle]) == expected
        self.compare()
        return expected

    def _stores(self) -> list[Sequence[Store]]:
        return [*self.kept, self.viewed]

    def clock(self) -> datetime:
        """Return the time, which only steps move."""
        return self.now

    def reopen(self, step: Step) -> Answer:
        """Compare the history, and reopen the stores as another process would."""
        for stores in self._stores():
            self._compare_history(stores[step.handle], step.number)
            stores[step.handle].close()
        self.kept[0][step.handle] = self._open_files()
        self.kept[1][step.handle] = self._open_rows()
        self.viewed[step.handle] = self._open_viewed()
        assert [stores[step.handle].notices for stores in self._stores()] == [[], [], []]
        self.compare()
        self._check_view()
        return ("reopened",)

    def render(self, handle: int) -> Answer:
        """Render the views."""
        views_of(self.viewed[handle]).render()
        self._check_view()
        return ("rendered",)

    def _check_view(self) -> None:
        content = read_whole(self.disk, f"{self.place.viewed}/{TASK_PLAN}").decode()
        self.memory.read(lambda state: assert_rendered(content, state))

    def compare(self) -> None:
        """Compare all handles with the memory store."""
        expected = self.memory.read(encode_all)
        for stores in self._stores():
            for store in stores:
                assert store.read(encode_all) == expected

    def _compare_history(self, store: Store, number: int) -> None:
        """Compare the commits since a revision and the state before it."""
        revision = 2 + number % self.memory.read(lambda state: state.revision)
        assert store.commits_since(revision - 2) == self.memory.commits_since(revision - 2)
        assert encode_all(store.state_before(revision)) == encode_all(
            self.memory.state_before(revision)
        )
        store.read(assert_indexes)

    def close(self) -> None:
        """Close all stores; the view shows the last plan."""
        for stores in self._stores():
            for store in stores:
                store.close()
        self._check_view()


def _commands(state: PlanState, step: Step) -> tuple[Command, ...]:
    return tuple(request.command(state) for request in step.requests)


def _all(state: PlanState, commit: Commit) -> Answer:
    return commit, encode_all(state)


def _ask(
    store: Store, commands: tuple[Command, ...], key: str, now: datetime, step: Step
) -> Answer:
    author = ("ann", "bo")[step.number % 2]
    if step.how == "commit":
        return store.commit(Request(commands, author, now, reason=step.key, key=key), _all)
    return store.submit(Request(commands, author, now, reason=step.key, key=key), _all).result(30)


def _answer(ask: Callable[[Store], Any], store: Store) -> Answer:
    try:
        return ("", ask(store))
    except OutlastError as error:
        return error.code, error.text, error.details
