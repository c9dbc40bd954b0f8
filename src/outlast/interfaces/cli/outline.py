"""The plan as plain lines, one a task, for pipes and programs that read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.formats.graph_text import ICONS
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.texts import Language


_STYLES: Final = {
    "pending": "default",
    "in_progress": "bold cyan",
    "completed": "green",
    "failed": "bold red",
    "skipped": "dim strike",
}


def outline(state: PlanState, language: Language) -> str:
    """Return the plan phase by phase, each task with its state and what it waits for."""
    return "\n".join([heading(state), *_lines(state, language)])


def heading(state: PlanState) -> str:
    """Return the line that stands above the tasks."""
    done = f"{state.finished}/{len(state.tasks)}"
    return f"{visible(state.title)}  {done} {state.status}  [{visible(state.key)}]"


def _lines(state: PlanState, language: Language) -> Iterator[str]:
    phase = None if len(state.phases) > 1 else next(iter(state.phases), None)
    for task in state.in_order():
        if task.phase != phase:
            phase = task.phase
            yield visible(state.phases[phase].title)
        yield "  " + "".join(part for part, _ in pieces(state, task, language))


def pieces(state: PlanState, task: Task, language: Language) -> Iterator[tuple[str, str]]:
    """Yield the parts of a task's line, each with the style that it has on a terminal.

    Who works on it is said where several are at work.
    """
    waits = state.blocked_by(task)
    style = _STYLES[task.status]
    yield f"{ICONS[task.status]} ", style
    yield f"{task.id} ", "dim"
    yield visible(task.name), "dim" if waits else style
    if waits:
        yield "  " + text("waits", language, ids=waits), "dim italic"
    if task.status == "in_progress" and len(state.busy) > 1:
        yield f"  @{visible(task.actor)}", "dim cyan"
    if task.result:
        yield f"  → {visible(task.result)}", "dim green"
    elif task.error:
        yield f"  ! {visible(task.error)}", "red"
