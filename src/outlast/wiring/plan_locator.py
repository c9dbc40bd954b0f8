"""Locate the plan of an agent or a session: find it, create it, or fall back to a scratch plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.core import PlanCore
from outlast.application.plan.plan import Plan
from outlast.domain.commands import CreatePlan, InitializePlan
from outlast.domain.execute import return_commit
from outlast.errors import InvalidStatus, OutlastError, PlanExists, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.system.logs import LOG
from outlast.wiring.plans import create_memory_plan, open_plan, store_plan
from outlast.wiring.workspaces import workspace_at

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from outlast.config.settings import Cleanup
    from outlast.domain.budget import Budget
    from outlast.domain.model import Lease
    from outlast.ports.store import Layout
    from outlast.ports.transcript import Transcript

_SEVERAL: Final = "which_plan"


class PlanLocator:
    """A given plan, the plan of a key in a workspace, or a plan in memory.

    A plan in a workspace is opened on first use, and created in a `layout` and `shared` or not.
    """

    is_visible = True  # to hooks

    def __init__(  # noqa: PLR0913 - where a plan is, and how it is created
        self,
        given: Plan | None,
        workdir: str | os.PathLike[str] | None,
        key: str | None,
        actor: str,
        *,
        layout: Layout = "outlast",
        shared: bool = False,
    ) -> None:
        """Remember where to look; nothing is opened or created yet."""
        self._original = given
        self._given = given.acting_as(actor) if given else None
        self._workdir, self._key, self._actor = workdir, key, actor
        self._layout, self._shared = layout, shared
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

    @property
    def directory(self) -> str:
        """The directory of the plan with a key, which need not exist yet."""
        workspace, key = workspace_at(self._workdir or ""), self._key or ""
        return workspace.plan_directory(key, self._layout)

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
        plan = self._create(CreatePlan(new_plan_id(), goal, begun=True, budget=budget))
        return plan, acquire(plan)

    def get_or_create(self) -> Plan:
        """Return the plan; create an empty sequential one if there is none."""
        plan = self.find()
        if plan is not None:
            return plan
        try:
            return self._create(CreatePlan(new_plan_id(), "", order="sequential"))
        except PlanExists:  # another process created it first
            plan = self.find()
            if plan is None:
                raise
            return plan

    def _create(self, command: CreatePlan) -> Plan:
        if self._workdir is None:
            plan = create_memory_plan(command, self._actor)
        else:
            layout, shared, actor = self._layout, self._shared, self._actor
            plan = store_plan(
                self._workdir, command, self._key, layout=layout, shared=shared, actor=actor
            )
        self._open = plan
        return plan

    def scratch_plan(self) -> Plan:
        """Return a scratch plan: in memory, for the counters of a run without a stored plan."""
        clock = self._given.core.now if self._given else now
        store = MemoryStore(clock(), keep_history=False)
        core = PlanCore(store, clock, new_plan_id, self._actor)
        core.commit((CreatePlan(new_plan_id(), ""),), return_commit)
        return Plan(core)

    def transcript_of(self, plan: Plan) -> Transcript | None:
        """Return the transcript beside a plan; None for a plan without a directory."""
        files = plan.files.paths()
        if not files:
            return None
        from outlast.adapters.stores.transcript import TranscriptFile
        from outlast.system.disk import Disk

        return TranscriptFile.beside(files[0], Disk())

    def reopen(self, plan: Plan | None, key: str, plan_id: str) -> Plan | None:
        """Open a plan again that was closed after a run; None if it is not there any more.

        A given plan was not closed and is returned itself.
        """
        if plan is None or self._original is not None:
            return plan and self._original
        if self._workdir is None:
            return plan
        try:
            opened = open_plan(self._workdir, key, actor=self._actor)
        except PlanNotFound:
            return None
        if opened.id == plan_id:
            return opened
        opened.close()
        return None

    def close(self) -> None:
        """Close the plan if this locator opened it."""
        if self._open is not None and self._workdir is not None:
            self._open.close()
            self._open = None

    def _try_archive(self, plan: Plan) -> bool:
        """Archive an ended plan; return False for a plan without a directory of its own."""
        if self._given is not None or self._workdir is None or not plan.files.paths():
            return False
        from outlast.wiring.archive import archive_ended_plan

        key = plan.core.read(lambda state: state.key)
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
    plan.with_lease(lease).core.commit(
        (InitializePlan(new_plan_id(), goal, (), budget),), return_commit
    )
    return lease
