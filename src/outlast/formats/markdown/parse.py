"""Parse `task_plan.md` as people leave it; no text is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.formats import times
from outlast.formats.markdown.blocks import Blocks
from outlast.formats.markdown.document import Document, Item, Section, UnparsedLine
from outlast.formats.markdown.elements import (
    Attributes,
    Heading,
    TaskLine,
    read_attribute,
    read_element,
    read_name,
)
from outlast.formats.markdown.escape import unescape, unquote
from outlast.formats.markdown.rejected import rejection_comment
from outlast.formats.markdown.syntax import (
    HIDDEN,
    KEYWORDS,
    MALFORMED,
    OBJECTIVE,
    PROGRESS,
    QUOTE,
    REVISION,
    RULE,
    SEPARATOR,
    TITLE,
    UPDATED,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from re import Pattern

    Lines = list[tuple[int, str]]


def parse(text: str) -> Document:
    """Parse a file with any line ends, with or without a byte order mark."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n").split("\n") if text else []
    return _Parser(lines).parse()


class _OpenTask:
    """A task whose lines are still being read."""

    def __init__(self, line: int, element: TaskLine) -> None:
        self.line = line
        self.element = element
        self.attributes = Attributes()
        self.prose: Lines = []

    def close(self, *, last: bool) -> Item:
        """Return the item; a blank line that ends the phase is not part of the last one."""
        if last and self.prose and not self.prose[-1][1].strip():
            self.prose.pop()
        prose = tuple(line for _, line in self.prose)
        return Item(self.line, *self.element, **self.attributes.fields(), prose=prose)


class _OpenPhase:
    """A phase whose lines are still being read."""

    def __init__(self, line: int, title: str | None) -> None:
        self.line = line
        self.title = title
        self.below: Lines = []
        self.items: list[Item] = []

    def close(self, covered: set[int]) -> Section:
        """Return the section; a quotation right below the heading becomes its notes."""
        below = _trim(self.below)
        if below and below[0][1] == SEPARATOR:
            return Section(self.line, self.title, "", _texts(below[1:]), tuple(self.items))
        quoted = []
        for n, line in below:
            quote = QUOTE.match(line)
            if quote is None or n in covered:
                break
            quoted.append(quote[1])
        notes = unquote(quoted) if any(map(str.strip, quoted)) else ""
        rest = _trim(below[len(quoted) :]) if notes else below
        return Section(self.line, self.title, notes, _texts(rest), tuple(self.items))


