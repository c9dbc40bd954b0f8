"""The store port: where one plan is kept, and the only way to change it."""

from __future__ import annotations

from collections.abc import Callable, Reversible, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from msgspec import Struct

from outlast import store as ports
from outlast.model.changes import Commit
from outlast.model.commands import Command
from outlast.model.execute import Compose
from outlast.model.state import PlanState

T = TypeVar("T")
Layout = Literal["outlast", "code-agent", "sessions"]
Notice = tuple[str, dict[str, object]]  # a text key and the values for its placeholders


class Request(Struct, frozen=True, gc=False):
    """What a commit is asked to do: its commands, and the author, time, reason and key to store.

    `person` is the name of the person that the author `human` stands for, if it is known.
    A `key` makes the commit idempotent: the same key with the same commands returns the first
    commit's answer again; with other commands it raises `InvalidArgument`.
    With `compose` there are no commands: it makes them under the store's lock, on the newest state.
    A key that is taken then always raises, and a commit without changes is not stored.
    """

    commands: Sequence[Command]
    author: str
    now: datetime
    reason: str = ""
    key: str = ""
    person: str = ""
    compose: Compose | None = None


class Store(Protocol):
    """One plan, for any number of threads.

    A callback that gets the state reads it, never changes it, and does not keep it.
    """

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call `question` with the current state while no commit can happen.

        The callback may read again, but not commit: that raises `InvalidStatus`.
        """

    def commit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> T:
        """Decide the commands on the current state and store their changes, all or none.

        Returns `then(state, commit)`, called with the state that the commit led to. Works in the
        calling thread. Commands that change nothing leave the revision as it is.
        """

    def submit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> ports.Future[T]:
        """Commit in the background, without waiting for the store's lock or the disk.

        Submitted commits are carried out in their order; those that wait share one write and one
        sync. A request without commands and without a key writes nothing: it reads the state that
        those before it led to.
        """

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first; for many, use `history`."""

    def history(self, since: int = 0) -> Reversible[Commit]:
        """Return the commits after a revision, to be read in either direction.

        They are read piece by piece as they are asked for, so that they need not fit into memory.
        Commits that are made meanwhile do not join them.
        """

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision; "" if the plan has none.

        Two histories that share a revision number are told apart by it.
        """

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before the commit with this revision."""

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call `callback` for every later commit, from any process; return the unsubscriber."""

    @property
    def notices(self) -> list[Notice]:
        """What was repaired, or could not be done, since the plan was opened."""

    def close(self) -> None:
        """Release the files or the database of the plan."""
