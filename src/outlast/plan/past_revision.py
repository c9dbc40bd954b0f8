"""The past of a plan: undo a commit, or look at the plan as it was at a revision."""

from __future__ import annotations

from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.errors import InvalidStatus
from outlast.model.commands import Undo
from outlast.model.execute import return_commit
from outlast.model.history.undo import (
    find_undone,
    has_only_facts,
    newest_change,
    undo_changes,
    undoable_commits,
)
from outlast.model.limits import check_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Reversible, Sequence
    from concurrent.futures import Future

    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore
    from outlast.store.port import Notice, Request, Store

T = TypeVar("T")
_TRIES: Final = 20
_SHOWN: Final = 20  # commits among which an agent's newest is looked for


def undo_commit(core: PlanCore, revision: int | None = None) -> Commit:
    """Undo a commit; compute the undo again if the plan changed meanwhile."""
    for tries_left in reversed(range(_TRIES)):
        undone, command = _undo_command(core.store, revision, core.actor)
        try:
            core.commit((command,), return_commit)
        except InvalidStatus as error:
            if error.text != "plan_changed_since" or not tries_left:
                raise
        else:
            break
    return undone


def _undo_command(store: Store, revision: int | None, actor: str) -> tuple[Commit, Undo]:
    newest = store.read(lambda state: state.revision)
    if revision is None:
        chosen = newest_change(store.history(), actor)
    else:
        chosen = _commit_at(store, revision, newest)
    later = store.history(chosen.revision)
    try:
        changes = undo_changes(store.state_before(chosen.revision), chosen, later, actor=actor)
    except InvalidStatus as error:
        is_foreign = error.text == "undo_not_own"
        recent = store.commits_since(max(0, newest - _SHOWN)) if is_foreign else []
        undoable = _undoable(store, recent, actor) if recent else ()
        if not undoable:
            raise
        raise InvalidStatus(
            "undo_not_own_instead",
            revision=chosen.revision,
            author=chosen.author,
            instead=undoable[-1].revision,
        ) from error
    return chosen, Undo(chosen.revision, newest, changes)


def _undoable(store: Store, commits: Sequence[Commit], actor: str) -> list[Commit]:
    before = store.state_before(commits[0].revision)
    return undoable_commits(before, commits, actor=actor)


def _commit_at(store: Store, revision: int, newest: int) -> Commit:
    """Return the commit of a revision; raise `InvalidStatus` if it cannot be undone."""
    first = next(iter(store.history()), None)
    if first is None:
        raise InvalidStatus("nothing_to_undo")
    check_number(revision, "revision", first.revision, newest)
    chosen = next(iter(store.history(revision - 1)))
    by = find_undone(store.history(revision)).get(revision)
    if by is not None:
        raise InvalidStatus("already_undone", revision=revision, by=by)
    if has_only_facts(chosen):
        raise InvalidStatus("only_facts", revision=revision)
    return chosen


def state_at(store: Store, revision: int, argument: str = "revision") -> PlanState:
    """Return a copy of a plan as it was at a revision, which the caller passed as `argument`."""
    newest = store.read(lambda state: state.revision)
    check_number(revision, argument, 1, newest)
    state = store.state_before(revision + 1)
    if state.revision != revision:
        raise InvalidStatus("no_past", revision=revision)
    return state


class ReadOnlyStore:
    """The store of a plan that nobody may change; every commit is refused with one error."""

    def __init__(self, store: Store, text: str, **details: object) -> None:
        """Pass reads on to a store; `text` and `details` are those of the `InvalidStatus`."""
        self._store = store
        self._text, self._details = text, details

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call a function with the state of the plan."""
        return self._store.read(question)

    def commit(self, _request: Request, _then: Callable[[PlanState, Commit], T]) -> T:
        """Raise `InvalidStatus`."""
        raise InvalidStatus(self._text, **self._details)

    def submit(self, _request: Request, _then: Callable[[PlanState, Commit], T]) -> Future[T]:
        """Raise `InvalidStatus`."""
        raise InvalidStatus(self._text, **self._details)

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision, oldest first."""
        return self._store.commits_since(revision)

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision."""
        return self._store.mark_of(revision)

    def history(self, since: int = 0) -> Reversible[Commit]:
        """Return the commits after a revision."""
        return self._store.history(since)

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before a commit."""
        return self._store.state_before(revision)

    def subscribe(self, _callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Do nothing: there are no new commits."""
        return lambda: None

    @property
    def notices(self) -> list[Notice]:
        """What was repaired when the plan was opened."""
        return self._store.notices

    def close(self) -> None:
        """Close the store of the plan."""
        self._store.close()


class Past:
    """The commits of a history up to a revision, in either direction."""

    def __init__(self, commits: Reversible[Commit], last: int) -> None:
        self._commits, self._last = commits, last

    def __iter__(self) -> Iterator[Commit]:
        return takewhile(lambda commit: commit.revision <= self._last, self._commits)

    def __reversed__(self) -> Iterator[Commit]:
        return dropwhile(lambda commit: commit.revision > self._last, reversed(self._commits))


class PastStore(ReadOnlyStore):
    """A read-only store of a plan as it was at a revision."""

    def __init__(self, store: Store, revision: int) -> None:
        """Read the history from the store of the plan."""
        super().__init__(store, "plan_read_only", revision=revision)
        self._state = state_at(store, revision)

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call a function with the state of that revision, as long as the plan is open."""
        return self._store.read(lambda _now: question(self._state))

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision up to this one, oldest first."""
        return [*self.history(revision)]

    def history(self, since: int = 0) -> Reversible[Commit]:
        """Return the commits after a revision up to this one."""
        return Past(super().history(since), self._state.revision)

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before a commit."""
        return super().state_before(min(revision, self._state.revision + 1))

    @property
    def notices(self) -> list[Notice]:
        """Nothing: the plan's own store reports repairs."""
        return []

    def close(self) -> None:
        """Do nothing: the plan's own store stays open."""
