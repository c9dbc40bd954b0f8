"""A second handle on the plan that an agent works on, for the display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import OutlastError
from outlast.model.model import PERSON
from outlast.plan.plans import open_plan

if TYPE_CHECKING:
    from outlast.console.call import PlanContext
    from outlast.plan.plan import Plan


class PlanObserver:
    """Opens the plan of a call for reading, as soon as there is one that has not ended."""

    def __init__(self, home: str, context: PlanContext) -> None:
        """Remember where the plan will be; nothing is opened yet. Its key may be known later."""
        self._home, self._context = home, context
        self._plan: Plan | None = None

    def __call__(self) -> Plan | None:
        """Return the plan, or None while there is none."""
        if self._plan is None:
            plan = self.open_now()
            if plan is not None and plan.status in ("completed", "failed"):
                plan.close()
            else:
                self._plan = plan
        return self._plan

    def open_now(self) -> Plan | None:
        """Open the plan as it is now, even if it has ended; return None if there is none."""
        if not self._context.key:
            return None
        try:
            return open_plan(self._home, self._context.key, actor=PERSON)
        except OutlastError:
            return None

    def close(self) -> None:
        """Close the plan, if it was opened."""
        if self._plan is not None:
            self._plan.close()
            self._plan = None
