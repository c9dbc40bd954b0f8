"""The planning service of a session, in a directory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from outlast.adapters.stores.layouts import LAYOUTS
from outlast.application.faces import planning_service
from outlast.application.hooks.own_hooks import checked
from outlast.config.by_hand import check_settings
from outlast.config.settings import Settings
from outlast.domain.commands import CreatePlan
from outlast.domain.limits import check_choice, check_flag, check_name, check_number
from outlast.errors import PlanExists, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.system.keys import directory_name
from outlast.wiring.archive import MOST_DAYS, clean_up
from outlast.wiring.hooks import find_hooks
from outlast.wiring.plans import keep_plan, open_plan
from outlast.wiring.workspaces import workspace_at

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from outlast.application.plan.plan import Plan
    from outlast.ports.clock import Clock
    from outlast.ports.hook import Hook


class PlanningService(planning_service.PlanningService):
    """The plan of a session, its errors, its findings and its hooks, in a working directory.

    They are kept below `.outlast/plans/<key>/`, in the layout `code-agent` below
    `.code-agent/plans/<key>/`. Nothing is written before there is something to keep.
    """

    def __init__(  # noqa: PLR0913 - what a service is made of
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
        """Serve the plan with a key, which may be there or not, acting in somebody's name.

        With `cleanup.auto_cleanup` a session begins with archiving what ended
        `cleanup.retention_days` ago. `hooks` are asked after the rules, and after those that the
        settings name.
        """
        given = Settings() if settings is None else settings
        check_settings(given)
        self._cleans = check_flag(given.cleanup.auto_cleanup, "auto_cleanup")
        self._days = check_number(given.cleanup.retention_days, "retention_days", 0, MOST_DAYS)
        self._own = _Shelf(workdir, key, layout, actor, shared=shared)
        self._clock = clock
        every = (*find_hooks(given.hooks.python), *checked(hooks))
        super().__init__(self._own, given, every, given.language or "en")

    def initialize(self) -> None:
        """Begin the session: clean up if that is wanted, and make the directory."""
        if self._cleans:
            self.cleanup(self._days)
        super().initialize()

    def cleanup(self, older_than_days: int = 7) -> list[str]:
        """Archive the plans that were completed so many days ago; return their keys."""
        self.close()
        return clean_up(self._own.root, older_than_days, clock=self._clock)


class _Shelf:
    """The place of one plan in a workspace; it is opened when it is needed first."""

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
        """Where the plan is; it may have been made in another layout."""
        with suppress(PlanNotFound):
            return workspace_at(self.root).directory(self._key)
        return str(Path(self.root, *LAYOUTS[self._layout], directory_name(self._key)))

    def find(self) -> Plan | None:
        if self._plan is None:
            try:
                self._plan = open_plan(self.root, self._key, actor=self._actor)
            except PlanNotFound:
                return None
        return self._plan

    def need(self) -> Plan:
        return self.find() or self._make()

    def _make(self) -> Plan:
        command = CreatePlan(new_plan_id(), "", order="sequential")
        layout, shared, actor = self._layout, self._shared, self._actor
        try:
            self._plan = keep_plan(
                self.root, command, self._key, layout=layout, shared=shared, actor=actor
            )
        except PlanExists:  # another process was quicker
            self._plan = open_plan(self.root, self._key, actor=actor)
        return self._plan

    def close(self) -> None:
        if self._plan is not None:
            self._plan.close()
            self._plan = None
