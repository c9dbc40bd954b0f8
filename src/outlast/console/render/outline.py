"""The plan as plain lines, one a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from outlast.language import STATUS_ICONS, Language, status_words, text, visible
from outlast.model.model import LABEL_TEXTS, MAIN, Label, Phase, Task
from outlast.plan.core import holder_state

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.state import PlanState

Labels = Mapping[int, Label]

_STYLES: Final = {
    "pending": "default",
    "in_progress": "bold cyan",
    "completed": "green",
    "failed": "bold red",
    "skipped": "dim strike",
}
_MARKS: Final[dict[Label, str]] = {
    "proved": "✔ ",
    "passes now": "✔ ",
    "fails now": "✖ ",
    "unknown": "? ",
}
RESULT_MARKS: Final = {True: "✔", False: "✖", None: "?"}  # of a check
_HOLDS: Final[dict[Label, str]] = {
    "proved": "green",
    "passes now": "green",
    "proved (was green)": "yellow",
    "proved (not seen red)": "yellow",
    "assumed": "yellow",
    "unproved": "yellow",
    "unknown": "yellow",
}


def outline(
    state: PlanState, language: Language, moment: datetime, labels: Labels | None = None
) -> str:
    """Return the plan phase by phase, each task with its status and what it waits for."""
    return "\n".join(
        [heading(state, language, moment), *_task_lines(state, language, labels or {})]
    )


def heading(state: PlanState, language: Language, moment: datetime) -> str:
    """Return the line above the tasks."""
    done = f"{state.finished_count}/{len(state.tasks)}"
    status = status_words(state.condition(moment, holder_state), language)
    return f"{visible(state.title)}  {done} {status}  [{visible(state.key)}]"


def _task_lines(state: PlanState, language: Language, labels: Labels) -> Iterator[str]:
    phase = None if len(state.phases) > 1 else next(iter(state.phases), None)
    for task in state.tasks_in_order():
        if task.phase != phase:
            phase = task.phase
            yield phase_title(state.phases[phase], language)
        parts = task_parts(state, task, language, labels.get(task.id, ""))
        yield "  " + "".join(part for part, _ in parts)


def phase_title(phase: Phase, language: Language) -> str:
    """Return the title of a phase, the default one in the language of the reader."""
    return text("main_phase", language) if phase == MAIN else visible(phase.title)


def task_parts(
    state: PlanState, task: Task, language: Language, label: Label = ""
) -> Iterator[tuple[str, str]]:
    """Yield the parts of a task's line, each with its style on a terminal.

    The actor is shown if several are at work or it is not the agent of the last run, the label if
    it says more than `reported`.
    """
    waits = state.blocked_by(task)
    style = _STYLES[task.status]
    yield f"{STATUS_ICONS[task.status]} ", style
    yield f"{task.id} ", "dim"
    yield visible(task.name), "dim" if waits else style
    if waits:
        yield "  " + text("waits", language, ids=waits), "dim italic"
    if task.status == "in_progress" and _shows_actor(state, task):
        yield f"  @{visible(task.actor)}", "dim cyan"
    if label and label != "reported":
        yield (
            f"  {_MARKS.get(label, '')}{text(LABEL_TEXTS[label], language)}",
            _HOLDS.get(label, "red"),
        )
    if task.result or task.error:
        from outlast.console.render.shorten import first_line

        if task.result:
            yield f"  → {first_line(task.result)}", "dim green"
        else:
            yield f"  ! {first_line(task.error or '')}", "red"


def _shows_actor(state: PlanState, task: Task) -> bool:
    if state.last_run is None:
        return len(state.tasks_by_actor) > 1
    actor = state.last_run.actor
    if task.actor == f"{actor}/{task.id}":  # on the lane of the task
        return False
    return len(state.tasks_by_actor) > 1 or task.actor != actor
