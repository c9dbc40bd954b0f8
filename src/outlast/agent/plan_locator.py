"""Locate the plan of an agent or a session: find it, create it, or fall back to a scratch plan."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from outlast.errors import (
    HistoryDiverged,
    InvalidDocument,
    InvalidStatus,
    OutlastError,
    PlanExists,
    PlanNotFound,
)
from outlast.language import Language, text
from outlast.model.commands import CreatePlan, InitializePlan
from outlast.model.execute import return_commit
from outlast.model.plan_choice import UNREADABLE, PlanQuery
from outlast.plan.core import PlanCore
from outlast.plan.home.find import home_of, is_shared, plan_home_at, workspace_at
from outlast.plan.memory_plans import create_memory_plan
from outlast.plan.plan import Plan
from outlast.plan.plans import DEFAULT_LAYOUT, Plans, log_repairs, open_plan
from outlast.store.store import MemoryStore
from outlast.system.clock import new_plan_id, now
from outlast.system.logs import LOG

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from outlast.agent.runtime.transcript import Transcript
    from outlast.config.settings import Cleanup
    from outlast.model.budget import Budget
    from outlast.model.model import Lease, Order
    from outlast.plan.home.find import DurableStore, PlanHome
    from outlast.store.port import Layout, Notice


class PlanLocator:
    """A given plan, the plan of a key in a workspace, or a plan in memory.

    A plan in a workspace is opened on first use. The first one of a key is created in a `layout`
    and `shared` or not; the later ones keep both. Without a key, the first message of a
    conversation chooses the plan, and the later ones are about it until it ends.
    """

    is_visible = True  # to hooks

    def __init__(  # noqa: PLR0913 - where a plan is, and how it is created
        self,
        given: Plan | None,
        workdir: str | os.PathLike[str] | None,
        key: str | None,
        actor: str,
        *,
        layout: Layout | None = None,
        shared: bool = False,
        needs_approval: bool = False,
        order: Order = "graph",
        language: Language = "en",
        renders_promptly: bool = False,
    ) -> None:
        """Remember where to look; nothing is opened or created yet.

        `renders_promptly`: the files are written when a call that changes the plan returns.
        """
        self._original = given
        self._given = given.acting_as(actor) if given else None
        self._workdir, self._key, self._actor = workdir, key, actor
        self._chooses_by_message = given is None and workdir is not None and key is None
        self._layout, self._shared = layout or DEFAULT_LAYOUT, shared
        self._needs_approval, self._order, self._language = needs_approval, order, language
        self._renders_promptly = renders_promptly
        self._open: Plan | None = None
        self._notices: list[Notice] = []

    def clean_up(self, cleanup: Cleanup) -> None:
        """Archive old plans if the settings say so; log a failure instead of raising it."""
        if self._workdir is None or not cleanup.auto_cleanup:
            return
        from outlast.plan.archive import archive_old_plans

        try:
            archive_old_plans(self._workdir, cleanup.retention_days)
        except OutlastError as error:
            LOG.warning("no plan was archived: %s", error)

    @property
    def directory(self) -> str:
        """The directory of the plan with a key, which need not exist yet."""
        workspace, key = workspace_at(self._workdir or ""), self._key or ""
        return workspace.plan_directory(key, self._layout)

    def stored_key(self) -> str:
        """Return the key of the plan in use; empty while there is none, or only one in memory."""
        if self._given is not None:
            home_and_key = home_of(self._given.core.store)
            return home_and_key[1] if home_and_key else ""
        is_stored = self._open is not None and self._workdir is not None
        return self._key or "" if is_stored else ""

    def find_for(self, message: str, *, resume: bool = False) -> Plan | None:
        """Return the existing plan that a message is about, or None (U1).

        Without a key that is the plan of the conversation while it is unfinished, else the plan
        with this goal. A phrase such as "continue", or any message with `resume`, is about the
        current plan.
        """
        if self._chooses_by_message and self._workdir is not None and self._open is None:
            query = PlanQuery(kept=self._key, message=message, resumes=resume)
            self._key = self._plans.choose(query) or None
            if self._key is not None:
                self._plans.make_current(self._key)
        return self.find()

    def find(self) -> Plan | None:
        """Return the existing plan, or None; with a key, also a plan that has ended."""
        if self._given is not None:
            return self._given
        if self._open is None and self._workdir is not None and self._key is not None:
            try:
                self._open = self._plans.open(self._key)
                log_repairs(self._open)
                self._set_up_views(self._open)
            except PlanNotFound:
                return None
            except InvalidDocument as error:
                if error.text != UNREADABLE:
                    raise
                self._set_unreadable_aside(self._workdir, self._key)
        return self._open

    def _find_again(self) -> Plan | None:
        """Find the plan after a while: open it again if another process has begun the next one."""
        if self._given is not None:
            self._given.core.read(lambda state: state.revision)
        elif self._open is not None and self._workdir is not None:
            try:
                self._open.core.read(lambda state: state.revision)
            except HistoryDiverged as error:
                if error.text != "history_foreign":
                    raise
                self._open = self._open_next()
        return self.find()

    def _open_next(self) -> Plan | None:
        try:
            return self._plans.open(self._key or "")
        except (PlanNotFound, InvalidDocument):
            return None

    @cached_property
    def _plans(self) -> Plans:
        return Plans(plan_home_at(self._workdir or ""), self._actor, notices=self._notices)

    def add_notice(self, key: str, details: dict[str, object]) -> None:
        """Keep what people are told about the plan once the run begins: the key of its text."""
        self._notices.append((key, details))

    def take_notices(self) -> list[Notice]:
        """Return what was found or moved while the plan was looked for, once."""
        notices = self._notices[:]
        self._notices.clear()
        return notices

    def _set_unreadable_aside(self, workdir: str | os.PathLike[str], key: str) -> None:
        """Set a file of another program aside that is no plan, if its key is ours (R0.12)."""
        notices = workspace_at(workdir).set_unreadable_aside(key, now())
        self._notices += notices
        for text_key, details in notices:
            LOG.warning(text(text_key, "en", **details), extra={"reported": True})

    def create(
        self, goal: str, acquire: Callable[[Plan], Lease], budget: Budget
    ) -> tuple[Plan, Lease]:
        """Create a plan and lease it; archive an ended one first, or start over in its store.

        The budget is part of the first commit. Nobody has approved the next plan either if the
        ended one needs approval.
        """
        before = self._find_again()
        needs_approval = self._needs_approval or (before is not None and before.needs_approval)
        command = CreatePlan(
            new_plan_id(),
            goal,
            order=self._order,
            begun=True,
            budget=budget,
            needs_approval=needs_approval,
        )
        if before is None:
            plan = self._create(command)
        else:
            home_and_key = home_of(before.core.store)
            if home_and_key is None:
                return before, _start_over(before, goal, acquire, budget)
            plan = self._follow(before, *home_and_key, command)
        return plan, acquire(plan)

    def _follow(self, ended: Plan, home: PlanHome, key: str, command: CreatePlan) -> Plan:
        """Archive an ended plan, and create the next one under its key, in its layout.

        The handle of a given plan goes over to the new one.
        """
        from outlast.plan.archive import archive_ended_plan

        store = ended.core.store
        shared = is_shared(store)
        if self._given is not None:
            cast("DurableStore", store).follow_plan(command.id)
        self.close()
        archive_ended_plan(home, key)
        plans = Plans(home, self._actor) if self._given is not None else self._plans
        plan = plans.create(command, key, shared=shared, language=self._language)
        if self._given is not None:
            plan.close()
            return self._given
        self._open = plan
        return plan

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
            plan = self._plans.create(
                command,
                self._key,
                preferred=self._layout,
                shared=self._shared,
                language=self._language,
            )
            if self._key is None:
                self._key = plan.key
                self._plans.make_current(plan.key, is_new=True)
        self._open = plan
        self._set_up_views(plan)
        return plan

    def _set_up_views(self, plan: Plan) -> None:
        views = plan.core.views
        if self._renders_promptly and views is not None:
            views.render_promptly()

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
        from outlast.store.transcript import TranscriptFile
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
            self._open = None
            self._plans.forget(self._key or "")


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
