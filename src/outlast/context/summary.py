"""The progress summary of a plan (R0.10), for people and at the start of the brief; its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from outlast.context.escape import escape, one_line
from outlast.language import Language, text

if TYPE_CHECKING:
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Task, TaskStatus

GOAL: Final = 200
NAME: Final = 60
_ACTOR: Final = 10
ICONS: Final[dict[TaskStatus, str]] = {
    "completed": "✓",
    "in_progress": "⏳",
    "pending": "⏸",
    "failed": "✗",
    "skipped": "⊘",
}
Show = Callable[[str, Any], str]  # with a limit in characters or tokens


def current_step(
    plan: PlanView, language: Language, limit: float = NAME, show: Show = escape
) -> str:
    """Return the current step on one line."""
    task = plan.current
    if task is None:
        return text("summary_no_step", language)
    return text("summary_step", language, id=task.id, name=show(task.name, limit))


def step_lines(
    tasks: Iterable[Task],
    plan: PlanView,
    language: Language,
    limit: float = NAME,
    show: Show = escape,
) -> Iterator[str]:
    """Return steps, one per line: what each waits for, and who works on it."""
    for task in tasks:
        line = f"{task.id}. {ICONS[task.status]} {show(task.name, limit)}"
        if task.status in ("in_progress", "pending"):
            line += f" {_step_state(task, plan, language, show)}"
        elif task.is_assumed:
            line = f"{line} " + text("step_assumed", language)
        yield line


def hidden_line(count: int, language: Language) -> tuple[str, ...]:
    """Return a line with the number of steps not shown; nothing if that is 0."""
    return (text("summary_hidden", language, count=count),) if count > 0 else ()


def _step_state(task: Task, plan: PlanView, language: Language, show: Show) -> str:
    if task.status == "in_progress":
        if task.actor in ("", plan.actor):
            return text("step_running", language)
        return text("step_taken", language, actor=show(task.actor, _ACTOR))
    needs = plan.unmet_needs.get(task.id)
    if needs:
        return text("step_blocked", language, needs=", ".join(map(str, needs)))
    return text("step_waiting", language)


def progress_summary(  # noqa: PLR0913 - one for each thing that can be shortened
    plan: PlanView,
    limit: int,
    language: Language = "en",
    show: Show = one_line,
    *,
    goal: str | None = None,
    name_limit: int = NAME,
) -> str:
    """Return the document's progress summary; for people, unless `show` escapes for models.

    `goal` is how the goal is shown; without it, on one line. Without a `limit` of iterations, none
    is shown.
    """
    used = plan.iteration_count
    iterations = "summary_iterations" if limit else "summary_iterations_only"
    lines = [
        text("summary_goal", language, goal=show(plan.goal, GOAL) if goal is None else goal),
        text("summary_progress", language, done=plan.done, total=plan.total),
        *((text("summary_unapproved", language),) if plan.needs_approval else ()),
        current_step(plan, language, name_limit, show) + _progress_suffix(plan),
        text(iterations, language, used=used, limit=limit),
        "",
        text("summary_steps", language),
        *step_lines(plan.tasks, plan, language, name_limit, show),
        *hidden_line(plan.total - len(plan.tasks), language),
    ]
    return "\n".join(lines)


def _progress_suffix(plan: PlanView) -> str:
    reached = plan.current.progress if plan.current else None
    return f" ({reached.current}/{reached.total})" if reached else ""
