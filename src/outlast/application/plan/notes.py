"""What is noted on the way: findings, errors, and what came out of it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.plan.handle import Handle
from outlast.domain import note_commands as c
from outlast.domain.enact import receipt
from outlast.domain.limits import LARGEST_ID, check_choice, check_name, check_number, check_text
from outlast.domain.loop_commands import ClearStrikes
from outlast.domain.model import CATEGORIES
from outlast.domain.note_changes import ErrorNoted, ErrorsForgotten, FindingNoted
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.domain.changes import Commit
    from outlast.domain.model import Category, ErrorRecord, Finding
    from outlast.domain.state import PlanState


class Noting(Handle):
    """The part of `outlast.Plan` that keeps what stands beside the tasks; secrets are left out."""

    __slots__ = ()

    def note(self, category: Category, title: str, content: str, source: str = "") -> Finding:
        """Keep something that was learned; `source` is the file or address it comes from."""
        command = c.NoteFinding(
            category=category,
            title=without_secrets(title),
            content=without_secrets(content),
            source=without_secrets(source),
            actor=self.actor,
        )
        return self._do(command, _noted)

    def findings(self, category: Category | None = None) -> tuple[Finding, ...]:
        """Return what was learned, of one category or of all, in the order it came in."""
        if category is not None:
            check_choice(category, "category", CATEGORIES)
        found = self.read(lambda state: tuple(state.notes.findings.values()))
        return tuple(one for one in found if category in (None, one.category))

    def log_error(
        self, tool: str, message: str, params: Mapping[str, object] | None = None, stack: str = ""
    ) -> ErrorRecord:
        """Keep an error that a tool made; one that differs only in numbers is counted again."""
        from outlast.formats.markdown.notes.params import write

        command = c.NoteError(
            tool=tool,
            message=without_secrets(message),
            params="" if params is None else write(params),
            stack=without_secrets(stack),
        )
        return self._do(command, _logged)

    def errors(self, tool: str | None = None, limit: int = 5) -> tuple[ErrorRecord, ...]:
        """Return the errors that came last, of one tool or of all, the newest first."""
        check_number(limit, "limit", 1, LARGEST_ID)
        if tool is not None:
            check_name(tool, "tool")
        found = self.read(lambda state: tuple(state.notes.errors.values()))
        newest = sorted(found, key=lambda one: one.at, reverse=True)
        return tuple(one for one in newest if tool in (None, one.tool))[:limit]

    def error_count(self, tool: str, message: str) -> int:
        """Return how often a tool has made this error."""
        from outlast.domain.strikes import strike_key

        said = without_secrets(check_text(message, "message"))
        key = strike_key(check_name(tool, "tool"), said)
        return self.read(
            lambda state: state.notes.errors[key].count if key in state.notes.errors else 0
        )

    def clear_errors(self, tool: str | None = None) -> int:
        """Forget the errors of a tool, or all, and with them the strikes; return how many."""
        if tool is None:
            return self.commit((c.ForgetErrors(), ClearStrikes()), _forgotten)
        check_name(tool, "tool")
        errors = self.read(lambda state: dict(state.notes.errors))
        keys = tuple(key for key, one in errors.items() if one.tool == tool)
        return self.commit((c.ForgetErrors(keys), ClearStrikes(tool)), _forgotten)

    def deliver(self, text: str) -> None:
        """Say what came out of the plan, as Markdown; without a text its tasks tell it."""
        self._do(c.Deliver(without_secrets(text)), receipt)


def _noted(state: PlanState, commit: Commit) -> Finding:
    changes = (change for change in commit.changes if isinstance(change, FindingNoted))
    return state.notes.findings[next(changes).finding.id]


def _logged(state: PlanState, commit: Commit) -> ErrorRecord:
    changes = (change for change in commit.changes if isinstance(change, ErrorNoted))
    return state.notes.errors[next(changes).key]


def _forgotten(_state: PlanState, commit: Commit) -> int:
    return sum(len(one.keys) for one in commit.changes if isinstance(one, ErrorsForgotten))
