"""Parse Markdown into sections with tasks that may be nested; no text is an error.

Unlike `task_plan.md`, the files of other tools nest tasks, and lines of text belong to the task
that they are indented below.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.blocks import Blocks
from outlast.documents.markdown.document import UnparsedLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.model import TaskStatus

_HEADING: Final = re.compile(r"(#{1,6})\s+(\S.*)")
_BOX: Final = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s+\[([^\[\]]?)\](\*?)(?:\s+(\S.*))?$")
_TAB: Final = 4
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

    def __init__(self, line: int, match: re.Match[str], section: Section) -> None:
        """Begin a task in a line."""
        self.line = line
        self.indent = len(match[1])
        self.box: str = match[2]
        self.star = bool(match[3])
        self.text: str = match[4].strip()
        self.raw: str = match[0]
        self.section = section
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


class Section:
    """A heading, or the begin of the file, with what stands below it up to the next heading.

    `lines` are all of its lines, `text` those that belong to no task, `comments` those of HTML
    comments.
    """

    def __init__(self, line: int, level: int, title: str, above: Section | None) -> None:
        """Begin a section below another one of a lower level."""
        self.line = line
        self.level = level
        self.title = title
        self.above = above
        self.lines: Lines = []
        self.text: Lines = []
        self.comments: Lines = []
        self.entries: list[Entry] = []

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
        self.sections = [Section(0, 0, "", None)]
        self.unread: list[UnparsedLine] = []
        blocks = Blocks(self.lines)
        self._open: list[Entry] = []
        for n, line in enumerate(self.lines):
            expanded = line.expandtabs(_TAB)
            heading = None if n in blocks.covered else _HEADING.match(line)
            if heading:
                self._begin_section(n + 1, len(heading[1]), _heading_text(heading[2]))
                continue
            section = self.sections[-1]
            section.lines.append((n + 1, line))
            match = None if n in blocks.covered else _BOX.match(expanded)
            if match and match[4]:
                self._begin_entry(n + 1, match, section)
            elif n in blocks.comments or line.lstrip().startswith("<!--"):
                section.comments.append((n + 1, line))
            else:
                if match:
                    self.unread.append(UnparsedLine(n + 1, line.strip(), "task_plan_name"))
                self._add_text(n + 1, expanded, section)

    def entries(self) -> Iterator[Entry]:
        """Yield the tasks from top to bottom."""
        return (entry for section in self.sections for entry in section.entries)

    @property
    def title(self) -> str:
        """The first heading of the highest level; empty if there is none."""
        return next((section.title for section in self.sections if section.level == 1), "")

    def _begin_section(self, line: int, level: int, title: str) -> None:
        above: Section | None = self.sections[-1]
        while above and above.level >= level:
            above = above.above
        self.sections.append(Section(line, level, title, above))
        self._open.clear()

    def _begin_entry(self, line: int, match: re.Match[str], section: Section) -> None:
        entry = Entry(line, match, section)
        if entry.status is None:
            self.unread.append(UnparsedLine(line, entry.raw.strip(), "task_plan_box"))
        self._close(entry.indent)
        if self._open:
            entry.parent = self._open[-1]
            entry.parent.children.append(entry)
        self._open.append(entry)
        section.entries.append(entry)

    def _add_text(self, line: int, text: str, section: Section) -> None:
        if text.strip():
            self._close(len(text) - len(text.lstrip()))
        (self._open[-1].below if self._open else section.text).append((line, text.rstrip()))

    def _close(self, indent: int) -> None:
        """Close the tasks that a line with this indentation does not belong to."""
        while self._open and self._open[-1].indent >= indent:
            self._open.pop()


def _heading_text(text: str) -> str:
    """Return the text of a heading without the signs that may close it."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.strip() if bare[-1:].isspace() else text


def join_lines(lines: Lines) -> str:
    """Return lines as a text without blank lines at its ends."""
    return "\n".join(line for _, line in lines).strip("\n")
