"""`plan.history`: read the commits of a plan, compare revisions, and follow new commits."""

from __future__ import annotations

from collections.abc import Callable

from outlast.model.changes import Commit
from outlast.model.history.diff import Difference, differences
from outlast.model.limits import LARGEST_ID, check_number
from outlast.plan.core import Facet
from outlast.plan.past_revision import state_at


class PlanHistory(Facet):
    """The commits of a plan; `Plan.undo` undoes one, `Plan.as_of` shows the plan after it."""

    __slots__ = ()

    def commits(self, limit: int = 20) -> list[Commit]:
        """Return the last commits that changed the plan, newest first."""
        check_number(limit, "limit", 1, LARGEST_ID)
        commits = self._core.store.commits_since(max(0, self._revision() - limit))
        return [commit for commit in reversed(commits) if commit.changes][:limit]

    def undoable(self, limit: int = 20) -> list[Commit]:
        """Return those of the last commits that this actor can undo now, newest first."""
        from outlast.model.history.undo import undoable_commits

        commits = self.commits(limit)[::-1]
        if not commits:
            return []
        before = self._core.store.state_before(commits[0].revision)
        return undoable_commits(before, commits, actor=self._core.actor)[::-1]

    def diff(self, old: int, new: int | None = None) -> list[Difference]:
        """Return the differences between two revisions, or between one and now."""
        store, newest = self._core.store, self._revision() if new is None else new
        return differences(state_at(store, old, "old"), state_at(store, newest, "new"))

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Call a function with every commit from now on; return a function that ends that."""
        return self._core.store.subscribe(callback)

    def _revision(self) -> int:
        return self._core.read(lambda state: state.revision)
