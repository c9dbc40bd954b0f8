"""Locate the plan of an agent: find it, create it, or fall back to a scratch plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.plan import Plan
from outlast.domain.commands import CreatePlan, InitializePlan
from outlast.domain.execute import return_commit
from outlast.errors import InvalidStatus, OutlastError, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.system.logs import LOG
from outlast.wiring.plans import create_memory_plan, open_plan, store_plan

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from outlast.config.settings import Cleanup
    from outlast.domain.budget import Budget
    from outlast.domain.model import Lease
    from outlast.ports.transcript import Transcript

_SEVERAL: Final = "which_plan"


class PlanLocator:
    """A given plan, the plan of a key in a workspace, or a plan in memory."""

    def __init__(
        self,
        given: Plan | None,
        workdir: str | os.PathLike[str] | None,
        key: str | None,
        actor: str,
    ) -> None:
        """Remember where to look; nothing is opened or created yet."""
        self._given = given.acting_as(actor) if given else None
        self._workdir, self._key, self._actor = workdir, key, actor
        self._open: Plan | None = None

    def clean_up(self, cleanup: Cleanup) -> None:
        """Archive old plans if the settings say so; log a failure instead of raising it."""
        if self._workdir is None or not cleanup.auto_cleanup:
            return
        from outlast.wiring.archive import archive_old_plans

        try:
            archive_old_plans(self._workdir, cleanup.retention_days)
        except OutlastError as error:
            LOG.warning("no plan was archived: %s", error)

    def find(self) -> Plan | None:
        """Return the existing plan, or None; with a key, also a plan that has ended."""
        if self._given is not None:
            return self._given
        if self._open is None and self._workdir is not None:
            try:
                self._open = open_plan(self._workdir, self._key, actor=self._actor)
            except PlanNotFound as error:
                if error.text == _SEVERAL:
                    raise
        return self._open

    def create(
        self, goal: str, acquire: Callable[[Plan], Lease], budget: Budget
    ) -> tuple[Plan, Lease]:
        """Create a plan and lease it; archive an ended one first, or start over in its store.

        The budget is part of the first commit.
        """
        before = self.find()
        if before is not None and not self._try_archive(before):
            return before, _start_over(before, goal, acquire, budget)
        command = CreatePlan(new_plan_id(), goal, begun=True, budget=budget)
        if self._workdir is None:
            plan = create_memory_plan(command, self._actor)
        else:
            plan = store_plan(self._workdir, command, self._key, actor=self._actor)
        self._open = plan
        return plan, acquire(plan)

    def scratch_plan(self) -> Plan:
        """Return a scratch plan: in memory, for the counters of a run without a stored plan."""
        clock = self._given.now if self._given else now
        store = MemoryStore(clock(), keep_history=False)
        command = CreatePlan(new_plan_id(), "")
        store.commit((command,), return_commit, author=self._actor, now=clock())
        return Plan(store, clock, new_plan_id, self._actor)

    def transcript_of(self, plan: Plan) -> Transcript | None:
        """Return the transcript beside a plan; None for a plan without a directory."""
        files = plan.files()
        if not files:
            return None
        from outlast.adapters.stores.transcript import TranscriptFile
        from outlast.system.disk import Disk

        return TranscriptFile.beside(files[0], Disk())

    def close(self) -> None:
        """Close the plan if this locator opened it."""
        if self._open is not None and self._workdir is not None:
            self._open.close()
            self._open = None

    def _try_archive(self, plan: Plan) -> bool:
        """Archive an ended plan; return False for a plan without a directory of its own."""
        if self._given is not None or self._workdir is None or not plan.files():
            return False
        from outlast.wiring.archive import archive_ended_plan

        key = plan.read(lambda state: state.key)
        self.close()
        archive_ended_plan(self._workdir, key)
        return True


def _start_over(plan: Plan, goal: str, acquire: Callable[[Plan], Lease], budget: Budget) -> Lease:
    """Initialize a new plan in the store of an ended one.

    Raises `InvalidStatus` if another process has already started the next plan there.
    """
    lease = acquire(plan)
    status = plan.status
    if status not in ("completed", "failed"):
        raise InvalidStatus("plan_unfinished", plan=plan.id, status=status)
    plan.with_lease(lease).commit((InitializePlan(new_plan_id(), goal, (), budget),), return_commit)
    return lease
