"""Where a file has what stands around its phases: title, goal, progress, rules, last lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.formats import times
from outlast.formats.markdown.blocks import Blocks
from outlast.formats.markdown.element import read_element, read_name
from outlast.formats.markdown.escape import unescape, unquote
from outlast.formats.markdown.marks import (
    OBJECTIVE,
    PROGRESS,
    QUOTE,
    REVISION,
    RULE,
    TITLE,
    UPDATED,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from re import Pattern


class Frame:
    """The lines of a file by index: `own` are ours and neither phase nor task, `plain` can be."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Find them all; what is missing is None."""
        self._lines = lines
        self.blocks = Blocks(lines)
        self.plain = [n for n in range(len(lines)) if n not in self.blocks.covered]
        found = ((n, read_element(lines[n])) for n in self.plain)
        self.elements = {n: element for n, element in found if element}
        self._first = next(iter(self.elements), len(lines))
        self.title_at = self._find_title()
        since = -1 if self.title_at is None else self.title_at
        self.goal_at = next((n for n in self._matching(OBJECTIVE) if n > since), None)
        self.progress_at = next((n for n in self._matching(PROGRESS) if n > since), None)
        revisions, updated = [*self._matching(REVISION)], [*self._matching(UPDATED)]
        self.revision = max((self._number(n) for n in revisions), default=None)
        self.updated_at = updated[-1] if updated else None
        self.own = {*revisions, *updated, *_there(self.title_at, self.progress_at)}
        self.goal = None if self.goal_at is None else self._read_goal(self.goal_at)
        self.closing_at = self._find_closing()
        self._find_rule()

    @property
    def title(self) -> str | None:
        """What the plan is called; None if the file has no line for it."""
        found = None if self.title_at is None else TITLE.match(self._lines[self.title_at])
        return unescape((found[1] or "").strip()) if found else None

    @property
    def updated(self) -> datetime | None:
        """When the plan was changed last; None if the file does not say so."""
        found = None if self.updated_at is None else UPDATED.match(self._lines[self.updated_at])
        return times.read(found[1]) if found else None

    def _number(self, at: int) -> int:
        found = REVISION.match(self._lines[at])
        return int(found[1]) if found else 0

    def _find_title(self) -> int | None:
        """Return the first title with a goal below it, else the first above phases and tasks."""
        titles = [n for n in self._matching(TITLE) if _is_title(self._lines[n])]
        for n in titles:
            following = (self._lines[m] for m in range(n + 1, len(self._lines)))
            if OBJECTIVE.match(next(filter(str.strip, following), "")):
                return n
        return next((n for n in titles if n < self._first), None)

    def _matching(self, pattern: Pattern[str]) -> Iterator[int]:
        return (n for n in self.plain if pattern.match(self._lines[n]))

    def _read_goal(self, at: int) -> str:
        said = []
        for n in range(at, len(self._lines)):
            line = self._lines[n]
            found = QUOTE.match(line) if n > at else OBJECTIVE.match(line)
            if found is None or PROGRESS.match(line):
                break
            said.append(found[1])
            self.own.add(n)
        return unquote(said)

    def _find_closing(self) -> int | None:
        """Return the rule above the last line, below all phases and tasks."""
        if self.updated_at is None:
            return None
        above = max((n for n in self.elements if n < self.updated_at), default=-1)
        return self._own_rule(above, self.updated_at)

    def _find_rule(self) -> None:
        """Find the rule below title, goal and progress, above all phases and tasks."""
        found = _there(self.title_at, self.goal_at, self.progress_at)
        since = max((n for n in found if n < self._first), default=None)
        if since is not None:
            self._own_rule(since, self._first)

    def _own_rule(self, since: int, until: int) -> int | None:
        rules = (n for n in reversed(self.plain) if since < n < until and n not in self.own)
        at = next((n for n in rules if self._lines[n].rstrip() == RULE), None)
        if at is not None:
            self.own.add(at)
        return at


def _is_title(line: str) -> bool:
    """Tell whether a heading can be what a plan is called; it may be blank."""
    text = line.strip().removeprefix("#").strip()
    return not text or read_name(text) is not None


def _there(*found: int | None) -> list[int]:
    return [n for n in found if n is not None]
