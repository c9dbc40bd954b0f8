"""Taking back a commit: the newest that can be, or any that still stands as it was left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.commands import Undo
from outlast.domain.history.undo import is_fact, is_undo, undoing, undone_by
from outlast.domain.limits import check_number
from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.domain.changes import Commit
    from outlast.ports.store import Store


_TRIES: Final = 20


def undo(store: Store, do: Callable[[Undo], object], revision: int | None = None) -> Commit:
    """Take a commit back; work it out anew if others changed the plan meanwhile."""
    for tries_left in reversed(range(_TRIES)):
        undone, command = _undoing(store, revision)
        try:
            do(command)
        except InvalidStatus as error:
            if error.text != "plan_moved_on" or not tries_left:
                raise
        else:
            break
    return undone


def _undoing(store: Store, revision: int | None) -> tuple[Commit, Undo]:
    made = store.since(0)
    chosen = _newest(made) if revision is None else _named(made, revision)
    later = [commit for commit in made if commit.revision > chosen.revision]
    changes = undoing(store.before(chosen.revision), chosen, later)
    return chosen, Undo(chosen.revision, made[-1].revision, changes)


def _newest(made: Sequence[Commit]) -> Commit:
    """Return the last commit that is no undo, has not been undone, and is not all facts."""
    undone = undone_by(made)
    for commit in reversed(made[1:]):  # the first commit is the plan itself
        if not (is_undo(commit) or is_fact(commit) or commit.revision in undone):
            return commit
    raise InvalidStatus("nothing_to_undo")


def _named(made: Sequence[Commit], revision: int) -> Commit:
    """Return the commit that led to a revision, if it has not been undone and can be at all."""
    if not made:
        raise InvalidStatus("nothing_to_undo")
    check_number(revision, "revision", made[0].revision, made[-1].revision)
    chosen = next(commit for commit in made if commit.revision == revision)
    by = undone_by(made).get(revision)
    if by is not None:
        raise InvalidStatus("already_undone", revision=revision, by=by)
    if is_fact(chosen):
        raise InvalidStatus("only_facts", revision=revision)
    return chosen
