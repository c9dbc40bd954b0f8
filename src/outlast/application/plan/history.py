"""Looking back at a plan: what was done to it, what it was, and taking that back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.plan.handle import Handle
from outlast.domain.enact import receipt
from outlast.domain.limits import LARGEST_ID, check_number

if TYPE_CHECKING:
    from typing import Self

    from outlast.domain.changes import Commit
    from outlast.domain.history.diff import Difference


class LookingBack(Handle):
    """The part of `outlast.Plan` that deals with its past."""

    __slots__ = ()

    def history(self, limit: int = 20) -> list[Commit]:
        """Return the last commits that changed the plan, the newest first."""
        check_number(limit, "limit", 1, LARGEST_ID)
        made = self._store.since(max(0, self.revision - limit))
        return [commit for commit in reversed(made) if commit.changes][:limit]

    def undo(self, revision: int | None = None) -> Commit:
        """Take back a commit, or the newest one that shaped the plan; return what was taken back.

        One of which something was changed later is refused, and the error says what has to be
        undone first. What was claimed, tried, counted or noted in it stays: facts are not undone.
        """
        from outlast.application.plan.undo import undo

        return undo(self._store, lambda command: self._do(command, receipt), revision)

    def undoable(self, limit: int = 20) -> list[Commit]:
        """Return those of the last commits that can be taken back now, the newest first."""
        from outlast.domain.history.undo import undoable

        made = self.history(limit)[::-1]
        if not made:
            return []
        return undoable(self._store.before(made[0].revision), made)[::-1]

    def as_of(self, revision: int) -> Self:
        """Return a handle on the plan as it was at a revision, which changes nothing."""
        from outlast.application.plan.past import Past

        past = Past(self._store, revision)
        return type(self)(past, self._clock, self._new_id, self.actor, checker=self._checker)

    def diff(self, old: int, new: int | None = None) -> list[Difference]:
        """Return what is different at one revision from another, or from how the plan is now."""
        from outlast.application.plan.past import state_at
        from outlast.domain.history.diff import differences

        newest = self.revision if new is None else new
        return differences(state_at(self._store, old), state_at(self._store, newest))
