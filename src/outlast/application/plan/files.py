"""Following what people write into the files of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.plan.handle import Handle, last_task
from outlast.domain.changes import TaskStarted
from outlast.domain.commands import Complete, Start
from outlast.domain.enact import receipt
from outlast.errors import ProofNeeded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.application.sync.store import FollowedStore
    from outlast.domain.changes import Change
    from outlast.domain.commands import Command
    from outlast.domain.model import Task
    from outlast.ports.store import Notice

_HELD: Final = frozenset(("plan_md_asked", "plan_md_unmerged"))


class Following(Handle):
    """The part of `outlast.Plan` that deals with the files which show it."""

    __slots__ = ()

    def files(self) -> tuple[str, ...]:
        """Return the paths of the files that show the plan now, the plan itself first."""
        store = self._followed()
        return () if store is None else store.files()

    def take_in(self, *, sure: bool = False) -> list[Notice]:
        """Take in what people have edited; return what is to be told of it.

        That happens by itself; `sure` also takes in an edit that was held back because it looks
        like a mistake.
        """
        store = self._followed()
        if store is None:
            return []
        if sure:
            store.notices[:] = [notice for notice in store.notices if notice[0] not in _HELD]
        known = [*store.notices]
        store.take_in(sure=sure)
        return [notice for notice in store.notices if notice not in known]

    def render(self) -> None:
        """Bring the files that show the plan up to date, if it has any."""
        store = self._followed()
        if store is not None:
            store.render()

    def carry_out(self, commands: Sequence[Command], reason: str) -> Sequence[Change]:
        """Carry out what an edited file asks for, all or none.

        The checks of a task that the last command completes have to pass; those of one that it
        begins are looked at.
        """
        *before, last = commands
        try:
            changes = self.commit(commands, receipt, reason=reason).changes
        except ProofNeeded as error:
            prover = self._prover() if type(error) is ProofNeeded else None
            if prover is None or not isinstance(last, Complete):
                raise
            prover.complete(last, lambda x: self.commit((*before, x), last_task, reason=reason))
            return ()
        if isinstance(last, Start):
            begun = [change.id for change in changes if isinstance(change, TaskStarted)][-1]
            self._look(self.read(lambda state: state.task(begun)))
        return changes

    def _look(self, begun: Task) -> None:
        prover = self._prover() if begun.checks or begun.protect else None
        if prover is not None:
            prover.begin(begun.id)

    def _followed(self) -> FollowedStore | None:
        from outlast.application.sync.store import FollowedStore

        return self._store if isinstance(self._store, FollowedStore) else None