class _Parser:
    """Reads a file line by line; prose is appended to `_into`."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._frame = _Frame(lines)
        self._covered = self._frame.blocks.covered
        self._unread = [
            UnparsedLine(n + 1, lines[n], "task_plan_unclosed") for n in self._frame.blocks.unclosed
        ]
        self._hidden: set[int] = set()
        self._hidden_names: set[str] = set()
        self._places: dict[str, Lines] = {name: [] for name in ("top", "head", "end", "after")}
        self._into = self._places["top"]
        self._sections: list[Section] = []
        self._phase: _OpenPhase | None = None
        self._item: _OpenTask | None = None

    def parse(self) -> Document:
        """Read all lines and return the document."""
        for n, line in enumerate(self._lines):
            self._read_line(n, line)
        self._close_phase()
        frame = self._frame
        named = {"title": frame.title_at, "goal": frame.goal_at}
        return Document(
            lines=tuple(self._lines),
            title=frame.title,
            goal=frame.goal,
            sections=tuple(self._sections),
            **{place: _texts(_trim(lines)) for place, lines in self._places.items()},
            revision=frame.revision,
            updated=frame.update_time,
            unread=tuple(sorted(self._unread, key=lambda line: line.line)),
            hidden=frozenset(self._hidden),
            hidden_names=frozenset(self._hidden_names),
            at={name: n + 1 for name, n in named.items() if n is not None},
        )

    def _read_line(self, n: int, line: str) -> None:
        element = self._frame.elements.get(n)
        if n in self._frame.own:
            self._pass_own_line(n)
        elif isinstance(element, Heading):
            self._close_phase()
            self._begin_phase(n, element.title)
        elif isinstance(element, TaskLine):
            self._begin_task(n, element)
        elif n in self._covered or not self._read_attribute(n, line):
            self._keep_prose(n, line)

    def _pass_own_line(self, n: int) -> None:
        """Skip a line that only the renderer writes; it may end the task or phase above it."""
        frame = self._frame
        if n in (frame.closing_at, frame.updated_at):
            self._close_task(last=True)
            self._into = self._places["end" if n == frame.closing_at else "after"]
        elif n in (frame.title_at, frame.goal_at, frame.progress_at):
            self._into = self._places["head"] if self._phase is None else self._into

    def _begin_phase(self, n: int, title: str | None) -> None:
        self._phase = _OpenPhase(n + 1, title)
        self._into = self._phase.below

    def _begin_task(self, n: int, element: TaskLine) -> None:
        self._close_task(last=False)
        if self._phase is None:
            self._begin_phase(n, None)
        self._item = _OpenTask(n + 1, element)
        self._into = self._item.prose

    def _close_task(self, *, last: bool) -> None:
        if self._item and self._phase:
            self._phase.items.append(self._item.close(last=last))
        self._item = None

    def _close_phase(self) -> None:
        self._close_task(last=True)
        if self._phase:
            self._sections.append(self._phase.close(self._covered))
        self._phase = None

    def _read_attribute(self, n: int, line: str) -> bool:
        """Add a line to the attributes of the task above it; return False if it is none."""
        attribute = read_attribute(line)
        if attribute is None or not attribute.is_indented or self._item is None:
            return False
        if self._item.attributes.is_second_run(attribute):
            self._unread.append(UnparsedLine(n + 1, line, "task_plan_run_twice"))
            # As a plain line it would be applied as soon as the first `run` is gone.
            self._into.append((n, rejection_comment(line.strip())))
            return True
        return self._item.attributes.add(attribute, n + 1)

    def _keep_prose(self, n: int, line: str) -> None:
        """Keep a line as prose where it stands; report it if it looks like a broken element."""
        self._into.append((n, line))
        if QUOTE.match(line):
            return
        ids = {int(mark) for mark in HIDDEN.findall(line)} if "<!--" in line else set()
        self._hidden |= ids
        if n in self._covered or "<!--" in line:
            self._note_hidden(line)
        if n not in self._covered and (ids or self._is_malformed(line)):
            self._unread.append(UnparsedLine(n + 1, line))

    def _note_hidden(self, line: str) -> None:
        """Note the name of a task whose line is inside a code block or a comment."""
        bare = line.strip().removeprefix("<!--").removesuffix("-->")
        element = read_element(bare)
        if isinstance(element, TaskLine):
            self._hidden_names.add(element.name)

    def _is_malformed(self, line: str) -> bool:
        attribute = read_attribute(line)
        if attribute:
            is_below_task = self._item is not None and attribute.is_indented
            return is_below_task or attribute.keyword in KEYWORDS
        return bool(MALFORMED.match(line))


def _trim(lines: Lines) -> Lines:
    """Drop blank lines at both ends."""
    full = [index for index, (_, line) in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else []


def _texts(lines: Lines) -> tuple[str, ...]:
    return tuple(line for _, line in lines)


class _Frame:
    """The lines around the phases: title, goal, progress, rules and footer, by their index.

    `own` are all of these. `plain` are the lines outside of code blocks and comments.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """Find each line; a missing one is None."""
        self._lines = lines
        self.blocks = Blocks(lines)
        self.plain = [n for n in range(len(lines)) if n not in self.blocks.covered]
        elements = ((n, read_element(lines[n])) for n in self.plain)
        self.elements = {n: element for n, element in elements if element}
        self._first = next(iter(self.elements), len(lines))
        self.title_at = self._find_title()
        since = -1 if self.title_at is None else self.title_at
        self.goal_at = next((n for n in self._indexes_of(OBJECTIVE) if n > since), None)
        self.progress_at = next((n for n in self._indexes_of(PROGRESS) if n > since), None)
        revisions, updated = [*self._indexes_of(REVISION)], [*self._indexes_of(UPDATED)]
        self.revision = max((self._revision_number(n) for n in revisions), default=None)
        self.updated_at = updated[-1] if updated else None
        self.own = {*revisions, *updated, *_present(self.title_at, self.progress_at)}
        self.goal = None if self.goal_at is None else self._read_goal(self.goal_at)
        self.closing_at = self._find_closing()
        self._find_rule()

    @property
    def title(self) -> str | None:
        """The title of the plan; None if the file has no line for it."""
        match = None if self.title_at is None else TITLE.match(self._lines[self.title_at])
        return unescape((match[1] or "").strip()) if match else None

    @property
    def update_time(self) -> datetime | None:
        """The time in the footer; None if there is none."""
        match = None if self.updated_at is None else UPDATED.match(self._lines[self.updated_at])
        return times.read(match[1]) if match else None

    def _revision_number(self, at: int) -> int:
        match = REVISION.match(self._lines[at])
        return int(match[1]) if match else 0

    def _find_title(self) -> int | None:
        """Return the first title with a goal below it, else the first above phases and tasks."""
        titles = [n for n in self._indexes_of(TITLE) if _is_title(self._lines[n])]
        for n in titles:
            following = (self._lines[m] for m in range(n + 1, len(self._lines)))
            if OBJECTIVE.match(next(filter(str.strip, following), "")):
                return n
        return next((n for n in titles if n < self._first), None)

    def _indexes_of(self, pattern: Pattern[str]) -> Iterator[int]:
        return (n for n in self.plain if pattern.match(self._lines[n]))

    def _read_goal(self, at: int) -> str:
        texts = []
        for n in range(at, len(self._lines)):
            line = self._lines[n]
            match = QUOTE.match(line) if n > at else OBJECTIVE.match(line)
            if match is None or PROGRESS.match(line):
                break
            texts.append(match[1])
            self.own.add(n)
        return unquote(texts)

    def _find_closing(self) -> int | None:
        """Return the rule above the footer, below all phases and tasks."""
        if self.updated_at is None:
            return None
        above = max((n for n in self.elements if n < self.updated_at), default=-1)
        return self._own_rule(above, self.updated_at)

    def _find_rule(self) -> None:
        """Find the rule below title, goal and progress, above all phases and tasks."""
        header = _present(self.title_at, self.goal_at, self.progress_at)
        since = max((n for n in header if n < self._first), default=None)
        if since is not None:
            self._own_rule(since, self._first)

    def _own_rule(self, since: int, until: int) -> int | None:
        rules = (n for n in reversed(self.plain) if since < n < until and n not in self.own)
        at = next((n for n in rules if self._lines[n].rstrip() == RULE), None)
        if at is not None:
            self.own.add(at)
        return at


def _is_title(line: str) -> bool:
    """Return whether a heading is valid as the title of a plan; it may be blank."""
    text = line.strip().removeprefix("#").strip()
    return not text or read_name(text) is not None


def _present(*indexes: int | None) -> list[int]:
    return [n for n in indexes if n is not None]
