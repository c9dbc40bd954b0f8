"""The three sides of a merge, and what comes of them on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.formats.markdown.marks import ATTRIBUTE, ID, KEYWORDS
from outlast.formats.markdown.merge.comments import is_so, is_standing, not_taken_in
from outlast.formats.markdown.merge.edits import Report, Wish

if TYPE_CHECKING:
    from outlast.domain.commands import Command
    from outlast.domain.model import Phase, Task
    from outlast.domain.state import PlanState
    from outlast.formats.markdown.document import Document

_SHOWN: Final = 80


class Spot(Struct, frozen=True):
    """A place in the file: its line (0: none), its anchor, and what a person says there."""

    line: int
    anchor: str
    said: tuple[str, ...] = ()


class Sides:
    """The plan as the file was written for it, as it is now, and the file as it is now."""

    def __init__(self, base: PlanState | None, current: PlanState, document: Document) -> None:
        """Begin; without a base what is now is taken for it."""
        self.is_base_known = base is not None
        self.base = current if base is None else base
        self.current = current
        self.document = document
        self.wishes: list[Wish] = []
        self.reports: list[Report] = []
        self.comments: dict[str, list[str]] = {}

    def base_task(self, task: int) -> Task:
        """Return a task as the person found it; one that came later was pending then."""
        found = self.base.tasks.get(task)
        return replace(self.current.tasks[task], status="pending") if found is None else found

    def base_phase(self, phase: str) -> Phase:
        """Return a phase as the person found it."""
        return self.base.phases.get(phase) or self.current.phases[phase]

    def task_spot(self, task: int, *lines: int) -> Spot:
        """Return where something is said about a task: in these lines."""
        return Spot(lines[0], f"task:{task}", tuple(map(self.said, lines)))

    def said(self, line: int) -> str:
        """Return what a line says, but for its id."""
        return ID.sub("", self.document.said(line))

    def wish(self, what: str, spot: Spot, *commands: Command, new: tuple[int, ...] = ()) -> None:
        """Want something because of what is said there; `new` are lines that it makes tasks of."""
        said = self._named(what, spot)
        self.wishes.append(Wish(what, spot.line, commands, spot.anchor, said, new))

    def report(self, text: str, line: int, **details: object) -> None:
        """Tell something about a line."""
        self.reports.append(Report(text, {"line": line, **details}))

    def refuse(self, text: str, spot: Spot, **details: object) -> None:
        """Tell why what is said there is not taken in, and keep it as a comment."""
        self.report(text, spot.line, said=spot.said[0][:_SHOWN], **details)
        said = self._named(str(details.get("what", "")), spot)
        self.comments.setdefault(spot.anchor, []).extend(map(not_taken_in, said))

    def is_wanted(self, what: str, spot: Spot, values: tuple[object, ...]) -> bool:
        """Tell whether what a person changed is to be done: base, current and wanted value.

        If others have changed it too, to something else, theirs stays and both are told.
        """
        base, current, wanted = values
        if wanted in (base, current):
            return False
        if current != base:
            self.refuse("plan_md_conflict", spot, what=what)
            return False
        return True

    def _named(self, what: str, spot: Spot) -> tuple[str, ...]:
        """Return what is said there, so that it tells what is wanted, even where it holds already.

        A line that was moved, or that something below it is missing of, says nothing new itself.
        """
        is_silent = what == "place" or (what in KEYWORDS and not ATTRIBUTE.match(spot.said[0]))
        says_so = is_standing if what == "status" else is_so
        is_so_already = all(says_so(self.current, spot.anchor, said) for said in spot.said)
        if what and (is_silent or is_so_already):
            return tuple(f"{said} ({what})" for said in spot.said)
        return spot.said
