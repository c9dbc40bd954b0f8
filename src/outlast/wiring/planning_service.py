"""`PlanningService` (R4.01) on plans in a working directory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from outlast.adapters.stores.layouts import LAYOUTS
from outlast.application.facades import planning_service
from outlast.application.hooks.custom import validate_hooks
from outlast.config.parse import check_settings
from outlast.config.settings import Settings
from outlast.domain.commands import CreatePlan
from outlast.domain.limits import check_choice, check_flag, check_name, check_number
from outlast.errors import PlanExists, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.system.keys import directory_name
from outlast.wiring.archive import MOST_DAYS, archive_old_plans
from outlast.wiring.hooks import find_hooks
from outlast.wiring.plans import open_plan, store_plan
from outlast.wiring.workspaces import workspace_at

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from outlast.application.plan.plan import Plan
    from outlast.ports.clock import Clock
    from outlast.ports.hook import Hook


class PlanningService(planning_service.PlanningService):
    """The plan, errors, findings and hooks of one session, in a working directory.

    They are stored below `.outlast/plans/<key>/`, in the layout `code-agent` below
    `.code-agent/plans/<key>/`. Nothing is written before there is content.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        workdir: str | os.PathLike[str],
        key: str,
        *,
        layout: str = "outlast",
        shared: bool = False,
        actor: str = "agent",
        settings: Settings | None = None,
        hooks: Iterable[Hook] = (),
        clock: Clock = now,
    ) -> None:
        """Serve the plan with a key, which need not exist yet, as `actor`.

        With `cleanup.auto_cleanup` the session starts by archiving plans completed
        `cleanup.retention_days` ago. `hooks` run after the built-in rules and after the hooks of
        the settings.
        """
        given = Settings() if settings is None else settings
        check_settings(given)
        self._auto_cleanup = check_flag(given.cleanup.auto_cleanup, "auto_cleanup")
        self._days = check_number(given.cleanup.retention_days, "retention_days", 0, MOST_DAYS)
        locator = _WorkspacePlanLocator(workdir, key, layout, actor, shared=shared)
        self._root = locator.root
        self._clock = clock
        all_hooks = (*find_hooks(given.hooks.python), *validate_hooks(hooks))
        super().__init__(locator, given, all_hooks, given.language or "en")

    def initialize(self) -> None:
        """Start the session: archive old plans if the settings say so, and create the directory."""
        if self._auto_cleanup:
            self.cleanup(self._days)
        super().initialize()

    def cleanup(self, older_than_days: int = 7) -> list[str]:
        """Archive the plans that were completed so many days ago; return their keys."""
        self.close()
        return archive_old_plans(self._root, older_than_days, clock=self._clock)


class _WorkspacePlanLocator:
    """Locates one plan of a workspace, and opens it on first use."""

    def __init__(
        self, workdir: str | os.PathLike[str], key: str, layout: str, actor: str, *, shared: bool
    ) -> None:
        check_choice(layout, "layout", LAYOUTS)
        self._key, self._layout = check_name(key, "key"), layout
        self._actor, self._shared = check_name(actor, "actor"), check_flag(shared, "shared")
        self.root = workspace_at(workdir).root
        self._plan: Plan | None = None

    @property
    def directory(self) -> str:
        """The directory of the plan; an existing plan keeps the layout it was created in."""
        with suppress(PlanNotFound):
            return workspace_at(self.root).plan_directory(self._key)
        return str(Path(self.root, *LAYOUTS[self._layout], directory_name(self._key)))

    def find(self) -> Plan | None:
        if self._plan is None:
            try:
                self._plan = open_plan(self.root, self._key, actor=self._actor)
            except PlanNotFound:
                return None
        return self._plan

    def get_or_create(self) -> Plan:
        return self.find() or self._create()

    def _create(self) -> Plan:
        command = CreatePlan(new_plan_id(), "", order="sequential")
        layout, shared, actor = self._layout, self._shared, self._actor
        try:
            self._plan = store_plan(
                self.root, command, self._key, layout=layout, shared=shared, actor=actor
            )
        except PlanExists:  # another process created it first
            self._plan = open_plan(self.root, self._key, actor=actor)
        return self._plan

    def close(self) -> None:
        if self._plan is not None:
            self._plan.close()
            self._plan = None
