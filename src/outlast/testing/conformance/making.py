"""What the parts of the suite share: a plan to begin with, and short ways to ask a store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.domain.commands import AddTasks, CreatePlan, NewTask
from outlast.domain.enact import receipt
from outlast.formats import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.errors import OutlastError
    from outlast.ports.store import Store

E = TypeVar("E", bound="OutlastError")
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
LATER: Final = NOW + timedelta(seconds=90)
BEGINNING: Final = CreatePlan("plan_test", "Test things", "some-key")
PATIENCE: Final = 30.0  # seconds after which something hangs


class Conformance(ABC):
    """How a store is made and opened again."""

    @abstractmethod
    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        """Return a store with a plan that was begun by this command."""

    @abstractmethod
    def reopen(self, store: Store) -> Store:
        """Close a store and return it as the next process finds it, if it outlives a process."""

    def begun(self, tasks: int = 0) -> Store:
        """Return a store whose plan has so many independent tasks, at revision 1 or 2."""
        store = self.make(BEGINNING, author="ann", now=NOW)
        if tasks:
            do(store, AddTasks(tuple(NewTask(f"task {n}") for n in range(1, tasks + 1))))
        return store


def add(name: str = "new") -> AddTasks:
    """Return the command that adds a task."""
    return AddTasks((NewTask(name),))


def do(
    store: Store, *commands: Command, now: datetime = NOW, reason: str = "", key: str = ""
) -> Commit:
    """Commit commands and return the commit."""
    return store.commit(commands, receipt, author="ann", now=now, reason=reason, key=key)


def send(store: Store, *commands: Command, key: str = "") -> Future[Commit]:
    """Submit commands."""
    return store.submit(commands, receipt, author="ann", now=NOW, key=key)


def picture(state: PlanState) -> bytes:
    """Return all that a plan is, as a value to compare."""
    return snapshot.write(state, 0, "", {})


def refuses(error: type[E], call: Callable[[], object]) -> E:
    """Make a call that has to be refused; return the refusal."""
    try:
        call()
    except error as refusal:
        return refusal
    raise AssertionError(error)


def refuses_untouched(store: Store, error: type[E], call: Callable[[], object]) -> E:
    """Make a call that has to be refused and to leave the plan as it was."""
    before, past = store.read(picture), store.since(0)
    refusal = refuses(error, call)
    assert store.read(picture) == before
    assert store.since(0) == past
    return refusal
