"""People's own lines: where they stand in the file, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.limits import REF_CHARACTERS, TEXT_BYTES
from outlast.domain.model import Prose
from outlast.formats.markdown.merge.comments import people_lines
from outlast.formats.markdown.merge.placeholder import new_task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from outlast.formats.markdown.merge.context import Sides

Lines = dict[str, tuple[str, ...]]
TASK: Final = "task:"
_LONGEST: Final = TEXT_BYTES // 4  # whatever characters it is of


class Anchors:
    """The places of a file: which line has which, and what stands there.

    `instead` has for a task or a phase that is not there yet the place above it.
    """

    def __init__(self, sides: Sides, phases: Mapping[int, str], tasks: Mapping[int, int]) -> None:
        """Go through a file from top to bottom."""
        self.by_line: dict[int, str] = {}
        self.instead: dict[str, str] = {}
        self.prose: Lines = {}
        self._last = "head"
        document = sides.document
        self._keep("top", document.top)
        self._keep("head", document.head)
        for section in document.sections:
            phase = phases.get(section.line)
            self._pass(section.line, None if phase is None else f"phase:{phase}", section.prose)
            for item in section.items:
                task = tasks.get(item.line, new_task(item.line))
                is_there = task < 0 or task in sides.current.tasks
                self._pass(item.line, f"{TASK}{task}" if is_there else None, item.prose)
        self._keep("end", document.end)
        self._keep("after", document.after)

    def _pass(self, line: int, anchor: str | None, prose: tuple[str, ...]) -> None:
        """Keep what stands below a line; what is gone leaves it to the place above."""
        if anchor is not None:
            if anchor.startswith((f"{TASK}-", "phase:+")):
                self.instead[anchor] = self._last
            self._last = anchor
        self.by_line.setdefault(line, self._last)
        self._keep(self._last, prose)

    def _keep(self, anchor: str, prose: tuple[str, ...]) -> None:
        if prose:
            self.prose[anchor] = self.prose.get(anchor, ()) + prose


def merge_prose(sides: Sides, prose: Lines, *, ids: bool) -> Lines:
    """Return people's lines of both sides, place by place.

    A line that was taken out on one side goes; where both sides have changed, what is new on
    either is kept.
    """
    base, current = people_lines(sides.base, ids=ids), people_lines(sides.current, ids=ids)
    found: Lines = {}
    for anchor in dict.fromkeys((*current, *prose)):
        old, now = base.get(anchor, ()), current.get(anchor, ())
        said = prose.get(anchor, ())
        found[anchor] = (
            now if said == old else said if now in (old, said) else _both(old, now, said)
        )
    return found


def _both(old: tuple[str, ...], now: tuple[str, ...], said: tuple[str, ...]) -> tuple[str, ...]:
    known = {*old, *said}
    return (*said, *(line for line in now if line.strip() and line not in known))


def gathered(prose: Iterable[Prose]) -> Lines:
    """Return people's lines by their places."""
    found: Lines = {}
    for one in prose:
        found[one.anchor] = found.get(one.anchor, ()) + one.lines
    return found


def with_comments(prose: Lines, comments: Mapping[str, Iterable[str]]) -> Lines:
    """Return people's lines with what was not taken in below them, each once."""
    found = dict(prose)
    for anchor, lines in comments.items():
        there = found.get(anchor, ())
        new = dict.fromkeys(line for line in lines if line not in there)
        found[anchor] = (*there, *new)
    return found


def to_prose(prose: Lines) -> tuple[Prose, ...]:
    """Return people's lines as the plan keeps them."""
    found: Lines = {}
    for anchor, lines in prose.items():
        place = anchor if len(anchor) <= REF_CHARACTERS else "end"
        found[place] = found.get(place, ()) + tuple(part for line in lines for part in _parts(line))
    trimmed = ((anchor, _trim(anchor, lines)) for anchor, lines in found.items())
    return tuple(Prose(anchor, lines) for anchor, lines in trimmed if lines)


def _parts(line: str) -> Iterator[str]:
    """Yield a line in parts that are not too long to be kept."""
    yield line[:_LONGEST]
    for start in range(_LONGEST, len(line), _LONGEST):
        yield line[start : start + _LONGEST]


def _trim(anchor: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Leave blank lines at the ends out; below a task they may part it from the next."""
    if anchor.startswith(TASK):
        return lines
    full = [index for index, line in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else ()
