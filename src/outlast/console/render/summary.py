"""The summary of a plan at the end of most answers: its progress and its next task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.console.call import Answer, Call, Json
from outlast.errors import OutlastError
from outlast.language import visible, with_details
from outlast.model.model import PERSON, Task
from outlast.plan.core import holder_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_RESUME_TEXTS: Final = {  # by the condition of a plan
    "interrupted": "run_continue",
    "needs_approval": "run_needs_approval",
    "paused": "run_continue",
}


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
    condition: str
    others: tuple[Task, ...] = ()

    @property
    def facts(self) -> dict[str, object]:
        """What texts say about the plan: its key, and how many of its tasks are done."""
        return {"key": visible(self.key), "done": self.done, "total": self.total}

    def as_json(self) -> Json:
        """Return the plan's progress and its next task for `--json`."""
        from outlast.console.render.json import task_json

        return {
            "plan": {
                "key": self.key,
                "title": self.title,
                "status": self.status,
                "condition": self.condition,
                "is_aborted": self.condition == "aborted",
                "done": self.done,
                "total": self.total,
            },
            "current": task_json(self.current) if self.current else None,
            "next": task_json(self.ready[0]) if self.ready else None,
            "reason": self.refusal.details.get("reason") if self.refusal else None,
        }

    def next_line(self, call: Call) -> str:
        """Return the line that says what to do next."""
        if self.current:
            return call.text("say_current", task=numbered_name(self.current))
        if not self.refusal:
            more = len(self.ready) - 1
            key = "say_next_more" if more else "say_next"
            return call.text(key, task=numbered_name(self.ready[0]), more=more)
        if self.status == "completed":
            return call.text("say_finished", **self.facts)
        if self.refusal.text == "nothing_ready_assumed":
            return call.text("say_assumed", task=self.refusal.details["ids"])
        if self.condition == "paused":
            return call.text("say_still_paused")
        from outlast.console.render.errors import error_hints, error_text

        words = visible(error_text(self.refusal, call))
        if self.others:
            tasks = [
                with_details(numbered_name(task), visible(task.actor), call.language)
                for task in self.others
            ]
            words = call.text("say_waiting", tasks=tasks)
        return "\n  ".join([words, *error_hints(self.refusal, call)])


def summarize_plan(plan: Plan) -> PlanSummary:
    """Summarize a plan for its actor."""
    moment = plan.core.now()
    return plan.core.read(lambda state: _summarize_state(state, plan.actor, moment))


def _summarize_state(state: PlanState, actor: str, moment: datetime) -> PlanSummary:
    refusal = _start_refusal(state, actor)
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
        state.condition(moment, holder_state),
        _tasks_of_others(state, refusal),
    )


def _tasks_of_others(state: PlanState, refusal: OutlastError | None) -> tuple[Task, ...]:
    """Return the tasks in progress that have to end before another can start."""
    if refusal is None or refusal.text != "nothing_ready_waiting":
        return ()
    return tuple(state.with_status("in_progress"))


def _start_refusal(state: PlanState, actor: str) -> OutlastError | None:
    """Return the error that starting a task would raise now, or None."""
    is_held = state.hold or (state.needs_approval and actor != PERSON)
    if state.tasks and not is_held and state.next_ready() is not None:
        return None
    from outlast.model.decide.preconditions import (
        nothing_ready_error,
        require_active,
        require_approved,
    )

    try:
        require_active(state)
        require_approved(state, actor)
    except OutlastError as error:
        return error
    return nothing_ready_error(state)


def numbered_name(task: Task) -> str:
    """Return a task as answers name it: `3 Write the tests`."""
    return f"{task.id} {visible(task.name)}"


def resume_lines(condition: str, call: Call) -> list[str]:
    """Return how to go on with a plan that is paused or interrupted, or needs approval."""
    key = _RESUME_TEXTS.get(condition)
    return [call.text(key, command=call.suggest("resume"))] if key else []


def answer_with_next(
    plan: Plan, call: Call, content: Callable[[], Json], head: Callable[[PlanSummary], str]
) -> Answer:
    """Return an answer that ends with the progress of the plan as it is now and its next task."""
    summary = summarize_plan(plan)
    return Answer(
        lambda: {**content(), **summary.as_json()},
        lambda: f"{head(summary)}\n{summary.next_line(call)}",
    )
