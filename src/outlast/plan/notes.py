"""`plan.notes`: findings, errors and their strikes, and the deliverable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outlast.model import commands as c
from outlast.model.changes import Commit, ErrorNoted, ErrorsForgotten, FindingNoted
from outlast.model.execute import return_commit
from outlast.model.limits import LARGEST_ID, check_choice, check_name, check_number, check_text
from outlast.model.model import CATEGORIES, Category, ErrorRecord, Finding
from outlast.plan.core import Facet
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from outlast.model.state import PlanState


class PlanNotes(Facet):
    """What was found, what went wrong, and what the plan delivers."""

    __slots__ = ()

    def add_finding(
        self, category: Category, title: str, content: str, source: str = ""
    ) -> Finding:
        """Record a finding; `source` is the file or URL that it comes from."""
        command = c.NoteFinding(
            category=category, title=title, content=content, source=source, actor=self._core.actor
        )
        return self._core.commit((command,), _finding_of)

    def findings(self, category: Category | None = None) -> tuple[Finding, ...]:
        """Return the findings of one category or of all, oldest first."""
        if category is not None:
            check_choice(category, "category", CATEGORIES)
        findings = self._core.read(lambda state: tuple(state.notes.findings.values()))
        return tuple(item for item in findings if category in (None, item.category))

    def add_error(
        self,
        tool: str,
        message: str,
        params: Mapping[str, object] | None = None,
        stack: str = "",
        *,
        key: str = "",
    ) -> ErrorRecord:
        """Record an error of a tool; one that differs only in numbers is counted again.

        A repeated call with the same `key` is answered as the first one was.
        """
        from outlast.documents.markdown.notes.params import dump_params

        command = c.NoteError(
            tool=tool,
            message=message,
            params="" if params is None else dump_params(params),
            stack=stack,
        )
        return self._core.commit((command,), _error_of, key=key)

    def errors(self, tool: str | None = None, limit: int = 5) -> tuple[ErrorRecord, ...]:
        """Return the latest errors of one tool or of all, newest first."""
        check_number(limit, "limit", 1, LARGEST_ID)
        if tool is not None:
            check_name(tool, "tool")
        errors = self._core.read(lambda state: tuple(state.notes.errors.values()))
        newest = sorted(errors, key=lambda error: error.at, reverse=True)
        return tuple(error for error in newest if tool in (None, error.tool))[:limit]

    def error_count(self, tool: str, message: str) -> int:
        """Return how often a tool has raised this error."""
        from outlast.model.ledger import strike_key

        redacted = redact_text(check_text(message, "message"))
        key = strike_key(check_name(tool, "tool"), redacted)
        return self._core.read(
            lambda state: state.notes.errors[key].count if key in state.notes.errors else 0
        )

    def clear_errors(self, tool: str | None = None) -> int:
        """Delete the errors of a tool, or all, and their strikes; return how many."""
        if tool is None:
            return self._core.commit((c.ForgetErrors(), c.ClearStrikes()), _forgotten_count)
        check_name(tool, "tool")
        errors = self._core.read(lambda state: dict(state.notes.errors))
        keys = tuple(key for key, error in errors.items() if error.tool == tool)
        return self._core.commit((c.ForgetErrors(keys), c.ClearStrikes(tool)), _forgotten_count)

    def clear_strikes(self, tool: str | None = None) -> None:
        """Clear the strikes of one tool or of all, so that refused calls are allowed again."""
        self._core.commit((c.ClearStrikes(tool),), return_commit)

    def deliver(self, text: str) -> None:
        """Set the deliverable as Markdown; without a text it is made from the tasks."""
        self._core.commit((c.Deliver(text),), return_commit)


def _finding_of(state: PlanState, commit: Commit) -> Finding:
    changes = (change for change in commit.changes if isinstance(change, FindingNoted))
    return state.notes.findings[next(changes).finding.id]


def _error_of(_state: PlanState, commit: Commit) -> ErrorRecord:
    return next(change.error for change in commit.changes if isinstance(change, ErrorNoted))


def _forgotten_count(_state: PlanState, commit: Commit) -> int:
    return sum(len(item.keys) for item in commit.changes if isinstance(item, ErrorsForgotten))
