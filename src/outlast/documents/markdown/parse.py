"""Parse `task_plan.md` as people leave it; no text is an error."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from outlast.documents.markdown import elements, syntax
from outlast.documents.markdown.blocks import Blocks
from outlast.documents.markdown.description import continues_task, read_description
from outlast.documents.markdown.document import Document, Item, Section, UnparsedLine
from outlast.documents.markdown.rejected import rejection_comment
from outlast.language import times

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from re import Pattern

    Lines = list[tuple[int, str]]


def parse(text: str, *, bare: bool = False) -> Document:
    """Parse a file with any line ends, with or without a byte order mark.

    The `bare` form has no place for descriptions and results: all lines below a task are prose.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n").split("\n") if text else []
    if len(lines) > 1 and not text.endswith("\n") and _is_torn_footer(*lines[-2:]):
        del lines[-1]
    return _Parser(lines, bare=bare, is_ended=text.endswith("\n")).parse()


class _OpenTask:
    """A task whose lines are still being read; with `bare` it has no description."""

    def __init__(self, line: int, element: elements.TaskLine, *, bare: bool) -> None:
        self.line = line
        self.element = element
        self.attributes = elements.Attributes(
            syntax.KEYWORDS if bare else (*syntax.KEYWORDS, *syntax.OUTCOME_KEYWORDS)
        )
        self.prose: Lines = []
        self.has_text = False  # below the description
        self._bare = self._is_complete = bare
        self._description: Lines = []
        self._blank: Lines = []
        self._in_block = self._after_blank = False

    def add(self, n: int, line: str, *, is_block: bool) -> None:
        """Add a line to the description, or to the prose once the description is complete.

        `is_block`: the line is part of a code block.
        """
        if not line.strip():
            self._blank.append((n, line))
            self._after_blank = True
        elif self._is_complete or not self._belongs(line, is_block=is_block):
            self._is_complete = True
            self.keep_prose(n, line)
        else:
            self._description += [*(self._blank if self._description else ()), (n, line)]
            self._blank = []
            self._after_blank = False
        self._in_block = is_block

    def add_attribute(self, attribute: elements.Attribute, line: int) -> bool:
        """Add an attribute; return False if it is invalid."""
        if not self.attributes.add(attribute, line):
            return False
        self._after_blank = False
        return True

    def keep_prose(self, n: int, line: str) -> None:
        """Add a line that is no part of the description wherever it stands."""
        self.prose += [*self._blank, (n, line)]
        self._blank = []
        self.has_text = self.has_text or elements.is_prose_text(line)

    def close(self, *, last: bool) -> Item:
        """Return the item; a blank line that ends the phase is not part of the last one."""
        prose = [line for _, line in (*self.prose, *self._blank)]
        if last and prose and not prose[-1].strip():
            prose.pop()
        if prose[:1] == [syntax.SEPARATOR] and elements.begins_with_bullet(prose[1:]):
            del prose[0]
        fields = self.attributes.fields()
        if self._description:
            fields["description"] = read_description(line for _, line in self._description)
            lines = tuple(n + 1 for n, line in self._description if line.strip())
            fields["at"] = {**fields["at"], "description": lines}
        elif not self._bare:
            fields["description"] = ""
        return Item(self.line, *self.element, **fields, prose=tuple(prose))

    def _belongs(self, line: str, *, is_block: bool) -> bool:
        """Return whether a line continues the description."""
        if is_block and self._in_block:
            return True
        return elements.is_indented(line) if self._after_blank else continues_task(line)


class _OpenPhase:
    """A phase whose lines are still being read."""

    def __init__(self, line: int, heading: elements.Heading | None) -> None:
        self.line = line
        self.title = heading.title if heading else None
        self.is_marked = heading is not None and heading.is_marked
        self.below: Lines = []
        self.items: list[Item] = []

    def close(self, covered: set[int]) -> Section:
        """Return the section; a quotation right below the heading becomes its notes."""
        below = _trim(self.below)
        quoted = []
        for n, line in below:
            quote = syntax.QUOTE.match(line)
            if quote is None or n in covered:
                break
            quoted.append(quote[1])
        notes = syntax.unquote(quoted) if any(map(str.strip, quoted)) else ""
        prose = _texts(_trim(below[len(quoted) :]) if notes else below)
        if prose[:1] == (syntax.SEPARATOR,) and elements.is_separated(prose[1:]):
            prose = prose[1:]
        return Section(self.line, self.title, notes, prose, tuple(self.items))


