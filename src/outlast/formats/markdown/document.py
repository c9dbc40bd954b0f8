"""What a `task_plan.md` says, as it stands there: not yet which task is which."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.domain.model import Check, TaskStatus

if TYPE_CHECKING:
    from collections.abc import Iterator


class Item(Struct, frozen=True):
    """The line of a task with the indented lines below it; `at` tells which lines say what.

    `after` is as written: numbers or names. `prose` are the lines of somebody's own below it.
    """

    line: int
    name: str
    box: bool
    icon: TaskStatus | None = None
    id: int | None = None
    after: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    at: dict[str, tuple[int, ...]] = {}
    prose: tuple[str, ...] = ()

    def lines(self, keyword: str) -> tuple[int, ...]:
        """Return the lines with a keyword; if there is none, the one of the task."""
        return self.at.get(keyword, (self.line,))

    def all_lines(self) -> tuple[int, ...]:
        """Return its line and all below it that say something about it."""
        return (self.line, *sorted(line for lines in self.at.values() for line in lines))


class Section(Struct, frozen=True):
    """A phase with its tasks; tasks above the first heading are in a section without a title."""

    line: int
    title: str | None
    notes: str = ""
    prose: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()


class Unread(Struct, frozen=True):
    """A line that cannot be understood; it is kept as prose. `why` is the key of a text."""

    line: int
    text: str
    why: str = "plan_md_line"


class Document(Struct, frozen=True):
    """A whole file. `lines` are its lines as they stand, the first one has the number 1.

    `revision` is the one it was written for, `updated` when that was, None if it does not say so.
    `hidden` are ids of tasks whose lines stand inside a code block or a comment, `hidden_names`
    what those are called.
    """

    lines: tuple[str, ...]
    title: str | None = None
    goal: str | None = None
    sections: tuple[Section, ...] = ()
    top: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    revision: int | None = None
    updated: datetime | None = None
    unread: tuple[Unread, ...] = ()
    hidden: frozenset[int] = frozenset()
    hidden_names: frozenset[str] = frozenset()
    at: dict[str, int] = {}

    @property
    def unmerged(self) -> int:
        """The line with which a conflict begins that was left by version control; 0 for none."""
        begun = 0
        for number, line in enumerate(self.lines, 1):
            if not begun and line.startswith("<<<<<<< "):
                begun = number
            elif begun and line.startswith(">>>>>>> "):
                return begun
        return 0

    def items(self) -> Iterator[Item]:
        """Yield the lines of all tasks from top to bottom."""
        return (item for section in self.sections for item in section.items)

    def said(self, line: int) -> str:
        """Return what a line says."""
        return self.lines[line - 1].strip()
