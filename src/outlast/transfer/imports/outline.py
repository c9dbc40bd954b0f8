"""The outline of the files of other tools: sections with tasks that may be nested.

No text is an error. Unlike in `task_plan.md`, lines of text belong to the task that they are
indented below.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, Final

from outlast.documents.markdown import outline
from outlast.documents.markdown.blocks import Blocks
from outlast.documents.markdown.document import UnparsedLine
from outlast.documents.markdown.outline import BULLET, TAB, Mark, read_heading, read_sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.documents.markdown.outline import Heading
    from outlast.model.model import TaskStatus

_TASK: Final = re.compile(rf"(\s*){BULLET}\s+\[([^\[\]]?)\](\*?)(?:\s+(\S.*))?$")
_BOXES: Final[dict[str, TaskStatus]] = {
    "": "pending",
    " ": "pending",
    **dict.fromkeys("xXvV✓✔√☑", "completed"),
    **dict.fromkeys("~>/", "in_progress"),
    "-": "skipped",
}

Lines = list[tuple[int, str]]


class Entry:
    """A task with its box; `star` is the mark right after it, `parent` the one it is nested in."""

    def __init__(self, line: int, raw: str, mark: Mark, section: Section) -> None:
        """Begin a task in a line."""
        self.line, self.raw, self.section = line, raw, section
        _, self.indent, text, self.box, self.star = mark
        self.text = text.strip()
        self.parent: Entry | None = None
        self.children: list[Entry] = []
        self.below: Lines = []

    @property
    def status(self) -> TaskStatus | None:
        """The status that the box stands for; None for an unknown one."""
        return _BOXES.get(self.box)

    @property
    def details(self) -> str:
        """The text below the task, without its indentation."""
        return dedent("\n".join(line for _, line in self.below)).strip("\n")


class Section(outline.Section):
    """A section with its tasks.

    `lines` are all of its lines with their numbers, `text` those that belong to no task, `comments`
    those of HTML comments.
    """

    def __init__(self, level: int, title: str, start: int, end: int) -> None:
        """Begin a section without tasks."""
        super().__init__(level, title, start, end)
        self.lines: Lines = []
        self.text: Lines = []
        self.comments: Lines = []
        self.entries: list[Entry] = []

    @property
    def line(self) -> int:
        """The number of the line of its heading; 0 for the begin of the file."""
        return self.start

    @property
    def content(self) -> Lines:
        """All of its lines but comments."""
        comments = {line for line, _ in self.comments}
        return [(line, text) for line, text in self.lines if line not in comments]

    @property
    def heading(self) -> str:
        """Its heading as it is written; empty for the begin of the file."""
        return f"{'#' * self.level} {self.title}".strip()


class Outline:
    """A whole file."""

    def __init__(self, text: str) -> None:
        """Parse all lines."""
        self.lines = text.split("\n")
        self.unread: list[UnparsedLine] = []
        self._blocks = Blocks(self.lines)
        self._open: list[Entry] = []
        self.sections = read_sections(
            Section, self.lines, self._blocks, self._heading_at, _read_task
        )
        for section in self.sections:
            self._open.clear()
            for n in range(section.start, section.own):
                self._read_line(n, section)

    def entries(self) -> Iterator[Entry]:
        """Yield the tasks from top to bottom."""
        return (entry for section in self.sections for entry in section.entries)

    @property
    def title(self) -> str:
        """The first heading of the highest level; empty if there is none."""
        return next((section.title for section in self.sections if section.level == 1), "")

    def _heading_at(self, index: int) -> Heading | None:
        line = self.lines[index]
        return None if line.startswith(" ") else read_heading(line)

    def _read_line(self, n: int, section: Section) -> None:
        line, mark = self.lines[n], section.marks.get(n)
        expanded = line.expandtabs(TAB)
        section.lines.append((n + 1, line))
        if mark and mark.text:
            self._begin_entry(Entry(n + 1, expanded.strip(), mark, section))
        elif n in self._blocks.comments or line.lstrip().startswith("<!--"):
            section.comments.append((n + 1, line))
        else:
            if mark:
                self.unread.append(UnparsedLine(n + 1, line.strip(), "task_plan_name"))
            self._add_text(n + 1, expanded, section)

    def _begin_entry(self, entry: Entry) -> None:
        if entry.status is None:
            self.unread.append(UnparsedLine(entry.line, entry.raw, "task_plan_box"))
        self._close(entry.indent)
        if self._open:
            entry.parent = self._open[-1]
            entry.parent.children.append(entry)
        self._open.append(entry)
        entry.section.entries.append(entry)

    def _add_text(self, line: int, text: str, section: Section) -> None:
        if text.strip():
            self._close(len(text) - len(text.lstrip()))
        (self._open[-1].below if self._open else section.text).append((line, text.rstrip()))

    def _close(self, indent: int) -> None:
        """Close the tasks that a line with this indentation does not belong to."""
        while self._open and self._open[-1].indent >= indent:
            self._open.pop()


def _read_task(line: str) -> Mark | None:
    """Return the box that begins a task; its text is empty if it has no name."""
    match = _TASK.match(line.expandtabs(TAB))
    return match and Mark("box", len(match[1]), match[4] or "", match[2], bool(match[3]))


def join_lines(lines: Lines) -> str:
    """Return lines as a text without blank lines at its ends."""
    return "\n".join(line for _, line in lines).strip("\n")
