"""Taking back the newest commit that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import invert
from outlast.domain.changes import Undone
from outlast.domain.commands import Undo
from outlast.errors import InvalidStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.changes import Commit
    from outlast.ports.store import Store


_TRIES: Final = 20


def undo(store: Store, do: Callable[[Undo], object]) -> Commit:
    """Take a commit back; work it out anew if others changed the plan meanwhile."""
    for tries_left in reversed(range(_TRIES)):
        undone, command = _undoing(store)
        try:
            do(command)
        except InvalidStatus as error:
            if error.text != "plan_moved_on" or not tries_left:
                raise
        else:
            break
    return undone


def _undoing(store: Store) -> tuple[Commit, Undo]:
    made = store.since(1)  # the first commit is the plan itself
    chosen = _newest_undoable(made)
    if chosen is None:
        raise InvalidStatus("nothing_to_undo")
    changes = invert.undoing(store.before(chosen.revision), chosen)
    return chosen, Undo(chosen.revision, made[-1].revision, changes)


def _newest_undoable(made: list[Commit]) -> Commit | None:
    """Return the last commit that is no undo, has not been undone, and is not all facts."""
    undone: set[int] = set()
    for commit in reversed(made):
        first = commit.changes[0] if commit.changes else None
        if isinstance(first, Undone):
            undone.add(first.revision)
        elif commit.revision not in undone and not _all_facts(commit):
            return commit
    return None


def _all_facts(commit: Commit) -> bool:
    return all(type(change) in invert.FACTS for change in commit.changes)
