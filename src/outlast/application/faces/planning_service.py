"""`PlanningService` (R4.01): the plan, the errors, the findings and the hooks of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.findings import findings_summary
from outlast.application.faces.session_plan import SessionPlan
from outlast.application.hooks.engine import HooksEngine
from outlast.application.runtime.middleware.plan_tools import owns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from outlast.application.faces.session_plan import Shelf
    from outlast.application.plan.plan import Plan
    from outlast.config.settings import Settings
    from outlast.domain.model import Category, ErrorRecord, Finding
    from outlast.ports.hook import Hook
    from outlast.texts import Language


class ErrorTracker:
    """What tools did wrong in a session, so that it is not done again."""

    def __init__(self, shelf: Shelf) -> None:
        """Track the errors of the plan that is, or will be, in its place."""
        self._shelf = shelf

    def log(
        self, tool: str, message: str, params: Mapping[str, object] | None = None, stack: str = ""
    ) -> ErrorRecord:
        """Keep an error; one that differs only in numbers is counted again."""
        return self._shelf.need().log_error(tool, message, params, stack)

    def recent(self, tool: str | None = None, limit: int = 5) -> tuple[ErrorRecord, ...]:
        """Return the errors that came last, the newest first."""
        plan = self._shelf.find()
        return () if plan is None else plan.errors(tool, limit)

    def count(self, tool: str, message: str) -> int:
        """Return how often a tool has made this error."""
        plan = self._shelf.find()
        return 0 if plan is None else plan.error_count(tool, message)

    def clear(self) -> int:
        """Forget all errors, and with them the strikes; return how many there were."""
        plan = self._shelf.find()
        return 0 if plan is None else plan.clear_errors()


class Findings:
    """What was learned in a session."""

    def __init__(self, shelf: Shelf) -> None:
        """Keep the findings of the plan that is, or will be, in its place."""
        self._shelf = shelf

    def add(self, category: Category, title: str, content: str, source: str = "") -> Finding:
        """Keep something that was learned."""
        return self._shelf.need().note(category, title, content, source)

    def all(self) -> tuple[Finding, ...]:
        """Return everything that was learned, in the order it came in."""
        plan = self._shelf.find()
        return () if plan is None else plan.findings()

    def by_category(self, category: Category) -> tuple[Finding, ...]:
        """Return what was learned of one category."""
        plan = self._shelf.find()
        return () if plan is None else plan.findings(category)

    def summary(self) -> str:
        """Return the titles in short, for a model; nothing if there are none."""
        return findings_summary(self.all())


class PlanningService:
    """The plan of a session, what is noted beside it, and the hooks that keep an agent to it."""

    def __init__(
        self,
        shelf: Shelf,
        settings: Settings | None = None,
        hooks: Iterable[Hook] = (),
        language: Language = "en",
    ) -> None:
        """Serve what is kept in one place; `hooks` are asked after the rules."""
        self._shelf = shelf
        place = _OnShelf(shelf)
        self.hooks = HooksEngine(place, settings, hooks, language=language, is_own=owns)
        self.plan = SessionPlan(shelf)
        self.errors = ErrorTracker(shelf)
        self.findings = Findings(shelf)

    def get_plan_directory(self) -> str:
        """Return the directory of the plan, be it there or not."""
        return self._shelf.directory

    def initialize(self) -> None:
        """Make the directory, with an empty plan in it if there is none."""
        self._shelf.need()

    def close(self) -> None:
        """Let go of the plan; what was done is kept already."""
        self._shelf.close()

    def __enter__(self) -> Self:
        """Hold the plan open for a `with` block."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Let go of it."""
        self.close()


class _OnShelf:
    """The plan of a session, for its hooks."""

    shown = True

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def find(self) -> Plan | None:
        return self._shelf.find()

    def need(self) -> Plan:
        return self._shelf.need()
