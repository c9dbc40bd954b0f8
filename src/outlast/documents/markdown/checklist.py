"""Render a plan as a plain checklist: headings, and a box for each task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.documents.markdown.syntax import STATUSES, escape, escape_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.model import Task
    from outlast.model.state import PlanState


def render(state: PlanState) -> str:
    """Return the checklist; `markdown.parse` reads it."""
    return "\n".join(_lines(state)) + "\n"


def _lines(state: PlanState) -> Iterator[str]:
    yield f"# {escape(state.title)}"
    for phase in state.phases.values():
        tasks = [task for task in state.tasks_in_order() if task.phase == phase.id]
        yield ""
        if len(state.phases) > 1:
            yield from (f"## {escape(phase.title)}", "")
        yield from map(_line, tasks)


def _line(task: Task) -> str:
    name = escape_name(task.name)
    if name[0] in STATUSES:  # it would be read as the icon of the task
        name = f"&#{ord(name[0])};{name[1:]}"
    return f"- [{'x' if task.finished else ' '}] {name}"