class _Parser:
    """Reads a file line by line; prose is appended to `_into`, or to the open task."""

    def __init__(self, lines: Sequence[str], *, bare: bool, is_ended: bool) -> None:
        self._lines = lines
        self._bare = bare
        self._is_ended = is_ended
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
            mark=frame.mark,
            is_complete=(frame.updated_at if self._bare else frame.revision) is not None,
            is_ended=self._is_ended,
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
        elif n in self._frame.own_sections:
            self._begin_own_section(n, line)
        elif isinstance(element, elements.Heading):
            self._close_phase()
            self._begin_phase(n, element)
        elif isinstance(element, elements.TaskLine):
            self._begin_task(n, element)
        elif n in self._covered or not self._read_addition(n, line):
            self._keep_text(n, line)

    def _pass_own_line(self, n: int) -> None:
        """Skip a line that only the renderer writes; it may end the task or phase above it."""
        frame = self._frame
        if n in (frame.closing_at, frame.updated_at):
            self._close_task(last=True)
            self._into = self._places["end" if n == frame.closing_at else "after"]
        elif self._into is self._places["top"]:
            is_header = n in (frame.title_at, frame.goal_at, frame.progress_at)
            self._into = self._places["head"] if is_header else self._into

    def _begin_phase(self, n: int, heading: elements.Heading | None) -> None:
        self._phase = _OpenPhase(n + 1, heading)
        self._into = self._phase.below

    def _begin_own_section(self, n: int, line: str) -> None:
        """Keep a section that is no phase as prose above the last line of the file."""
        self._close_phase()
        if self._into is not self._places["after"]:
            self._into = self._places["end"]
        self._into.append((n, line))

    def _begin_task(self, n: int, element: elements.TaskLine) -> None:
        if element.box is None or not element.name or self._lines[n][:1].isspace():
            self._report_task(n, element)
        self._close_task(last=False)
        if self._phase is None:
            self._begin_phase(n, None)
        self._item = _OpenTask(n + 1, element, bare=self._bare)

    def _report_task(self, n: int, element: elements.TaskLine) -> None:
        """Report what is put right in the line of a task when it is rendered again."""
        line = self._lines[n]
        if self._item and elements.is_indented(line):
            self._unread.append(UnparsedLine(n + 1, line, "task_plan_nested"))
        if not element.name:
            self._unread.append(UnparsedLine(n + 1, line, "task_plan_name"))
        elif element.box is None and syntax.MALFORMED.match(line):
            self._unread.append(UnparsedLine(n + 1, line, "task_plan_box"))

    def _close_task(self, *, last: bool) -> None:
        if self._item and self._phase:
            self._phase.items.append(self._item.close(last=last))
        self._item = None

    def _close_phase(self) -> None:
        self._close_task(last=True)
        if self._phase:
            self._sections.append(self._phase.close(self._covered))
        self._phase = None

    def _read_addition(self, n: int, line: str) -> bool:
        """Read an attribute of the task above, or a plain bullet; return False for other lines."""
        return self._read_attribute(n, line) or self._read_bullet(n, line)

    def _read_bullet(self, n: int, line: str) -> bool:
        """Begin a task with a plain bullet; return False if it is none.

        It is one below a task, or below the marked heading of a phase. Below text it is a part of
        that.
        """
        if self._item:
            is_task = not self._item.has_text
        else:
            phase = self._phase
            is_task = phase is not None and phase.is_marked and self._into is phase.below
            is_task = is_task and not any(elements.is_prose_text(above) for _, above in self._into)
        element = elements.read_bullet(line) if is_task else None
        if element:
            self._begin_task(n, element)
        return element is not None

    def _read_attribute(self, n: int, line: str) -> bool:
        """Add a line to the attributes of the task above it; return False if it is none."""
        attribute = elements.read_attribute(line)
        if attribute is None or not attribute.is_indented or self._item is None:
            return False
        if self._item.attributes.is_second(attribute):
            self._unread.append(UnparsedLine(n + 1, line, "task_plan_line_twice"))
            # As a plain line it would be applied as soon as the first one is gone.
            self._item.keep_prose(n, rejection_comment(line.strip()))
            return True
        return self._item.add_attribute(attribute, n + 1)

    def _keep_text(self, n: int, line: str) -> None:
        """Keep a line where it stands: in the description of the task above it, or as prose."""
        is_comment = n in self._frame.blocks.comments or line.lstrip().startswith(syntax.COMMENT)
        is_unread = not syntax.QUOTE.match(line) and self._report_unread(n, line)
        if self._item is None:
            self._into.append((n, line))
        elif is_comment or is_unread:
            self._item.keep_prose(n, line)
        else:
            self._item.add(n, line, is_block=n in self._covered)

    def _report_unread(self, n: int, line: str) -> bool:
        """Report a line that looks like a broken element; note what is hidden in it."""
        ids = (
            {int(mark) for mark in syntax.HIDDEN.findall(line)} if syntax.COMMENT in line else set()
        )
        self._hidden |= ids
        if n in self._covered or syntax.COMMENT in line:
            self._note_hidden(line)
        if n in self._covered or not (ids or self._is_malformed(line)):
            return False
        self._unread.append(UnparsedLine(n + 1, line))
        return True

    def _note_hidden(self, line: str) -> None:
        """Note the name of a task whose line is inside a code block or a comment."""
        bare = line.strip().removeprefix("<!--").removesuffix("-->").strip()
        element = elements.read_element(bare)
        if isinstance(element, elements.TaskLine):
            self._hidden_names.add(element.name)
            self._hidden |= {element.id} if element.id else set()

    def _is_malformed(self, line: str) -> bool:
        attribute = elements.read_attribute(line)
        if attribute is None:
            return bool(syntax.MALFORMED.match(line))
        if self._item is None or not attribute.is_indented:
            return attribute.keyword in (*syntax.KEYWORDS, *syntax.OUTCOME_KEYWORDS)
        return self._bare or elements.is_like_keyword(attribute.keyword)


