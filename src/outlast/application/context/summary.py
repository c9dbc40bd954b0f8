"""Where a plan stands, for a model that has not seen the work so far, and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.escape import escape, plain
from outlast.application.context.task_lines import GOAL, current, hidden, steps
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.application.context.task_lines import Show
    from outlast.domain.model import Attempt
    from outlast.ports.effects import PlanView
    from outlast.ports.tool import Settlement
    from outlast.texts import Language

Settled = tuple["Attempt", "Settlement"]


def progress_summary(
    plan: PlanView, limit: int, language: Language = "en", show: Show = plain
) -> str:
    """Return the document's summary of how far a plan is; for people, unless told otherwise."""
    goal, used = show(plan.goal, GOAL), plan.iteration_count
    lines = [
        text("summary_goal", language, goal=goal),
        text("summary_progress", language, done=plan.done, total=plan.total),
        current(plan, language, show=show) + _progress(plan),
        text("summary_iterations", language, used=used, limit=limit),
        "",
        text("summary_steps", language),
        *steps(plan.tasks, language, show=show),
        *hidden(plan.total - len(plan.tasks), language),
    ]
    return "\n".join(lines)


def resume_summary(
    plan: PlanView, limit: int, language: Language = "en", settled: Iterable[Settled] = ()
) -> str:
    """Say where a plan stands, what was done for its current step, and what people answered."""
    told = tuple(settled)
    summary = progress_summary(plan, limit, language, escape)
    return "\n".join((summary, *_done(plan, told, language), *_answers(plan, language)))


def _progress(plan: PlanView) -> str:
    reached = plan.current.progress if plan.current else None
    return f" ({reached.current}/{reached.total})" if reached else ""


def _done(plan: PlanView, settled: tuple[Settled, ...], language: Language) -> Iterator[str]:
    known = {attempt.id for attempt, _ in settled}
    for done in plan.already:
        if done.id not in known:
            yield text("already_done", language, what=escape(done.what, GOAL))
    for attempt, found in settled:
        key = "settled_done" if found == "done" else "settled_not_done"
        yield text(key, language, what=escape(attempt.what, GOAL))


def _answers(plan: PlanView, language: Language) -> Iterator[str]:
    for one in plan.answered:
        asked, said = escape(one.text, GOAL), escape(one.answer or "", GOAL)
        yield text("answered_question", language, question=asked, answer=said)
