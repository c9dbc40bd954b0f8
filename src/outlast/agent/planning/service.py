"""`PlanningService` (R4.01): the plan, the errors, the findings and the hooks of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.agent.planning.session_plan import SessionPlan
from outlast.agent.runtime.run import is_plan_tool
from outlast.context.blocks import findings_summary
from outlast.hooks.engine import HooksEngine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from outlast.agent.planning.session_plan import SessionPlanLocator
    from outlast.config.settings import Settings
    from outlast.hooks.port import Hook
    from outlast.language import Language
    from outlast.model.model import Category, ErrorRecord, Finding


class ErrorTracker:
    """The errors of tools in a session, so that they are not repeated."""

    def __init__(self, locator: SessionPlanLocator) -> None:
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

    def __init__(self, locator: SessionPlanLocator) -> None:
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
    """The plan of a session, its errors and findings, and the hooks for its agent."""

    def __init__(
        self,
        locator: SessionPlanLocator,
        settings: Settings | None = None,
        hooks: Iterable[Hook] = (),
        language: Language = "en",
    ) -> None:
        """Serve the plan that the locator finds; `hooks` run after the built-in rules."""
        self._locator = locator
        self.hooks = HooksEngine(
            locator, settings, hooks, language=language, is_plan_tool=is_plan_tool
        )
        self.plan = SessionPlan(locator)
        self.errors = ErrorTracker(locator)
        self.findings = Findings(locator)

    def get_plan_directory(self) -> str:
        """Return the directory of the plan, even if it does not exist yet."""
        return self._locator.directory

    def initialize(self) -> None:
        """Create the directory with an empty plan, if there is none."""
        self._locator.get_or_create()

    def close(self) -> None:
        """Close the plan; every change has been saved already."""
        self._locator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
