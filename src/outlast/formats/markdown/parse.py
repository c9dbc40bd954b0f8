"""A `task_plan.md` as people leave it, read line by line; odd text is no error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.formats.markdown.attributes import Attributes
from outlast.formats.markdown.document import Document, Item, Section, Unread
from outlast.formats.markdown.element import Heading, Ticked, read_element
from outlast.formats.markdown.escape import unquote
from outlast.formats.markdown.frame import Frame
from outlast.formats.markdown.marks import (
    ATTRIBUTE,
    HIDDEN,
    KEYWORDS,
    MISSHAPEN,
    QUOTE,
    SEPARATOR,
)
from outlast.formats.markdown.merge.comments import not_taken_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    Lines = list[tuple[int, str]]


def parse(text: str) -> Document:
    """Read a file, with any line ends and with or without a mark of its encoding."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n").split("\n") if text else []
    return _Reading(lines).document()


class _Open:
    """A task under way: its line, and what the lines below it say."""

    def __init__(self, line: int, element: Ticked) -> None:
        self.line = line
        self.element = element
        self.attributes = Attributes()
        self.prose: Lines = []

    def close(self, *, last: bool) -> Item:
        """Return the item; the blank line that ends a phase is not its own."""
        if last and self.prose and not self.prose[-1][1].strip():
            self.prose.pop()
        prose = tuple(line for _, line in self.prose)
        return Item(self.line, *self.element, **self.attributes.fields(), prose=prose)


class _Phase:
    """A phase under way: its line, the lines below its heading, and its tasks."""

    def __init__(self, line: int, title: str | None) -> None:
        self.line = line
        self.title = title
        self.below: Lines = []
        self.items: list[Item] = []

    def close(self, covered: set[int]) -> Section:
        """Return the section; a quotation right below the heading is its notes."""
        below = _trim(self.below)
        if below and below[0][1] == SEPARATOR:
            return Section(self.line, self.title, "", _texts(below[1:]), tuple(self.items))
        quoted = []
        for n, line in below:
            found = QUOTE.match(line)
            if found is None or n in covered:
                break
            quoted.append(found[1])
        notes = unquote(quoted) if any(map(str.strip, quoted)) else ""
        rest = _trim(below[len(quoted) :]) if notes else below
        return Section(self.line, self.title, notes, _texts(rest), tuple(self.items))


class _Reading:
    """How far a file has been read: `_into` takes the lines of people's own."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._frame = Frame(lines)
        self._covered = self._frame.blocks.covered
        self._unread = [
            Unread(n + 1, lines[n], "plan_md_unclosed") for n in self._frame.blocks.unclosed
        ]
        self._hidden: set[int] = set()
        self._hidden_names: set[str] = set()
        self._places: dict[str, Lines] = {name: [] for name in ("top", "head", "end", "after")}
        self._into = self._places["top"]
        self._sections: list[Section] = []
        self._phase: _Phase | None = None
        self._item: _Open | None = None

    def document(self) -> Document:
        """Read all lines."""
        for n, line in enumerate(self._lines):
            self._take(n, line)
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
            updated=frame.updated,
            unread=tuple(sorted(self._unread, key=lambda one: one.line)),
            hidden=frozenset(self._hidden),
            hidden_names=frozenset(self._hidden_names),
            at={name: n + 1 for name, n in named.items() if n is not None},
        )

    def _take(self, n: int, line: str) -> None:
        element = self._frame.elements.get(n)
        if n in self._frame.own:
            self._pass(n)
        elif isinstance(element, Heading):
            self._close_phase()
            self._begin_phase(n, element.title)
        elif isinstance(element, Ticked):
            self._begin_task(n, element)
        elif n in self._covered or not self._attribute(n, line):
            self._keep(n, line)

    def _pass(self, n: int) -> None:
        """Go past a line of ours: it may end what is above it."""
        frame = self._frame
        if n in (frame.closing_at, frame.updated_at):
            self._close_task(last=True)
            self._into = self._places["end" if n == frame.closing_at else "after"]
        elif n in (frame.title_at, frame.goal_at, frame.progress_at):
            self._into = self._places["head"] if self._phase is None else self._into

    def _begin_phase(self, n: int, title: str | None) -> None:
        self._phase = _Phase(n + 1, title)
        self._into = self._phase.below

    def _begin_task(self, n: int, element: Ticked) -> None:
        self._close_task(last=False)
        if self._phase is None:
            self._begin_phase(n, None)
        self._item = _Open(n + 1, element)
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

    def _attribute(self, n: int, line: str) -> bool:
        """Read a line that says something about the task above it."""
        found = ATTRIBUTE.match(line)
        if not found or not found[1] or self._item is None:
            return False
        keyword, value = found[2].lower(), found[3].strip()
        if self._item.attributes.is_said(keyword, value):
            self._unread.append(Unread(n + 1, line, "plan_md_run_twice"))
            self._into.append((n, not_taken_in(line.strip())))  # else it is read when it is alone
            return True
        return keyword in KEYWORDS and self._item.attributes.read(keyword, value, n + 1)

    def _keep(self, n: int, line: str) -> None:
        """Keep a line of somebody's own where it stands; say so if it seems to be meant for us."""
        self._into.append((n, line))
        if QUOTE.match(line):
            return
        ids = {int(found) for found in HIDDEN.findall(line)} if "<!--" in line else set()
        self._hidden |= ids
        if n in self._covered or "<!--" in line:
            self._hide(line)
        if n not in self._covered and (ids or self._seems_ours(line)):
            self._unread.append(Unread(n + 1, line))

    def _hide(self, line: str) -> None:
        """Note which task a line would be in the open."""
        bare = line.strip().removeprefix("<!--").removesuffix("-->")
        element = read_element(bare)
        if isinstance(element, Ticked):
            self._hidden_names.add(element.name)

    def _seems_ours(self, line: str) -> bool:
        found = ATTRIBUTE.match(line)
        if found:
            below = self._item is not None and found[1]
            return bool(below) or found[2].lower() in KEYWORDS
        return bool(MISSHAPEN.match(line))


def _trim(lines: Lines) -> Lines:
    """Return lines without the blank ones at both ends."""
    full = [index for index, (_, line) in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else []


def _texts(lines: Lines) -> tuple[str, ...]:
    return tuple(line for _, line in lines)
