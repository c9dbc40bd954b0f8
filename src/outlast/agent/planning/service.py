"""`PlanningService` (R4.01): the plan, errors, findings and hooks of a session, in a directory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Self, get_args

from outlast.agent.plan_locator import PlanLocator
from outlast.agent.planning.session_plan import SessionPlan
from outlast.agent.runtime.run import is_plan_tool
from outlast.config.parse import check_settings
from outlast.config.settings import Settings
from outlast.context.blocks import findings_summary
from outlast.hooks.custom import find_hooks, validate_hooks
from outlast.hooks.engine import HooksEngine
from outlast.hooks.port import Hook
from outlast.language import Language
from outlast.model.limits import check_actor, check_choice, check_flag, check_name, check_number
from outlast.model.model import Category, ErrorRecord, Finding
from outlast.plan.archive import MOST_DAYS, archive_old_plans
from outlast.plan.home.find import workspace_at
from outlast.store.port import Layout
from outlast.system.clock import Clock, now


class ErrorTracker:
    """The errors of tools in a session, so that they are not repeated."""

    def __init__(self, locator: PlanLocator) -> None:
        """Track the errors of the session's plan, which may not exist yet."""
        self._locator = locator

    def log(
        self, tool: str, message: str, params: Mapping[str, object] | None = None, stack: str = ""
    ) -> ErrorRecord:
        """Record an error; one that differs only in numbers is counted again."""
        return self._locator.get_or_create().notes.add_error(tool, message, params, stack)

    def recent(self, tool: str | None = None, limit: int = 5) -> tuple[ErrorRecord, ...]:
        """Return the latest errors, newest first."""
        plan = self._locator.find()
        return () if plan is None else plan.notes.errors(tool, limit)

    def count(self, tool: str, message: str) -> int:
        """Return how often a tool has raised this error."""
        plan = self._locator.find()
        return 0 if plan is None else plan.notes.error_count(tool, message)

    def clear(self) -> int:
        """Delete all errors and their strikes; return how many there were."""
        plan = self._locator.find()
        return 0 if plan is None else plan.notes.clear_errors()


class Findings:
    """The findings of a session."""

    def __init__(self, locator: PlanLocator) -> None:
        """Keep the findings of the session's plan, which may not exist yet."""
        self._locator = locator

    def add(self, category: Category, title: str, content: str, source: str = "") -> Finding:
        """Record a finding."""
        return self._locator.get_or_create().notes.add_finding(category, title, content, source)

    def all(self) -> tuple[Finding, ...]:
        """Return all findings, oldest first."""
        plan = self._locator.find()
        return () if plan is None else plan.notes.findings()

    def by_category(self, category: Category) -> tuple[Finding, ...]:
        """Return the findings of one category, oldest first."""
        plan = self._locator.find()
        return () if plan is None else plan.notes.findings(category)

    def summary(self) -> str:
        """Return the titles of the findings for a model; an empty text if there are none."""
        return findings_summary(self.all())


class PlanningService:
    """The plan, errors, findings and hooks of one session, in a working directory.

    They are stored below `.outlast/plans/<key>/`, in the layout `code-agent` below
    `.code-agent/plans/<key>/`. Without a `layout` that of the settings is used. A key that has
    plans already keeps their layout. Nothing is written before there is content. When a method
    returns, the files show what it changed.
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
        language: Language = given.language or "en"
        locator = self._locator = PlanLocator(
            None,
            self._root,
            check_name(key, "key"),
            check_actor(actor),
            layout=chosen,
            shared=check_flag(shared, "shared"),
            language=language,
            renders_promptly=True,
        )
        all_hooks = (*find_hooks(given.hooks.python), *validate_hooks(hooks))
        self.hooks = HooksEngine(
            locator, given, all_hooks, language=language, is_plan_tool=is_plan_tool
        )
        self.plan = SessionPlan(locator)
        self.errors = ErrorTracker(locator)
        self.findings = Findings(locator)

    def initialize(self) -> None:
        """Start the session: archive old plans if the settings say so, and create the directory."""
        if self._auto_cleanup:
            self.cleanup(self._days)
        self._locator.get_or_create()

    def cleanup(self, older_than_days: int = 7) -> list[str]:
        """Archive the plans that were completed so many days ago; return their keys."""
        self.close()
        return archive_old_plans(self._root, older_than_days, clock=self._clock)

    def get_plan_directory(self) -> str:
        """Return the directory of the plan, even if it does not exist yet."""
        return self._locator.directory

    def close(self) -> None:
        """Close the plan; every change has been saved already."""
        self._locator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
