"""Summaries of a plan, for a model that has not seen the work and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.escape import escape, one_line
from outlast.application.context.task_lines import GOAL, current_step, hidden_line, step_lines
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.application.context.task_lines import Show
    from outlast.domain.model import Attempt
    from outlast.ports.effects import PlanView
    from outlast.ports.tool import Settlement
    from outlast.texts import Language

SettledAttempt = tuple["Attempt", "Settlement"]


def progress_summary(
    plan: PlanView, limit: int, language: Language = "en", show: Show = one_line
) -> str:
    """Return the document's progress summary; for people, unless `show` escapes for models."""
    goal, used = show(plan.goal, GOAL), plan.iteration_count
    lines = [
        text("summary_goal", language, goal=goal),
        text("summary_progress", language, done=plan.done, total=plan.total),
        current_step(plan, language, show=show) + _progress_suffix(plan),
        text("summary_iterations", language, used=used, limit=limit),
        "",
        text("summary_steps", language),
        *step_lines(plan.tasks, plan, language, show=show),
        *hidden_line(plan.total - len(plan.tasks), language),
    ]
    return "\n".join(lines)


def resume_summary(
    plan: PlanView, limit: int, language: Language = "en", settled: Iterable[SettledAttempt] = ()
) -> str:
    """Return the progress, the work done for the current step, and the answers of people."""
    pairs = tuple(settled)
    summary = progress_summary(plan, limit, language, escape)
    return "\n".join((summary, *_work_lines(plan, pairs, language), *_answer_lines(plan, language)))


def _progress_suffix(plan: PlanView) -> str:
    reached = plan.current.progress if plan.current else None
    return f" ({reached.current}/{reached.total})" if reached else ""


def _work_lines(
    plan: PlanView, settled: tuple[SettledAttempt, ...], language: Language
) -> Iterator[str]:
    settled_ids = {attempt.id for attempt, _ in settled}
    for work in plan.recent_work:
        if work.id not in settled_ids:
            yield text("already_done", language, what=escape(work.what, GOAL))
    for attempt, settlement in settled:
        key = "settled_done" if settlement == "done" else "settled_not_done"
        yield text(key, language, what=escape(attempt.what, GOAL))


def _answer_lines(plan: PlanView, language: Language) -> Iterator[str]:
    for question in plan.answered:
        asked, answer = escape(question.text, GOAL), escape(question.answer or "", GOAL)
        yield text("answered_question", language, question=asked, answer=answer)