def _trim(lines: Lines) -> Lines:
    """Drop blank lines at both ends."""
    full = [index for index, (_, line) in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else []


def _texts(lines: Lines) -> tuple[str, ...]:
    return tuple(line for _, line in lines)


class _Frame:
    """The lines around the phases: title, goal, progress, rules and footer, by their index.

    `own` are all of these. `plain` are the lines outside of code blocks and comments.
    `own_sections` are the headings of sections that people added for themselves.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """Find each line; a missing one is None."""
        self._lines = lines
        self.blocks = Blocks(lines)
        self.plain = [n for n in range(len(lines)) if n not in self.blocks.covered]
        read = ((n, elements.read_element(lines[n])) for n in self.plain)
        self.elements = {n: element for n, element in read if element}
        self.own_sections = self._find_own_sections()
        self._first = next(iter(self.elements), len(lines))
        self.title_at = self._find_title()
        since = -1 if self.title_at is None else self.title_at
        self.goal_at = next((n for n in self._indexes_of(syntax.OBJECTIVE) if n > since), None)
        self.progress_at = next((n for n in self._indexes_of(syntax.PROGRESS) if n > since), None)
        revisions, updated = (
            [*self._indexes_of(syntax.REVISION)],
            [*self._indexes_of(syntax.UPDATED)],
        )
        base = max(map(self._read_base, revisions), default=None)
        self.revision = base[0] if base else None
        self.mark = base[1] if base else ""
        self.updated_at = updated[-1] if updated else None
        self.own = {*revisions, *updated, *_present(self.title_at, self.progress_at)}
        self.goal = None if self.goal_at is None else self._read_goal(self.goal_at)
        self.closing_at = self._find_closing()
        self._find_rule()

    def _find_own_sections(self) -> set[int]:
        """Take headings out of the elements that have text below them, but no task or phase.

        A heading with an icon or the word `Phase:` is always that of a phase.
        """
        sections: set[int] = set()
        until = len(self._lines)
        for n in sorted(self.elements, reverse=True)[:-1]:  # never the first of all
            element = self.elements[n]
            if not isinstance(element, elements.Heading) or element.is_marked:
                break
            below = (self._lines[m] for m in range(n + 1, until))
            if not any(map(_is_text, takewhile(_is_above_footer, below))):
                break
            sections.add(n)
            until = n
        for n in sections:
            del self.elements[n]
        return sections

    @property
    def title(self) -> str | None:
        """The title of the plan; None if the file has no line for it."""
        match = None if self.title_at is None else syntax.TITLE.match(self._lines[self.title_at])
        return syntax.unescape((match[1] or "").strip()) if match else None

    @property
    def update_time(self) -> datetime | None:
        """The time in the footer; None if there is none."""
        match = (
            None if self.updated_at is None else syntax.UPDATED.match(self._lines[self.updated_at])
        )
        return times.read(match[1]) if match else None

    def _read_base(self, at: int) -> tuple[int, str]:
        match = syntax.REVISION.match(self._lines[at])
        return (int(match[1]), match[2] or "") if match else (0, "")

    def _find_title(self) -> int | None:
        """Return the first title with a goal below it, else the first above phases and tasks."""
        titles = [n for n in self._indexes_of(syntax.TITLE) if _is_title(self._lines[n])]
        for n in titles:
            following = (self._lines[m] for m in range(n + 1, len(self._lines)))
            if syntax.OBJECTIVE.match(next(filter(str.strip, following), "")):
                return n
        return next((n for n in titles if n < self._first), None)

    def _indexes_of(self, pattern: Pattern[str]) -> Iterator[int]:
        return (n for n in self.plain if pattern.match(self._lines[n]))

    def _read_goal(self, at: int) -> str:
        texts = []
        for n in range(at, len(self._lines)):
            line = self._lines[n]
            match = syntax.QUOTE.match(line) if n > at else syntax.OBJECTIVE.match(line)
            if match is None or syntax.PROGRESS.match(line):
                break
            texts.append(match[1])
            self.own.add(n)
        return syntax.unquote(texts)

    def _find_closing(self) -> int | None:
        """Return the rule above the footer, below all phases and tasks.

        In a file that was cut off it may be the last line.
        """
        if self.updated_at is None:
            last = next((n for n in reversed(self.plain) if self._lines[n].strip()), 0)
            return self._own_rule(last - 1, last + 1) if last > self._first else None
        above = max((n for n in self.elements if n < self.updated_at), default=-1)
        section = min((n for n in self.own_sections if above < n < self.updated_at), default=above)
        at = self._own_rule(above, section)  # a rule further down is the person's
        return self._own_rule(above, self.updated_at) if at is None else at

    def _find_rule(self) -> None:
        """Find the rule below title, goal and progress, above all phases and tasks."""
        header = _present(self.title_at, self.goal_at, self.progress_at)
        since = max((n for n in header if n < self._first), default=None)
        if since is not None:
            self._own_rule(since, self._first)

    def _own_rule(self, since: int, until: int) -> int | None:
        rules = (n for n in reversed(self.plain) if since < n < until and n not in self.own)
        at = next((n for n in rules if self._lines[n].rstrip() == syntax.RULE), None)
        if at is not None:
            self.own.add(at)
        return at


def _is_torn_footer(above: str, line: str) -> bool:
    """Return whether the last line of a file is the beginning of a line of our footer."""
    if above == syntax.RULE:
        pattern, begin = syntax.UPDATED, "*Last updated: "
    elif syntax.UPDATED.match(above):
        pattern, begin = syntax.REVISION, "<!-- outlast r"
    else:
        return False
    is_begin = begin.startswith(line) or line.startswith(begin)
    return bool(line) and is_begin and not pattern.match(line)


def _is_above_footer(line: str) -> bool:
    return line.rstrip() != syntax.RULE and not syntax.UPDATED.match(line)


def _is_text(line: str) -> bool:
    """Return whether a line below a heading is text: no notes, and nothing with another meaning."""
    if not line.strip() or line.lstrip().startswith(syntax.COMMENT):
        return False
    return not syntax.QUOTE.match(line) and not syntax.TITLE.match(line)


def _is_title(line: str) -> bool:
    """Return whether a heading is valid as the title of a plan; it may be blank."""
    text = line.strip().removeprefix("#").strip()
    return not text or elements.read_name(text) is not None


def _present(*indexes: int | None) -> list[int]:
    return [n for n in indexes if n is not None]
