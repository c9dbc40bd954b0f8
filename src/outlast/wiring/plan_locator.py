"""Where an agent finds its plan, and where it begins one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.plan import Plan
from outlast.domain.commands import CreatePlan, InitializePlan
from outlast.domain.enact import receipt
from outlast.errors import InvalidStatus, OutlastError, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.system.logs import LOG
from outlast.wiring.plans import in_memory, keep_plan, open_plan

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from outlast.config.settings import Cleanup
    from outlast.domain.budget import Budget
    from outlast.domain.model import Lease
    from outlast.ports.transcript import Transcript

_SEVERAL: Final = "which_plan"


class PlanPlace:
    """One plan that was given, the plan of a key in a workspace, or plans in memory."""

    def __init__(
        self,
        given: Plan | None,
        workdir: str | os.PathLike[str] | None,
        key: str | None,
        actor: str,
    ) -> None:
        """Look for a plan here; nothing is opened or made yet."""
        self._given = given.acting_as(actor) if given else None
        self._workdir, self._key, self._actor = workdir, key, actor
        self._open: Plan | None = None

    def clean_up(self, cleanup: Cleanup) -> None:
        """Put away what ended long ago, if that is wanted; what stands in the way is logged."""
        if self._workdir is None or not cleanup.auto_cleanup:
            return
        from outlast.wiring.archive import clean_up

        try:
            clean_up(self._workdir, cleanup.retention_days)
        except OutlastError as error:
            LOG.warning("nothing was put away: %s", error)

    def find(self) -> Plan | None:
        """Return the plan that there is, one that has ended included if it has the key."""
        if self._given is not None:
            return self._given
        if self._open is None and self._workdir is not None:
            try:
                self._open = open_plan(self._workdir, self._key, actor=self._actor)
            except PlanNotFound as error:
                if error.text == _SEVERAL:
                    raise
        return self._open

    def found(self, goal: str, hold: Callable[[Plan], Lease], budget: Budget) -> tuple[Plan, Lease]:
        """Begin a plan and hold it; one that has ended is archived first, or followed in place.

        Its budget is in the commit that begins it.
        """
        before = self.find()
        if before is not None and not self._is_put_away(before):
            return before, _followed(before, goal, hold, budget)
        command = CreatePlan(new_plan_id(), goal, begun=True, budget=budget)
        if self._workdir is None:
            plan = in_memory(command, self._actor)
        else:
            plan = keep_plan(self._workdir, command, self._key, actor=self._actor)
        self._open = plan
        return plan, hold(plan)

    def makeshift(self) -> Plan:
        """Return a plan in memory on which a loop counts while it has no other."""
        clock = self._given.now if self._given else now
        store = MemoryStore(clock(), past=False)
        command = CreatePlan(new_plan_id(), "")
        store.commit((command,), receipt, author=self._actor, now=clock())
        return Plan(store, clock, new_plan_id, self._actor)

    def transcript_of(self, plan: Plan) -> Transcript | None:
        """Return the transcript beside a plan; None where it is in no directory."""
        files = plan.files()
        if not files:
            return None
        from outlast.adapters.stores.transcript import TranscriptFile
        from outlast.system.disk import Disk

        return TranscriptFile.beside(files[0], Disk())

    def close(self) -> None:
        """Let go of what was opened here."""
        if self._open is not None and self._workdir is not None:
            self._open.close()
            self._open = None

    def _is_put_away(self, plan: Plan) -> bool:
        """Archive the plan that has ended, if it has a directory to be moved."""
        if self._given is not None or self._workdir is None or not plan.files():
            return False
        from outlast.wiring.archive import make_room

        key = plan.read(lambda state: state.key)
        self.close()
        make_room(self._workdir, key)
        return True


def _followed(plan: Plan, goal: str, hold: Callable[[Plan], Lease], budget: Budget) -> Lease:
    """Let a new plan follow one that has ended; who comes late follows none that was begun."""
    lease = hold(plan)
    status = plan.status
    if status not in ("completed", "failed"):
        raise InvalidStatus("plan_unfinished", plan=plan.id, status=status)
    begun = InitializePlan(new_plan_id(), goal, (), budget)
    plan.fenced(lease).commit((begun,), receipt)
    return lease
