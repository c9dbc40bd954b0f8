"""The past of a plan: undo a commit, or look at the plan as it was at a revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from outlast.domain.commands import Undo
from outlast.domain.history.undo import find_undone, has_only_facts, is_undo, undo_changes
from outlast.domain.limits import check_number
from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState
    from outlast.ports.store import Notice, Store

T = TypeVar("T")
_TRIES: Final = 20


def undo_commit(store: Store, do: Callable[[Undo], object], revision: int | None = None) -> Commit:
    """Undo a commit; compute the undo again if the plan changed meanwhile."""
    for tries_left in reversed(range(_TRIES)):
        undone, command = _undo_command(store, revision)
        try:
            do(command)
        except InvalidStatus as error:
            if error.text != "plan_changed_since" or not tries_left:
                raise
        else:
            break
    return undone


def _undo_command(store: Store, revision: int | None) -> tuple[Commit, Undo]:
    commits = store.commits_since(0)
    chosen = _newest_undoable(commits) if revision is None else _commit_at(commits, revision)
    later = [commit for commit in commits if commit.revision > chosen.revision]
    changes = undo_changes(store.state_before(chosen.revision), chosen, later)
    return chosen, Undo(chosen.revision, commits[-1].revision, changes)


def _newest_undoable(commits: Sequence[Commit]) -> Commit:
    """Return the newest commit that is no undo, has not been undone, and is not all facts."""
    undone = find_undone(commits)
    for commit in reversed(commits[1:]):  # the first commit is the plan itself
        if not (is_undo(commit) or has_only_facts(commit) or commit.revision in undone):
            return commit
    raise InvalidStatus("nothing_to_undo")


def _commit_at(commits: Sequence[Commit], revision: int) -> Commit:
    """Return the commit of a revision; raise `InvalidStatus` if it cannot be undone."""
    if not commits:
        raise InvalidStatus("nothing_to_undo")
    check_number(revision, "revision", commits[0].revision, commits[-1].revision)
    chosen = next(commit for commit in commits if commit.revision == revision)
    by = find_undone(commits).get(revision)
    if by is not None:
        raise InvalidStatus("already_undone", revision=revision, by=by)
    if has_only_facts(chosen):
        raise InvalidStatus("only_facts", revision=revision)
    return chosen


def state_at(store: Store, revision: int) -> PlanState:
    """Return a copy of a plan as it was at a revision."""
    newest = store.read(lambda state: state.revision)
    check_number(revision, "revision", 1, newest)
    state = store.state_before(revision + 1)
    if state.revision != revision:
        raise InvalidStatus("no_past", revision=revision)
    return state


class PastStore:
    """A read-only store of a plan as it was at a revision."""

    def __init__(self, store: Store, revision: int) -> None:
        """Read the history from the store of the plan."""
        self._store = store
        self._state = state_at(store, revision)

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call a function with the state of that revision."""
        return question(self._state)

    def commit(
        self,
        commands: Sequence[Command],  # noqa: ARG002 - refused whatever it is
        then: Callable[[PlanState, Commit], T],  # noqa: ARG002
        **options: object,  # noqa: ARG002
    ) -> NoReturn:
        """Raise `InvalidStatus`: the past cannot be changed."""
        raise InvalidStatus("plan_read_only", revision=self._state.revision)

    def submit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        **options: object,
    ) -> Future[T]:
        """Raise `InvalidStatus`, as `commit` does."""
        self.commit(commands, then, **options)

    def commits_since(self, revision: int) -> list[Commit]:
        """Return the commits after a revision up to this one, oldest first."""
        last = self._state.revision
        return [commit for commit in self._store.commits_since(revision) if commit.revision <= last]

    def state_before(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was before a commit."""
        return self._store.state_before(min(revision, self._state.revision + 1))

    def subscribe(self, _callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Do nothing: the past has no new commits."""
        return lambda: None

    @property
    def notices(self) -> list[Notice]:
        """Nothing: the plan's own store reports repairs."""
        return []

    def close(self) -> None:
        """Do nothing: the plan's own store stays open."""
