"""The outline of the files of other tools: sections with nested tasks; the parts of a plan.

No text is an error. Unlike in `task_plan.md`, lines of text belong to the task that they are
indented below.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final

from outlast.documents.json import foreign_fields
from outlast.documents.json.extension import infer_how_and_actor
from outlast.documents.markdown import outline
from outlast.documents.markdown.blocks import Blocks
from outlast.documents.markdown.document import UnparsedLine
from outlast.documents.markdown.outline import BULLET, TAB, Mark, read_heading, read_sections
from outlast.model.commands import CreatePlan
from outlast.model.limits import NAME_CHARACTERS, make_slug, shorten_name
from outlast.model.model import MAIN, MAIN_PHASE, Order, Phase, Prose, Task, TaskStatus
from outlast.redact.text_fields import TEXT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from outlast.documents.markdown.outline import Heading

_TASK: Final = re.compile(rf"(\s*){BULLET}\s+\[([^\[\]]?)\](\*?)(?:\s+(\S.*))?$")
_BOXES: Final[dict[str, TaskStatus]] = {
    "": "pending",
    " ": "pending",
    **dict.fromkeys("xXvV✓✔√☑", "completed"),
    **dict.fromkeys("~>/", "in_progress"),
    "-": "skipped",
}
Lines = list[tuple[int, str]]
Json = dict[str, Any]
_LONGEST_TEXT: Final = TEXT_BYTES // 4  # in characters of at most four bytes


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


def one_line(text: str) -> str:
    """Return a text with single spaces between its words."""
    return " ".join(text.split())


def make_task(  # noqa: PLR0913 - the fields that every form has
    task: int,
    text: str,
    status: TaskStatus,
    phase: str,
    *,
    description: str = "",
    extra: Json | None = None,
    **fields: Any,  # noqa: ANN401 - of `Task`
) -> Task:
    """Return a task; a text that is too long for its name is its description too."""
    name = one_line(text)
    if len(name) > NAME_CHARACTERS:
        description = f"{name}\n{description}".strip()
        name = shorten_name(name)
    how, actor = infer_how_and_actor(status)
    fields = {"how": how, "actor": actor, **fields}
    return Task(
        task,
        name,
        phase,
        description=description,
        status=status,
        extra=foreign_fields.dump(extra or {}, ""),
        **fields,
    )


def make_plan(  # noqa: PLR0913 - the parts of a plan
    plan_id: str,
    goal: str,
    phases: Sequence[Phase],
    tasks: Sequence[Task],
    *,
    order: Order = "sequential",
    title: str | None = None,
    extra: str = "",
) -> CreatePlan:
    """Return the command that creates the plan."""
    return CreatePlan(
        plan_id,
        goal,
        title=title,
        order=order,
        phases=tuple(phases) or (MAIN,),
        tasks=tuple(tasks),
        next_id=max((task.id for task in tasks), default=0) + 1,
        begun=any(task.status != "pending" for task in tasks),
        extra=extra,
    )


class Phases:
    """The phases of a plan, one for each section that has tasks."""

    def __init__(self) -> None:
        """Begin without any."""
        self._by_line: dict[int, Phase] = {}
        self._ids: set[str] = set()
        self._numbers: dict[str, int] = {}

    def id_of(self, section: Section, notes: str = "") -> str:
        """Return the phase of a section; the title of the file is none for the first one."""
        known = self._by_line.get(section.line)
        if known is None:
            title = "" if section.level <= 1 and not self._by_line else one_line(section.title)
            title = title[:NAME_CHARACTERS] or MAIN.title
            known = Phase(self._new_id(title), title, notes)
            self._by_line[section.line] = known
        return known.id

    def all(self) -> tuple[Phase, ...]:
        """Return the phases in their order."""
        return tuple(self._by_line.values())

    def _new_id(self, title: str) -> str:
        base = MAIN_PHASE if title == MAIN.title else make_slug(title, ())
        number = self._numbers.get(base, 0) + 1
        while (slug := base if number == 1 else f"{base}-{number}") in self._ids:
            number += 1
        self._numbers[base] = number
        self._ids.add(slug)
        return slug


def split_text(text: str) -> Iterator[str]:
    """Yield pieces of a text that are short enough for one field, cut between lines."""
    piece: list[str] = []
    length = 0
    for line in text.split("\n"):
        for start in range(0, len(line) or 1, _LONGEST_TEXT):
            part = line[start : start + _LONGEST_TEXT]
            if length + len(part) > _LONGEST_TEXT:
                yield "\n".join(piece)
                piece, length = [], 0
            piece.append(part)
            length += len(part) + 1
    yield "\n".join(piece)


def first_piece(text: str, rest: list[str]) -> str:
    """Return as much of a text as one field takes; add the lines of what is left to `rest`."""
    first, *more = split_text(text)
    rest += [line for piece in more for line in piece.split("\n")]
    return first


def prose_of(lines: Mapping[str, Iterable[str]]) -> tuple[Prose, ...]:
    """Return the prose at each place, without empty ones."""
    blocks = (
        (anchor, tuple(piece for line in text for piece in split_text(line)))
        for anchor, text in lines.items()
    )
    return tuple(Prose(anchor, text) for anchor, text in blocks if any(map(str.strip, text)))


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return tasks in the order of work: those nested in another one come before it."""
    done: list[Entry] = []
    stack = [entry for entry in entries if entry.parent is None]
    stack.reverse()
    expanded: set[int] = set()
    while stack:
        entry = stack[-1]
        if entry.children and entry.line not in expanded:
            expanded.add(entry.line)
            stack += reversed(entry.children)
        else:
            done.append(stack.pop())
    return done
