"""What the parts of the suite share: a plan to start from, and short ways to call a store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.model.commands import AddTasks, Command, CreatePlan, NewTask
from outlast.model.execute import return_commit
from outlast.store import snapshot
from outlast.store.port import Request, Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from outlast.errors import OutlastError
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState

E = TypeVar("E", bound="OutlastError")
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
LATER: Final = NOW + timedelta(seconds=90)
CREATE_PLAN: Final = CreatePlan("plan_test", "Test things", "some-key")
TIMEOUT: Final = 30.0  # seconds after which something hangs


class Conformance(ABC):
    """How a store is made and reopened: the two methods to implement."""

    @abstractmethod
    def make(self, command: CreatePlan, *, author: str, now: datetime) -> Store:
        """Return a store with the plan that this command creates."""

    @abstractmethod
    def reopen(self, store: Store) -> Store:
        """Close a store and open it as the next process would, if it outlives a process."""

    def make_plan(self, tasks: int = 0) -> Store:
        """Return a store whose plan has this many independent tasks, at revision 1 or 2."""
        store = self.make(CREATE_PLAN, author="ann", now=NOW)
        if tasks:
            commit(store, AddTasks(tuple(NewTask(f"task {n}") for n in range(1, tasks + 1))))
        return store


def add_task(name: str = "new") -> AddTasks:
    """Return the command that adds a task."""
    return AddTasks((NewTask(name),))


def commit(
    store: Store, *commands: Command, now: datetime = NOW, reason: str = "", key: str = ""
) -> Commit:
    """Commit commands and return the commit."""
    return store.commit(Request(commands, "ann", now, reason=reason, key=key), return_commit)


def submit(store: Store, *commands: Command, key: str = "") -> Future[Commit]:
    """Submit commands."""
    return store.submit(Request(commands, "ann", NOW, key=key), return_commit)


def encode_state(state: PlanState) -> bytes:
    """Return the whole state of a plan as a value to compare."""
    return snapshot.write(state, 0, "", {})


def expect_error(error: type[E], call: Callable[[], object]) -> E:
    """Make a call that must raise this error; return the error."""
    try:
        call()
    except error as refusal:
        return refusal
    raise AssertionError(error)


def expect_refusal(store: Store, error: type[E], call: Callable[[], object]) -> E:
    """Make a call that must raise this error and leave the plan unchanged."""
    before, past = store.read(encode_state), store.commits_since(0)
    refusal = expect_error(error, call)
    assert store.read(encode_state) == before
    assert store.commits_since(0) == past
    return refusal
