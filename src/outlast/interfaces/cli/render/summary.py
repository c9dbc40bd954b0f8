"""The summary of a plan at the end of most answers: its progress and its next task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.domain.model import Task
from outlast.errors import OutlastError
from outlast.texts import explain, visible

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


class PlanSummary(Struct, frozen=True):
    """The state of a plan at one moment, as the next worker needs it."""

    key: str
    title: str
    status: str
    done: int
    total: int
    current: Task | None
    ready: tuple[Task, ...]
    refusal: OutlastError | None


def summarize_plan(plan: Plan) -> PlanSummary:
    """Summarize a plan for its actor."""
    return plan.core.read(lambda state: _summarize_state(state, plan.actor))


def _summarize_state(state: PlanState, actor: str) -> PlanSummary:
    refusal = _start_refusal(state)
    ready = () if refusal else tuple(map(state.tasks.__getitem__, state.ready_tasks()))
    return PlanSummary(
        state.key,
        state.title,
        state.status,
        state.finished_count,
        len(state.tasks),
        state.tasks.get(state.current_task(actor) or 0),
        ready,
        refusal,
    )


def _start_refusal(state: PlanState) -> OutlastError | None:
    """Return the error that starting a task would raise now, or None."""
    if state.tasks and not state.hold and state.next_ready() is not None:
        return None
    from outlast.domain.decide.preconditions import nothing_ready_error, require_active

    try:
        require_active(state)
    except OutlastError as error:
        return error
    return nothing_ready_error(state)


def numbered_name(task: Task) -> str:
    """Return a task as answers name it: `3 Write the tests`."""
    return f"{task.id} {visible(task.name)}"


def next_line(summary: PlanSummary, call: Call) -> str:
    """Return the line that says what to do next."""
    if summary.current:
        return call.text("say_current", task=numbered_name(summary.current))
    if not summary.refusal:
        more = len(summary.ready) - 1
        key = "say_next_more" if more else "say_next"
        return call.text(key, task=numbered_name(summary.ready[0]), more=more)
    if summary.status == "completed":
        return call.text("say_finished", total=summary.total, key=visible(summary.key))
    if summary.refusal.text == "nothing_ready_assumed":
        return call.text("say_assumed", task=summary.refusal.details["ids"])
    return visible(explain(summary.refusal, call.language))


def next_json(summary: PlanSummary) -> Json:
    """Return the plan's progress and its next task for `--json`."""
    from outlast.interfaces.cli.render.json import task_json

    return {
        "plan": {
            "key": summary.key,
            "title": summary.title,
            "status": summary.status,
            "done": summary.done,
            "total": summary.total,
        },
        "current": task_json(summary.current) if summary.current else None,
        "next": task_json(summary.ready[0]) if summary.ready else None,
        "reason": summary.refusal.details.get("reason") if summary.refusal else None,
    }
