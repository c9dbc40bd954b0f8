"""`plan.files`: sync people's edits in the view files, and render the files."""

from __future__ import annotations

from typing import Final

from outlast.plan.core import Facet
from outlast.store.edits import EditableStore
from outlast.store.port import Notice

_HELD_NOTICES: Final = frozenset(("task_plan_held_back", "task_plan_cut", "task_plan_unmerged"))


class PlanFiles(Facet):
    """The view files of a plan; one in memory or in a database has none."""

    __slots__ = ()

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the view files, `task_plan.md` first."""
        store = self._editable_store()
        return self._core.read(lambda _state: () if store is None else store.view_paths())

    def sync(self, *, confirmed: bool = False) -> list[Notice]:
        """Apply the edits that people made in the view files; return the new notices.

        This also happens by itself whenever the plan is used. `confirmed` also applies an edit that
        was held back because it looks like a mistake.
        """
        store = self._editable_store()
        if store is None:
            return []
        if confirmed:
            store.notices[:] = [
                notice for notice in store.notices if notice[0] not in _HELD_NOTICES
            ]
        known = [*store.notices]
        store.sync_edits(confirmed=confirmed)
        return [notice for notice in store.notices if notice not in known]

    def render(self) -> None:
        """Write the view files from the plan, if it has any."""
        store = self._editable_store()
        if store is not None:
            store.render()

    def _editable_store(self) -> EditableStore | None:
        store = self._core.store
        return store if isinstance(store, EditableStore) else None
