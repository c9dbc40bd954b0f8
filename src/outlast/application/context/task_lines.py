"""The steps of a plan, one per line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import escape
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.domain.model import Task, TaskStatus
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

GOAL: Final = 200
NAME: Final = 60
_ICONS: Final[dict[TaskStatus, str]] = {
    "completed": "✓",
    "in_progress": "⏳",
    "pending": "⏸",
    "failed": "✗",
    "skipped": "⊘",
}

Show = Callable[[str, int], str]


def current_step(plan: PlanView, language: Language, limit: int = NAME, show: Show = escape) -> str:
    """Return the current step on one line."""
    task = plan.current
    if task is None:
        return text("summary_no_step", language)
    return text("summary_step", language, id=task.id, name=show(task.name, limit))


def step_lines(
    tasks: Iterable[Task], language: Language, limit: int = NAME, show: Show = escape
) -> Iterator[str]:
    """Return steps, one per line."""
    return (_step_line(task, language, show(task.name, limit)) for task in tasks)


def hidden_line(count: int, language: Language) -> tuple[str, ...]:
    """Return a line with the number of steps not shown; nothing if that is 0."""
    return (text("summary_hidden", language, count=count),) if count > 0 else ()


def _step_line(task: Task, language: Language, name: str) -> str:
    line = f"{task.id}. {_ICONS[task.status]} {name}"
    if task.status == "in_progress":
        return " ".join((line, text("step_running", language)))
    if task.status == "pending":
        return " ".join((line, text("step_waiting", language)))
    return line
