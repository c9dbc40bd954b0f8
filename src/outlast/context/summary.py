"""The progress summary of a plan (R0.10), for people and as the start of the brief."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.context.escape import one_line
from outlast.context.task_lines import GOAL, NAME, current_step, hidden_line, step_lines
from outlast.language import text

if TYPE_CHECKING:
    from outlast.context.plan_view import PlanView
    from outlast.context.task_lines import Show
    from outlast.language import Language


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
