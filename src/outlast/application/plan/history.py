"""History verbs: read the history, undo, compare revisions, look at an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.plan.handle import PlanHandle
from outlast.domain.execute import return_commit
from outlast.domain.limits import LARGEST_ID, check_number

if TYPE_CHECKING:
    from typing import Self

    from outlast.domain.changes import Commit
    from outlast.domain.history.diff import Difference


class HistoryVerbs(PlanHandle):
    """Read and undo the history. A mixin of `outlast.Plan`."""

    __slots__ = ()

    def history(self, limit: int = 20) -> list[Commit]:
        """Return the last commits that changed the plan, newest first."""
        check_number(limit, "limit", 1, LARGEST_ID)
        commits = self._store.commits_since(max(0, self.revision - limit))
        return [commit for commit in reversed(commits) if commit.changes][:limit]

    def undo(self, revision: int | None = None) -> Commit:
        """Undo a commit, or the newest one that can be undone; return the undone commit.

        A commit that later ones build on is refused; the error names what to undo first. Facts are
        not undone: claims, attempts, counts and notes stay.
        """
        from outlast.application.plan.past_revision import undo_commit

        return undo_commit(
            self._store, lambda command: self.commit((command,), return_commit), revision
        )

    def undoable_commits(self, limit: int = 20) -> list[Commit]:
        """Return those of the last commits that can be undone now, newest first."""
        from outlast.domain.history.undo import undoable_commits

        commits = self.history(limit)[::-1]
        if not commits:
            return []
        return undoable_commits(self._store.state_before(commits[0].revision), commits)[::-1]

    def as_of(self, revision: int) -> Self:
        """Return a read-only handle on the plan as it was at a revision."""
        from outlast.application.plan.past_revision import PastStore

        past = PastStore(self._store, revision)
        return type(self)(past, self._clock, self._new_id, self.actor, checker=self._checker)

    def diff(self, old: int, new: int | None = None) -> list[Difference]:
        """Return the differences between two revisions, or between one and now."""
        from outlast.application.plan.past_revision import state_at
        from outlast.domain.history.diff import differences

        newest = self.revision if new is None else new
        return differences(state_at(self._store, old), state_at(self._store, newest))
