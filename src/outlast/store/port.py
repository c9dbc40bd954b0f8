"""The store port: where one plan is kept, and the only way to change it."""

from __future__ import annotations

from collections.abc import Callable, Reversible, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from msgspec import Struct

from outlast import store
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

    def submit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> store.Future[T]:
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


class EditedView(Struct, frozen=True):
    """A view with an edit that is not applied yet.

    `revision` and `mark` are of the commit that the view showed before the edit, 0 and empty if
    that is unknown. `key` identifies this save of the file, `checksum` its content. A `bare` view
    has the form of the document, which leaves some of the plan out. `during` is what ran meanwhile
    and may have made the edit: the name of a tool, or empty if it is a person's.
    """

    name: str
    text: str
    revision: int
    key: str
    checksum: int
    bare: bool = False
    during: str = ""
    mark: str = ""

    @property
    def is_saved(self) -> bool:
        """Whether it is in the file, and not in a question about what once was there."""
        return self.key.startswith(f"{self.name}:")


class Views(Protocol):
    """The files that a plan is rendered into and that people edit, attached to its store.

    Before every use of the store they are looked at a few times a second, and an `EditSync` applies
    the edits in them.
    """

    @property
    def store(self) -> Store:
        """The store of the plan."""

    def sync_with(self, apply: ApplyEdits) -> None:
        """Let `apply` apply the edits, now and before every later use of the store."""

    def sync_edits(self, *, confirmed: bool = False) -> None:
        """Apply the edits now; `confirmed` also those that look like a mistake."""

    def sync_touched(self, during: str = "") -> None:
        """Apply the edits now if a view was touched; `during` is what ran since the last call."""

    def overwrite_edit(self, edit: EditedView, *, keep_copy: bool = False) -> None:
        """Let the next rendering replace an applied edit; `keep_copy` sets its file aside."""

    def retry_edit(self, edit: EditedView) -> None:
        """Find an edit again before a later use: it could not be stored."""

    def is_current(self, edit: EditedView) -> bool:
        """Return whether a view still has the content of an edit; no later save came after it."""

    def render(self) -> None:
        """Render the current plan into every view without a pending edit."""

    def render_promptly(self) -> None:
        """From now on, render after each commit, before the call that made it returns."""

    def view_paths(self) -> tuple[str, ...]:
        """Return the paths of the views that exist, the one of the plan itself first."""

    def add_notice(self, notice: Notice) -> None:
        """Add a notice, unless it is there already."""

    # What the store calls

    def before_use(self) -> None:
        """Apply edits, if it is time to look for them."""

    def after_use(self) -> None:
        """Render, if that is due."""

    def after_batch(self) -> None:
        """Render, if that is due after commits; the caller has the store's mutex."""

    def before_close(self) -> None:
        """Render what is due; the caller has the store's mutex."""

    def reset_after_fork(self) -> None:
        """Let go of what belongs to the parent process."""


class ApplyEdits(Protocol):
    """Turns edited views into commits of their plan."""

    def __call__(self, views: Views, edits: Sequence[EditedView], /, *, confirmed: bool) -> None:
        """Apply edits; those that cannot be applied become notices."""
