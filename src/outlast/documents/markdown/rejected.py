"""Rejected edits, kept in the file as comments until they apply or a person deletes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.elements import (
    Attributes,
    Heading,
    TaskLine,
    read_attribute,
    read_element,
    reference_words,
    shown_result,
    shown_status,
    split_words,
)
from outlast.documents.markdown.syntax import KEYWORDS, OUTCOME_KEYWORDS, escape, unescape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.model.model import Phase, Prose, Task
    from outlast.model.state import PlanState

_BEGIN: Final = "<!-- outlast: not applied: "
_BEGINNINGS: Final = (_BEGIN, "<!-- outlast: not taken in: ")  # the second one in older plans
_COMMENT: Final = re.compile(rf"(?:{'|'.join(_BEGINNINGS)})(.*) -->\Z")


def rejection_comment(line: str) -> str:
    """Return the comment that keeps a rejected line."""
    return f"{_BEGIN}{escape(line).replace('-->', '--&#62;')} -->"


def prose_lines(state: PlanState, *, ids: bool) -> dict[str, tuple[str, ...]]:
    """Return prose by its anchor, without comments on edits that the plan fulfils by now."""
    by_anchor: dict[str, tuple[str, ...]] = {}
    for prose in state.notes.prose:
        lines = prose.lines
        if any(line.startswith(_BEGINNINGS) for line in lines):
            lines = tuple(_without_obsolete(state, prose.anchor, lines, ids=ids))
        by_anchor[prose.anchor] = by_anchor.get(prose.anchor, ()) + lines
    return {anchor: lines for anchor, lines in by_anchor.items() if lines}


def lines_by_people(prose: Iterable[Prose]) -> list[str]:
    """Return the lines of prose that are no comments on rejected edits."""
    return [line for part in prose for line in part.lines if not line.startswith(_BEGINNINGS)]


def is_fulfilled(state: PlanState, anchor: str, line: str, *, ids: bool = True) -> bool:
    """Return whether the plan already is as a line at this anchor asks for."""
    kind, _, name = anchor.partition(":")
    if kind == "task":
        task = state.tasks.get(int(name))
        return task is not None and (
            _is_line_of(task, line)
            or _is_attribute_of(state, task, line, ids=ids)
            or line in map(str.strip, task.description.split("\n"))
        )
    if kind == "phase":
        phase = state.phases.get(name)
        return phase is not None and (_is_heading_of(phase, line) or line == phase.notes)
    return kind == "head" and line in (state.goal, state.title)


def has_status(state: PlanState, anchor: str, line: str) -> bool:
    """Return whether a task has the status that its line shows, whatever its name."""
    element, task = read_element(line), state.tasks.get(int(anchor.partition(":")[2]))
    return (
        isinstance(element, TaskLine) and task is not None and shown_status(element) == task.status
    )


def _without_obsolete(
    state: PlanState, anchor: str, lines: Iterable[str], *, ids: bool
) -> Iterator[str]:
    """Yield lines except comments on edits that the plan fulfils.

    What follows the comment on a task's line is about that task, which may be gone: it stays as
    long as that comment does.
    """
    is_below_task_line = False
    for line in lines:
        comment = _COMMENT.match(line)
        rejected = unescape(comment[1]) if comment else ""
        is_task_line = comment is not None and isinstance(read_element(rejected), TaskLine)
        if comment is None or is_task_line:
            is_below_task_line = False
        if comment and not is_below_task_line and is_fulfilled(state, anchor, rejected, ids=ids):
            continue
        is_below_task_line = is_below_task_line or is_task_line
        yield line


def _is_heading_of(phase: Phase, line: str) -> bool:
    element = read_element(line)
    return isinstance(element, Heading) and element.title == phase.title


def _is_line_of(task: Task, line: str) -> bool:
    element = read_element(line)
    if not isinstance(element, TaskLine):
        return False
    if (element.box, element.icon) == ("pending", "completed"):  # either may have been the edit
        return False
    return element.name == task.name and shown_status(element) == task.status


def _is_attribute_of(state: PlanState, task: Task, line: str, *, ids: bool) -> bool:
    attribute, attributes = read_attribute(line), Attributes((*KEYWORDS, *OUTCOME_KEYWORDS))
    if attribute is None or not attributes.add(attribute, 0):
        return False
    fields, keyword = attributes.fields(), attribute.keyword
    if keyword == "check":
        return fields["checks"][0] in task.checks
    if keyword == "needs":
        words = reference_words(state, ids=ids)
        return split_words(fields["needs"]) == tuple(words[need] for need in task.needs)
    if keyword == "result":
        return fields["result"] in (task.result, shown_result(task.result))
    if keyword == "status":
        return task.is_assumed
    return bool(fields[keyword] == getattr(task, keyword))
