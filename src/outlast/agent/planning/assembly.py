"""`PlanningService` (R4.01) on plans in a working directory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import get_args

from outlast.agent.plan_locator import PlanLocator
from outlast.agent.planning import service as planning_service
from outlast.config.parse import check_settings
from outlast.config.settings import Settings
from outlast.hooks.custom import validate_hooks
from outlast.hooks.discovery import find_hooks
from outlast.hooks.port import Hook
from outlast.model.limits import check_actor, check_choice, check_flag, check_name, check_number
from outlast.plan.archive import MOST_DAYS, archive_old_plans
from outlast.plan.home.find import workspace_at
from outlast.store.port import Layout
from outlast.system.clock import now
from outlast.system.clock_port import Clock


class PlanningService(planning_service.PlanningService):
    """The plan, errors, findings and hooks of one session, in a working directory.

    They are stored below `.outlast/plans/<key>/`, in the layout `code-agent` below
    `.code-agent/plans/<key>/`. Without a `layout` that of the settings is used. A key that has
    plans already keeps their layout. Nothing is written before there is content.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        workdir: str | os.PathLike[str],
        key: str,
        *,
        layout: Layout | None = None,
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
        chosen = given.layout if layout is None else layout
        check_choice(chosen, "layout", get_args(Layout))
        self._root, self._clock = workspace_at(workdir).root, clock
        locator = PlanLocator(
            None,
            self._root,
            check_name(key, "key"),
            check_actor(actor),
            layout=chosen,
            shared=check_flag(shared, "shared"),
            language=given.language or "en",
        )
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
