"""The outline of any Markdown: its sections, and what begins the items of the lists in them.

Each dialect says which lines are headings and which begin an item, and what their marks mean. Only
`task_plan.md`, which is also rendered again as it was, has a grammar of its own (`elements`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.documents.markdown.blocks import Blocks

Kind = Literal["ordered", "box", "bullet"]
TAB: Final = 4
BULLET: Final = r"(?:[-*+]|\d{1,9}[.)])"
_HEADING: Final = re.compile(r" {0,3}(#{1,6})\s+(\S.*)")


class Heading(NamedTuple):
    """The level of a heading, and its text."""

    level: int
    title: str


class Mark(NamedTuple):
    """What begins an item, how far it is indented, and the text to the right of it.

    Of a box, the character in it, and whether a star follows it.
    """

    kind: Kind
    indent: int
    text: str
    box: str = ""
    has_star: bool = False


class Section:
    """A heading, or the begin of the text, with what stands below it up to the next heading.

    Its own lines are those from the index `start` to `own`; with the sections below it, to `end`.
    `marks` are by the index of their lines.
    """

    parent: Self | None = None  # the one of a lower level that it is in

    def __init__(self, level: int, title: str, start: int, end: int) -> None:
        """Begin a section that has all lines up to the end of the text."""
        self.level, self.title = level, title
        self.start, self.own, self.end = start, end, end
        self.marks: dict[int, Mark] = {}


S = TypeVar("S", bound=Section)


def read_sections(
    make: Callable[[int, str, int, int], S],
    lines: Sequence[str],
    blocks: Blocks,
    heading_at: Callable[[int], Heading | None],
    read_mark: Callable[[str], Mark | None],
) -> list[S]:
    """Return the sections of a text; the first one has no heading.

    The lines of blocks neither begin a section nor an item.
    """
    size = len(lines)
    sections = [make(0, "", 0, size)]
    for index, line in enumerate(lines):
        if not line or index in blocks.covered:
            continue
        heading = heading_at(index)
        if heading:
            above = sections[-1]
            above.own = index
            while above.parent and above.level >= heading.level:
                above.end = index
                above = above.parent
            sections.append(make(*heading, index + 1, size))
            sections[-1].parent = above
        elif mark := read_mark(line):
            sections[-1].marks[index] = mark
    return sections


def read_heading(line: str) -> Heading | None:
    """Return the heading that signs begin in a line, without the signs that may close it."""
    match = _HEADING.match(line)
    if match is None:
        return None
    title = match[2].strip()
    bare = title.rstrip("#")
    return Heading(len(match[1]), bare.strip() if bare[-1:].isspace() else title)
