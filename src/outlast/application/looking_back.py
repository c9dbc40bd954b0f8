"""Looking back at a plan: what was done to it, and taking that back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.handle import Handle
from outlast.domain.enact import receipt
from outlast.domain.limits import LARGEST_ID, check_number
from outlast.texts import EXPLAINING

if TYPE_CHECKING:
    from outlast.domain.changes import Commit


class LookingBack(Handle):
    """The part of `outlast.Plan` that deals with its past."""

    __slots__ = ()

    def history(self, limit: int = 20) -> list[Commit]:
        """Return the last commits that changed the plan, the newest first."""
        with EXPLAINING:
            check_number(limit, "limit", 1, LARGEST_ID)
            made = self._store.since(max(0, self.revision - limit))
        return [commit for commit in reversed(made) if commit.changes][:limit]

    def undo(self) -> Commit:
        """Take back the newest commit that shaped the plan and was not taken back; return it.

        What was claimed, tried or counted in it stays: facts are not undone.
        """
        from outlast.application.undoing import undo

        with EXPLAINING:
            return undo(self._store, lambda command: self._do(command, receipt))
