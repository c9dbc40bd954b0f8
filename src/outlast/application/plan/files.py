"""File verbs: sync people's edits in the view files, and render the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.plan.handle import PlanHandle, last_task
from outlast.domain.changes import TaskStarted
from outlast.domain.commands import Complete, Start
from outlast.domain.execute import return_commit
from outlast.errors import ProofNeeded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.application.sync.store import SyncingStore
    from outlast.domain.changes import Change
    from outlast.domain.commands import Command
    from outlast.domain.model import Task
    from outlast.ports.store import Notice

_HELD_NOTICES: Final = frozenset(("plan_md_held_back", "plan_md_unmerged"))


class FileVerbs(PlanHandle):
    """Sync and render the view files. A mixin of `outlast.Plan`."""

    __slots__ = ()

    def files(self) -> tuple[str, ...]:
        """Return the paths of the view files, `task_plan.md` first."""
        store = self._syncing_store()
        return () if store is None else store.view_paths()

    def sync_edits(self, *, sure: bool = False) -> list[Notice]:
        """Apply the edits that people made in the view files; return the new notices.

        This also happens by itself whenever the plan is used. `sure` also applies an edit that was
        held back because it looks like a mistake.
        """
        store = self._syncing_store()
        if store is None:
            return []
        if sure:
            store.notices[:] = [
                notice for notice in store.notices if notice[0] not in _HELD_NOTICES
            ]
        known = [*store.notices]
        store.sync_edits(sure=sure)
        return [notice for notice in store.notices if notice not in known]

    def render(self) -> None:
        """Write the view files from the plan, if it has any."""
        store = self._syncing_store()
        if store is not None:
            store.render()

    def apply_edit(self, commands: Sequence[Command], reason: str) -> Sequence[Change]:
        """Commit the commands of one edit, all or none.

        If the last command completes a task, its checks have to pass; if it starts one, its checks
        are run as the baseline.
        """
        *before, last = commands
        try:
            changes = self.commit(commands, return_commit, reason=reason).changes
        except ProofNeeded as error:
            prover = self._prover() if type(error) is ProofNeeded else None
            if prover is None or not isinstance(last, Complete):
                raise
            prover.complete(
                last, lambda proved: self.commit((*before, proved), last_task, reason=reason)
            )
            return ()
        if isinstance(last, Start):
            started = [change.id for change in changes if isinstance(change, TaskStarted)][-1]
            self._record_baseline_of(self.read(lambda state: state.task(started)))
        return changes

    def _record_baseline_of(self, started: Task) -> None:
        prover = self._prover() if started.checks or started.protect else None
        if prover is not None:
            prover.record_baseline(started.id)

    def _syncing_store(self) -> SyncingStore | None:
        from outlast.application.sync.store import SyncingStore

        return self._store if isinstance(self._store, SyncingStore) else None
