"""The state and the result of a merge: its three inputs; edits as commands, reports, comments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from unicodedata import normalize as to_form

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.markdown.elements import is_task, shown_status, without_number
from outlast.documents.markdown.rejected import has_status, is_fulfilled, rejection_comment
from outlast.documents.markdown.syntax import ATTRIBUTE, KEYWORDS
from outlast.model.commands import Command, Complete, Fail, Reopen, Return, Skip, Start
from outlast.model.model import FINISHED, PERSON, Phase, Prose, Task, TaskStatus

if TYPE_CHECKING:
    from outlast.documents.markdown.document import Document, Item
    from outlast.model.state import PlanState

_SHOWN: Final = 80
_FIELDS: Final = ("name", "description", "status", "checks", "run", "files", "protect")


class Edit(Struct, frozen=True):
    """The commands for one edited thing; they are committed together or not at all.

    `kind` is one of `title goal phase place name description status result needs check run files
    protect new gone`.
    `excerpt` are the edited lines, `anchor` is where they are kept as a comment if the edit is
    refused. `new_lines` are the lines of the tasks, or of the phase, that it adds.
    """

    kind: str
    line: int
    commands: tuple[Command, ...]
    anchor: str
    excerpt: tuple[str, ...] = ()
    new_lines: tuple[int, ...] = ()


class Report(Struct, frozen=True):
    """A message for the person: the key of a text and its values; `line` is always among them."""

    text: str
    details: dict[str, object]


class MergeResult(Struct, frozen=True):
    """All edits of a file. `held`: apply nothing before a person has confirmed it.

    `prose` is all prose of the file; an anchor in it may be a placeholder. `fallback_anchors` has
    an existing anchor for each of these. `EditApplier` replaces the placeholders.
    """

    edits: tuple[Edit, ...] = ()
    reports: tuple[Report, ...] = ()
    prose: tuple[Prose, ...] = ()
    fallback_anchors: dict[str, str] = {}
    needs_confirmation: bool = False


def task_placeholder(line: int) -> int:
    """Return the id that commands and anchors use for the task of a new line."""
    return -line


def phase_placeholder(line: int) -> str:
    """Return the id that stands for the phase of a new heading; no real id begins with `+`."""
    return f"+{line}"


def is_phase_placeholder(phase: str) -> bool:
    """Return whether an id stands for a new phase."""
    return phase.startswith("+")


# The status of a task: what box and icon ask for, and the commands that set it.


def wanted_status(item: Item, base: TaskStatus) -> TaskStatus | None:
    """Return the status that a line asks for, if the file showed `base` before.

    If box and icon disagree, the one that differs from the base counts; None if both differ.
    """
    box = "completed" if base == "completed" else "pending"
    if item.box in (None, box):
        return item.icon or base
    if item.icon in (None, base):
        return item.box
    agrees = item.icon == item.box or (item.box == "pending" and item.icon != "completed")
    return item.icon if agrees else None


def is_reopened(base: TaskStatus, wanted: TaskStatus | None) -> bool:
    """Return whether a finished task would become unfinished."""
    return base in FINISHED and wanted is not None and wanted not in FINISHED


def status_commands(task: int, now: TaskStatus, wanted: TaskStatus) -> tuple[Command, ...]:
    """Return the commands that bring a task from one status to another."""
    if wanted == "pending":
        return (Return(task),) if now == "in_progress" else (Reopen(task),)
    first = _preparation(task, now, wanted)
    if wanted == "completed":
        return (*first, Complete(task, PERSON, amend=True))
    if wanted == "in_progress":
        return (*first, Start(PERSON, task))
    if wanted == "skipped":
        return (*first, Skip(task))
    return (*first, Fail(task, PERSON, "", retry=False))


def _preparation(task: int, now: TaskStatus, wanted: TaskStatus) -> tuple[Command, ...]:
    """Reopen a task that has ended, so that it can end again."""
    if now in FINISHED or (now == "failed" and wanted != "skipped"):
        return (Reopen(task),)
    return ()


# The merge itself


class Location(Struct, frozen=True):
    """Where an edit was made: its line (0 for none), its anchor and the text of its lines."""

    line: int
    anchor: str
    excerpt: tuple[str, ...] = ()


class EarlierSaves(Struct, frozen=True):
    """What is known of earlier saves of the same buffer, whose edits the base has.

    `added` are the tasks that they added, `shown` the status that the file showed of the others
    when it was read. Both are empty for the first save.
    """

    added: frozenset[int] = frozenset()
    shown: Mapping[int, TaskStatus] = {}


class MergeContext:
    """The three sides of a merge: the plan the file was rendered from, the plan now, the file."""

    def __init__(
        self,
        base: PlanState | None,
        current: PlanState,
        document: Document,
        earlier: EarlierSaves | None = None,
    ) -> None:
        """Start a merge; without a base the current plan stands in for it."""
        self.is_base_known = base is not None
        self.earlier = earlier or EarlierSaves()
        self.base = current if base is None else base
        self.current = current
        self.document = document
        self.edits: list[Edit] = []
        self.reports: list[Report] = []
        self.comments: dict[str, list[str]] = {}

    @property
    def may_be_cut(self) -> bool:
        """Whether the file lost its last lines: its writer may have stalled or died."""
        document = self.document
        return self.is_base_known and not document.is_complete and document.updated is None

    def base_task(self, task: int) -> Task:
        """Return a task of the base; one that was added since counts as pending in it."""
        base = self.base.tasks.get(task)
        return replace(self.current.tasks[task], status="pending") if base is None else base

    def wanted_status(self, item: Item, task: int) -> TaskStatus | None:
        """Return the status that the line of a task asks for; None if box and icon disagree."""
        if task in self.earlier.added or (item.icon is not None and not self.is_base_known):
            return shown_status(item)
        base = self.base_task(task).status
        return wanted_status(item, self.earlier.shown.get(task, base))

    def base_phase(self, phase: str) -> Phase:
        """Return a phase of the base, or the current one if it was added since."""
        return self.base.phases.get(phase) or self.current.phases[phase]

    def task_location(self, task: int, *lines: int) -> Location:
        """Return the location of an edit of a task in these lines."""
        return Location(lines[0], f"task:{task}", tuple(map(self.line_text, lines)))

    def line_text(self, line: int) -> str:
        """Return the text of a line without its number."""
        return without_number(self.document.line_text(line))

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
        base, current, wanted = map(normalize, values)
        if wanted in (base, current):
            return False
        if current != base:
            self.reject("task_plan_conflict", location, what=kind)
            return False
        return True

    def is_untouched(self, task: int) -> bool:
        """Return whether the plan still shows a task of the base as the base does."""
        current = self.current.tasks.get(task)
        return current is not None and _shown_fields(current) == _shown_fields(
            self.base.tasks[task]
        )

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


def normalize(value: object) -> object:
    """Return a text in composed form: an editor may save the same text in another one."""
    return value if type(value) is not str or value.isascii() else to_form("NFC", value)


def _shown_fields(task: Task) -> list[object]:
    """Return what the file shows of a task, except its place and its needs."""
    return [getattr(task, field) for field in _FIELDS]
