"""The plan that an agent works on, as whoever watches sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import OutlastError
from outlast.wiring.plans import open_plan

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan


class Peek:
    """A handle of its own on the plan of a key, as soon as there is one that has not ended."""

    def __init__(self, home: str, key: str) -> None:
        """Look here; nothing is opened yet."""
        self._home, self._key = home, key
        self._plan: Plan | None = None

    def __call__(self) -> Plan | None:
        """Return the plan; None while there is none."""
        if self._plan is None:
            found = self.fresh()
            if found is not None and found.status in ("completed", "failed"):
                found.close()
            else:
                self._plan = found
        return self._plan

    def fresh(self) -> Plan | None:
        """Open the plan as it is now, one that has ended too."""
        try:
            return open_plan(self._home, self._key)
        except OutlastError:
            return None

    def close(self) -> None:
        """Look no more."""
        if self._plan is not None:
            self._plan.close()
            self._plan = None
