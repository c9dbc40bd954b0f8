"""Where a plan is kept, and the only way to change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState


class Store(Protocol):
    """One plan."""

    @property
    def state(self) -> PlanState:
        """The plan as the last commit left it: to read, never to alter."""

    def commit(
        self,
        commands: Sequence[Command],
        *,
        author: str,
        now: datetime,
        reason: str = "",
        key: str = "",
    ) -> Commit:
        """Decide the commands on the fresh state and keep their changes: all or none.

        A key that was used before is answered with the commit it led to then. Commands that
        change nothing leave the revision as it is.
        """
