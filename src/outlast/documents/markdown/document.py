"""A parsed `task_plan.md`, before its lines are matched with the tasks of a plan."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.model.model import Check, TaskStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Item(Struct, frozen=True):
    """The line of a task and the lines below it.

    `name` is "" where only the number says which task it is, `box` is None for an unknown box. `at`
    has the line numbers of each keyword and of the `description`. `needs` are the words as
    written: numbers or names. `description` and `assumed` are None where the form has no place for
    them, `result` is None without a line for it. `prose` are lines that mean no change.
    """

    line: int
    name: str
    box: TaskStatus | None = None
    icon: TaskStatus | None = None
    id: int | None = None
    needs: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    description: str | None = None
    result: str | None = None
    assumed: bool | None = None
    needs_by_line: dict[int, tuple[str, ...]] = {}
    at: dict[str, tuple[int, ...]] = {}
    prose: tuple[str, ...] = ()

    def lines(self, keyword: str) -> tuple[int, ...]:
        """Return the numbers of the lines with a keyword; without any, that of the task."""
        return self.at.get(keyword, (self.line,))

    def all_lines(self) -> tuple[int, ...]:
        """Return the numbers of the task's line and of all lines below it but prose."""
        return (self.line, *sorted(line for lines in self.at.values() for line in lines))


class Section(Struct, frozen=True):
    """A phase with its tasks; the section above the first heading has no title."""

    line: int
    title: str | None
    notes: str = ""
    prose: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()


class UnparsedLine(Struct, frozen=True):
    """A line that is reported with the text of the key `why`.

    It is kept as prose, unless it is that of a task; then only a part of it cannot be understood.
    `file` is set if it is in another file than the one that was named. Line 0 is a part of JSON.
    """

    line: int
    text: str
    why: str = "task_plan_line"
    file: str = ""


class Document(Struct, frozen=True):
    """A whole file; the first of its `lines` has the number 1.

    `revision` is the one it was rendered from, `updated` the time of that; None if unknown. `mark`
    is that of the commit that led to the revision, "" if the file has none. `is_complete` if the
    line is there that every rendered file closes with, `is_ended` if its last line has an end.
    `hidden` and `hidden_names` are the ids and names of tasks whose lines stand inside a code
    block or a comment. `top`, `head`, `end` and `after` are prose by its place.
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
    mark: str = ""
    is_complete: bool = False
    is_ended: bool = True
    updated: datetime | None = None
    unread: tuple[UnparsedLine, ...] = ()
    hidden: frozenset[int] = frozenset()
    hidden_names: frozenset[str] = frozenset()
    at: dict[str, int] = {}

    @property
    def conflict_line(self) -> int:
        """The line of the first merge conflict that version control left; 0 for none."""
        return find_conflict(self.lines)

    def items(self) -> Iterator[Item]:
        """Yield the items of all sections from top to bottom."""
        return (item for section in self.sections for item in section.items)

    def line_text(self, line: int) -> str:
        """Return the stripped text of a line."""
        return self.lines[line - 1].strip()


def find_conflict(lines: Iterable[str]) -> int:
    """Return the line of the first merge conflict that version control left; 0 for none."""
    begin = 0
    for number, line in enumerate(lines, 1):
        if not begin and line.startswith("<<<<<<< "):
            begin = number
        elif begin and line.startswith(">>>>>>> "):
            return begin
    return 0
