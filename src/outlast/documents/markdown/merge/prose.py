"""Merge prose: the lines that mean no change, by the anchor they stand at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.merge.edits import MergeContext, task_placeholder
from outlast.documents.markdown.rejected import prose_lines
from outlast.model.limits import REF_CHARACTERS
from outlast.model.model import Prose
from outlast.redact.text_fields import TEXT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


Lines = dict[str, tuple[str, ...]]
TASK: Final = "task:"
_LONGEST: Final = TEXT_BYTES // 4  # characters, of four bytes at most


class Anchors:
    """The anchors of a file by line, and the prose at each.

    `fallbacks` has the anchor above for each new task or phase.
    """

    def __init__(
        self, context: MergeContext, phases: Mapping[int, str], tasks: Mapping[int, int]
    ) -> None:
        """Visit the lines of a file from top to bottom."""
        self.by_line: dict[int, str] = {}
        self.fallbacks: dict[str, str] = {}
        self.prose: Lines = {}
        self._last = "head"
        document = context.document
        self._keep("top", document.top)
        self._keep("head", document.head)
        for section in document.sections:
            phase = phases.get(section.line)
            self._visit(section.line, None if phase is None else f"phase:{phase}", section.prose)
            for item in section.items:
                task = tasks.get(item.line, task_placeholder(item.line))
                is_there = task < 0 or task in context.current.tasks
                self._visit(item.line, f"{TASK}{task}" if is_there else None, item.prose)
        self._keep("end", document.end)
        self._keep("after", document.after)

    def _visit(self, line: int, anchor: str | None, prose: tuple[str, ...]) -> None:
        """Keep the prose below a line; without an anchor it goes to the anchor above.

        Right below a task it would be read as the description of that.
        """
        if anchor is None and self._last.startswith(TASK) and prose and prose[0].strip():
            prose = ("", *prose)
        if anchor is not None:
            if anchor.startswith((f"{TASK}-", "phase:+")):
                self.fallbacks[anchor] = self._last
            self._last = anchor
        self.by_line.setdefault(line, self._last)
        self._keep(self._last, prose)

    def _keep(self, anchor: str, prose: tuple[str, ...]) -> None:
        if prose:
            self.prose[anchor] = self.prose.get(anchor, ()) + prose


def merge_prose(context: MergeContext, prose: Lines, *, ids: bool) -> Lines:
    """Merge prose anchor by anchor.

    A line that one side deleted is dropped. Where both sides changed, the new lines of both stay.
    A file that may be cut deletes none.
    """
    base, current = prose_lines(context.base, ids=ids), prose_lines(context.current, ids=ids)
    if context.may_be_cut:
        base = {}
    merged: Lines = {}
    for anchor in dict.fromkeys((*current, *prose)):
        merged[anchor] = merge_lines(
            base.get(anchor, ()), current.get(anchor, ()), prose.get(anchor, ())
        )
    return merged


def merge_lines(
    old: tuple[str, ...], now: tuple[str, ...], edited: tuple[str, ...]
) -> tuple[str, ...]:
    """Merge the lines at one anchor."""
    if edited == old:
        return now
    if now in (old, edited):
        return edited
    known = {*old, *edited}
    return (*edited, *(line for line in now if line.strip() and line not in known))


def group_prose(prose: Iterable[Prose]) -> Lines:
    """Return prose by its anchor."""
    by_anchor: Lines = {}
    for part in prose:
        by_anchor[part.anchor] = by_anchor.get(part.anchor, ()) + part.lines
    return by_anchor


def add_comments(prose: Lines, comments: Mapping[str, Iterable[str]]) -> Lines:
    """Return prose with comments below it, each once."""
    result = dict(prose)
    for anchor, lines in comments.items():
        known = result.get(anchor, ())
        new = dict.fromkeys(line for line in lines if line not in known)
        result[anchor] = (*known, *new)
    return result


def to_prose(prose: Lines) -> tuple[Prose, ...]:
    """Return prose as the plan stores it."""
    stored: Lines = {}
    for anchor, lines in prose.items():
        place = anchor if len(anchor) <= REF_CHARACTERS else "end"
        stored[place] = stored.get(place, ()) + tuple(
            part for line in lines for part in _parts(line)
        )
    trimmed = ((anchor, _trim(anchor, lines)) for anchor, lines in stored.items())
    return tuple(Prose(anchor, lines) for anchor, lines in trimmed if lines)


def _parts(line: str) -> Iterator[str]:
    """Yield a line in parts that are short enough to be stored."""
    yield line[:_LONGEST]
    for start in range(_LONGEST, len(line), _LONGEST):
        yield line[start : start + _LONGEST]


def _trim(anchor: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Drop blank lines at both ends; below a task they stay, they may separate it from the next."""
    if anchor.startswith(TASK):
        return lines
    full = [index for index, line in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else ()
