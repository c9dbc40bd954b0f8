"""What a person wrote and did not get: a comment, kept until it holds or they take it out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.formats.markdown.attributes import Attributes
from outlast.formats.markdown.element import Ticked, read_element
from outlast.formats.markdown.escape import escape, unescape
from outlast.formats.markdown.marks import ATTRIBUTE, KEYWORDS
from outlast.formats.markdown.merge.status import said_status
from outlast.formats.markdown.references import written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.model import Prose, Task
    from outlast.domain.state import PlanState

_BEGIN: Final = "<!-- outlast: not taken in: "
_COMMENT: Final = re.compile(rf"{_BEGIN}(.*) -->\Z")


def not_taken_in(said: str) -> str:
    """Write what a person wanted and did not get, as a comment."""
    return f"{_BEGIN}{escape(said).replace('-->', '--&#62;')} -->"


def people_lines(state: PlanState, *, ids: bool) -> dict[str, tuple[str, ...]]:
    """Return people's own lines by their places, without comments that hold by now."""
    found: dict[str, tuple[str, ...]] = {}
    for prose in state.notes.prose:
        lines = prose.lines
        if any(line.startswith(_BEGIN) for line in lines):
            lines = tuple(x for x in lines if not _holds(state, prose.anchor, x, ids=ids))
        found[prose.anchor] = found.get(prose.anchor, ()) + lines
    return {anchor: lines for anchor, lines in found.items() if lines}


def written_by_people(prose: Iterable[Prose]) -> list[str]:
    """Return the lines that are no comments of ours."""
    return [line for one in prose for line in one.lines if not line.startswith(_BEGIN)]


def is_so(state: PlanState, anchor: str, said: str, *, ids: bool = True) -> bool:
    """Tell whether a plan is as a person says at some place of the file."""
    kind, _, name = anchor.partition(":")
    if kind == "task":
        task = state.tasks.get(int(name))
        return task is not None and (
            _is_line_of(task, said) or _is_attribute_of(state, task, said, ids=ids)
        )
    if kind == "phase":
        phase = state.phases.get(name)
        return phase is not None and (read_element(said) == (phase.title,) or said == phase.notes)
    return kind == "head" and said in (state.goal, state.title)


def is_standing(state: PlanState, anchor: str, said: str) -> bool:
    """Tell whether a task has the state that its line shows, whatever it is called."""
    found, task = read_element(said), state.tasks.get(int(anchor.partition(":")[2]))
    return isinstance(found, Ticked) and task is not None and said_status(found) == task.status


def _holds(state: PlanState, anchor: str, line: str, *, ids: bool) -> bool:
    found = _COMMENT.match(line)
    return found is not None and is_so(state, anchor, unescape(found[1]), ids=ids)


def _is_line_of(task: Task, said: str) -> bool:
    found = read_element(said)
    if not isinstance(found, Ticked) or (found.icon == "completed" and not found.box):
        return False  # of box and icon either may have been meant
    return found.name == task.name and said_status(found) == task.status


def _is_attribute_of(state: PlanState, task: Task, said: str, *, ids: bool) -> bool:
    found = ATTRIBUTE.match(said)
    keyword = found[2].lower() if found else ""
    read = Attributes()
    if found is None or keyword not in KEYWORDS or not read.read(keyword, found[3].strip(), 0):
        return False
    fields = read.fields()
    if keyword == "check":
        return fields["checks"][0] in task.checks
    if keyword == "after":
        words = written(state, ids=ids)
        return bool(fields["after"] == tuple(words[one] for one in task.needs))
    return bool(fields[keyword] == getattr(task, keyword))
