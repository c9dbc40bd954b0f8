"""What each tool does: ask `Plan`, and say it in the document's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.application.plan.queries import chosen
from outlast.domain.limits import check_ref
from outlast.formats.json.manager_task import task_object
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.application.plan.advance import Advancing
    from outlast.domain.commands import NewTask
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState

Json = dict[str, Any]
Ref = int | str


def get_current_task(plan: Advancing) -> Json | None:
    """Return the actor's task in progress."""
    return plan.read(lambda state: _current(state, plan.actor))


def start_next_task(plan: Advancing) -> Json:
    """Start the first task that may run."""
    task = plan.start()
    return {
        "task": _object(plan, task),
        "message": text("started", task_id=task.id, name=task.name),
    }


def complete_task(plan: Advancing, task_id: Ref, result: str) -> Json:
    """Finish a task."""
    task = plan.complete(task_id, result)
    return {"task_id": task.id, "message": text("completed")}


def fail_task(plan: Advancing, task_id: Ref, error_message: str, should_retry: bool) -> Json:  # noqa: FBT001 - the document's third argument
    """Note a failed attempt."""
    task = plan.fail(task_id, error_message, retry=should_retry)
    will_retry = task.status == "pending"
    return {
        "task_id": task.id,
        "will_retry": will_retry,
        "retry_count": task.retry_count,
        "message": text("retried" if will_retry else "failed"),
    }


def add_task(
    plan: Advancing,
    name: str,
    dependencies: tuple[Ref, ...],
    reasoning: str,
    after_task_id: Ref | None,
) -> Json:
    """Add a task."""
    task = plan.add(name, dependencies, reasoning, insert_after=after_task_id)
    return {"new_task": _object(plan, task), "message": text("added")}


def update_task(plan: Advancing, task_id: Ref, updates: Json) -> Json:
    """Change a task."""
    task = plan.update(task_id, **updates)
    return {"updated_task": _object(plan, task), "message": text("updated")}


def skip_task(plan: Advancing, task_id: Ref, reason: str) -> Json:
    """Leave a task out."""
    task = plan.skip(task_id, reason)
    return {"task_id": task.id, "message": text("skipped", reason=reason)}


def remove_task(plan: Advancing, task_id: Ref) -> Json:
    """Remove a task."""
    return {"task_id": plan.remove(task_id), "message": text("removed")}


def reopen_task(plan: Advancing, task_id: Ref, reason: str) -> Json:
    """Take a task up again."""
    task = plan.reopen(task_id, reason)
    return {"task_id": task.id, "message": text("reopened")}


def get_task_list(plan: Advancing, status_filter: str | None) -> Json:
    """List tasks."""
    return plan.read(lambda state: _listing(state, status_filter))


def get_plan_status(plan: Advancing) -> Json:
    """Say where the plan stands, in figures."""
    return plan.read(lambda state: _figures(state, plan.actor))


def get_task_by_id(plan: Advancing, task_id: Ref) -> Json:
    """Return one task."""
    return plan.read(
        lambda state: {"task": _shown(state, state.task(check_ref(task_id, "task_id")))}
    )


def get_executable_task_list(plan: Advancing) -> Json:
    """List the tasks that may start now."""
    tasks = [task_object(task, ()) for task in plan.ready()]
    return {"executable_tasks": tasks, "count": len(tasks)}


def pause_plan(plan: Advancing) -> Json:
    """Pause."""
    plan.pause()
    return {"message": text("paused")}


def resume_plan(plan: Advancing) -> Json:
    """Resume."""
    plan.resume()
    return {"message": text("resumed")}


def reset_plan(plan: Advancing) -> Json:
    """Reset."""
    return {"message": text("reset"), "reset_tasks": plan.reset()}


def initialize_plan(plan: Advancing, goal: str, tasks: tuple[NewTask, ...]) -> Json:
    """Begin with a goal and tasks."""
    new = plan.initialize(goal, tasks)
    made = plan.read(lambda state: [_shown(state, task) for task in new])
    return {"tasks": made, "total": len(made), "message": text("initialized")}


def _current(state: PlanState, actor: str) -> Json | None:
    task = state.current(actor)
    return None if task is None else task_object(state.tasks[task], ())


def _figures(state: PlanState, actor: str) -> Json:
    counts, done = state.counts, state.progress
    return {
        "status": state.status,
        "progress": done.current / done.total if done.total else 0.0,
        "current_task_id": state.current(actor),
        "total_tasks": done.total,
        "completed_tasks": counts["completed"],
        "failed_tasks": counts["failed"],
        "pending_tasks": counts["pending"],
        "in_progress_tasks": counts["in_progress"],
        "skipped_tasks": counts["skipped"],
        "blocked_tasks": counts["pending"] - len(state.graph.ready),
    }


def _listing(state: PlanState, status: str | None) -> Json:
    tasks = [_shown(state, task) for task in chosen(state, status)]
    return {"tasks": tasks, "total": len(state.tasks), "filtered": len(tasks)}


def _object(plan: Advancing, task: Task) -> Json:
    if task.status != "pending":
        return task_object(task, ())
    return plan.read(lambda state: _shown(state, task))


def _shown(state: PlanState, task: Task) -> Json:
    return task_object(task, state.blocked_by(task))
