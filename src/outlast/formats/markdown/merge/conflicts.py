"""The context of a merge: its three inputs, and the edits, reports and comments so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.formats.markdown.elements import is_task
from outlast.formats.markdown.merge.edits import Edit, Report
from outlast.formats.markdown.rejected import has_status, is_fulfilled, rejection_comment
from outlast.formats.markdown.syntax import ATTRIBUTE, ID, KEYWORDS

if TYPE_CHECKING:
    from outlast.domain.commands import Command
    from outlast.domain.model import Phase, Task
    from outlast.domain.state import PlanState
    from outlast.formats.markdown.document import Document

_SHOWN: Final = 80


class Location(Struct, frozen=True):
    """Where an edit was made: its line (0 for none), its anchor and the text of its lines."""

    line: int
    anchor: str
    excerpt: tuple[str, ...] = ()


class MergeContext:
    """The three sides of a merge: the plan the file was rendered from, the plan now, the file."""

    def __init__(self, base: PlanState | None, current: PlanState, document: Document) -> None:
        """Start a merge; without a base the current plan stands in for it."""
        self.is_base_known = base is not None
        self.base = current if base is None else base
        self.current = current
        self.document = document
        self.edits: list[Edit] = []
        self.reports: list[Report] = []
        self.comments: dict[str, list[str]] = {}

    def base_task(self, task: int) -> Task:
        """Return a task of the base; one that was added since counts as pending in it."""
        base = self.base.tasks.get(task)
        return replace(self.current.tasks[task], status="pending") if base is None else base

    def base_phase(self, phase: str) -> Phase:
        """Return a phase of the base, or the current one if it was added since."""
        return self.base.phases.get(phase) or self.current.phases[phase]

    def task_location(self, task: int, *lines: int) -> Location:
        """Return the location of an edit of a task in these lines."""
        return Location(lines[0], f"task:{task}", tuple(map(self.line_text, lines)))

    def line_text(self, line: int) -> str:
        """Return the text of a line without its id."""
        return ID.sub("", self.document.line_text(line))

    def add_edit(
        self, kind: str, location: Location, *commands: Command, new: tuple[int, ...] = ()
    ) -> None:
        """Add an edit; `new` are the lines that become tasks or a phase."""
        excerpt = self._describe(kind, location)
        self.edits.append(Edit(kind, location.line, commands, location.anchor, excerpt, new))

    def report(self, text: str, line: int, **details: object) -> None:
        """Add a report about a line."""
        self.reports.append(Report(text, {"line": line, **details}))

    def reject(self, text: str, location: Location, **details: object) -> None:
        """Report why an edit is not applied, and keep its text as a comment."""
        self.report(text, location.line, line_text=location.excerpt[0][:_SHOWN], **details)
        excerpt = self._describe(str(details.get("what", "")), location)
        self.comments.setdefault(location.anchor, []).extend(map(rejection_comment, excerpt))

    def resolve_change(self, kind: str, location: Location, values: tuple[object, ...]) -> bool:
        """Compare base, current and wanted value; return whether the edit applies.

        If the plan has changed to something else since, the edit is rejected as a conflict.
        """
        base, current, wanted = values
        if wanted in (base, current):
            return False
        if current != base:
            self.reject("task_plan_conflict", location, what=kind)
            return False
        return True

    def _describe(self, kind: str, location: Location) -> tuple[str, ...]:
        """Return the excerpt, with the kind added where the text alone does not show the edit.

        That is so for a line that was moved, for a deleted attribute or description, and for a text
        that the plan already fulfils.
        """
        text = location.excerpt
        is_deleted = kind in KEYWORDS and not ATTRIBUTE.match(text[0])
        is_silent = is_deleted or kind == "place" or (kind == "description" and is_task(text[0]))
        is_shown = has_status if kind == "status" else is_fulfilled
        if kind and (is_silent or all(is_shown(self.current, location.anchor, x) for x in text)):
            return tuple(f"{line} ({kind})" for line in text)
        return text
