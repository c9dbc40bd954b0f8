"""`plan.files`: sync people's edits in the view files, and render the files."""

from __future__ import annotations

from typing import Final

from outlast.plan.core import Facet
from outlast.store.port import Notice

_HELD_NOTICES: Final = frozenset(("task_plan_held_back", "task_plan_cut", "notes_cut"))


class PlanFiles(Facet):
    """The view files of a plan; one in memory or in a database has none."""

    __slots__ = ()

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the view files, `task_plan.md` first."""
        views = self._core.views
        return self._core.read(lambda _state: () if views is None else views.view_paths())

    def sync(self, *, confirmed: bool = False) -> list[Notice]:
        """Apply the edits that people made in the view files; return the new notices.

        This also happens by itself whenever the plan is used. `confirmed` also applies an edit that
        was held back because it looks like a mistake.
        """
        views = self._core.views
        if views is None:
            return []
        notices = self._core.store.notices
        if confirmed:
            notices[:] = [notice for notice in notices if notice[0] not in _HELD_NOTICES]
        known = [*notices]
        views.sync_edits(confirmed=confirmed)
        return [notice for notice in notices if notice not in known]

    def render(self) -> None:
        """Write the view files from the plan, if it has any."""
        views = self._core.views
        if views is not None:
            views.render()
