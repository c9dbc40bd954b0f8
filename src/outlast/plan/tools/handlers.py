"""The handlers of R2: call `Plan` and return the document's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.documents.json.extension import task_object
from outlast.language import text
from outlast.model.limits import check_ref, check_text
from outlast.model.model import PERSON
from outlast.plan.tools.arguments import resolve_needs

if TYPE_CHECKING:
    from outlast.model.commands import NewTask
    from outlast.model.model import Task
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

Json = dict[str, Any]
Ref = int | str


def get_current_task(plan: Plan) -> Json | None:
    """Return the actor's task in progress."""
    return plan.core.read(lambda state: _current(state, plan.actor))


def start_next_task(plan: Plan) -> Json:
    """Start the first task that is ready."""
    task = plan.start()
    return {
        "task": _read_task_json(plan, task),
        "message": text("started", task_id=task.id, name=task.name),
    }


def complete_task(plan: Plan, task_id: Ref, result: str) -> Json:
    """Complete a task; while the plan is paused not even for a person (R2.08)."""
    if plan.core.actor == PERSON:
        from outlast.model.decide.preconditions import require_active

        check_ref(task_id, "task_id")
        check_text(result, "result")
        plan.core.read(require_active)
    task = plan.complete(task_id, result)
    return {"task_id": task.id, "message": text("completed")}


def fail_task(plan: Plan, task_id: Ref, error_message: str, should_retry: bool) -> Json:  # noqa: FBT001 - the document's third argument
    """Record a failed attempt."""
    task = plan.fail(task_id, error_message, retry=should_retry)
    will_retry = task.status == "pending"
    return {
        "task_id": task.id,
        "will_retry": will_retry,
        "retry_count": task.retry_count,
        "message": text("retried" if will_retry else "failed"),
    }


def add_task(  # noqa: PLR0913, PLR0917 - the arguments of the tool
    plan: Plan,
    name: str,
    dependencies: tuple[Ref, ...],
    reasoning: str,
    after_task_id: Ref | None,
    description: str,
) -> Json:
    """Add a task."""
    needs = _needs(plan, dependencies, "dependencies")
    task = plan.add(name, needs, reasoning, insert_after=after_task_id, description=description)
    return {"new_task": _read_task_json(plan, task), "message": text("added")}


def update_task(plan: Plan, task_id: Ref, updates: Json) -> Json:
    """Change a task."""
    if "needs" in updates:
        updates["needs"] = _needs(plan, updates["needs"], "updates.dependencies")
    task = plan.update(task_id, **updates)
    return {"updated_task": _read_task_json(plan, task), "message": text("updated")}


def skip_task(plan: Plan, task_id: Ref, reason: str) -> Json:
    """Skip a task."""
    task = plan.skip(task_id, reason)
    return {"task_id": task.id, "message": text("skipped", reason=reason)}


def remove_task(plan: Plan, task_id: Ref) -> Json:
    """Remove a task."""
    return {"task_id": plan.remove(task_id), "message": text("removed")}


def reopen_task(plan: Plan, task_id: Ref, reason: str) -> Json:
    """Reopen a task."""
    task = plan.reopen(task_id, reason)
    return {"task_id": task.id, "message": text("reopened")}


def get_task_list(plan: Plan, status_filter: str | None) -> Json:
    """List tasks."""
    return plan.core.read(lambda state: _task_list(state, status_filter))


def get_plan_status(plan: Plan) -> Json:
    """Return the plan's status in figures."""
    return plan.core.read(lambda state: _figures(state, plan.actor))


def get_task_by_id(plan: Plan, task_id: Ref) -> Json:
    """Return one task."""
    return plan.core.read(
        lambda state: {"task": _task_json(state, state.task(check_ref(task_id, "task")))}
    )


def get_executable_task_list(plan: Plan) -> Json:
    """List the tasks that can start now."""
    tasks = [task_object(task, ()) for task in plan.ready()]
    return {"executable_tasks": tasks, "count": len(tasks)}


def pause_plan(plan: Plan) -> Json:
    """Pause the plan."""
    plan.pause()
    return {"message": text("paused")}


def resume_plan(plan: Plan) -> Json:
    """Resume the plan."""
    plan.resume()
    return {"message": text("resumed")}


def reset_plan(plan: Plan) -> Json:
    """Make every task pending again."""
    return {"message": text("reset"), "reset_tasks": plan.reset()}


def initialize_plan(plan: Plan, goal: str, tasks: tuple[NewTask, ...]) -> Json:
    """Give the plan its goal and tasks."""
    new = plan.initialize(goal, tasks)
    tasks_json = plan.core.read(lambda state: [_task_json(state, task) for task in new])
    return {"tasks": tasks_json, "total": len(tasks_json), "message": text("initialized")}


def _needs(plan: Plan, refs: tuple[Ref, ...], argument: str) -> tuple[Ref, ...]:
    """Return ids for what a task needs; a model may name a task instead."""
    if all(type(ref) is int for ref in refs):
        return refs
    return plan.core.read(lambda state: resolve_needs(state, refs, argument))


def _current(state: PlanState, actor: str) -> Json | None:
    task = state.current_task(actor)
    return None if task is None else task_object(state.tasks[task], ())


def _figures(state: PlanState, actor: str) -> Json:
    counts, done = state.counts, state.progress
    return {
        "status": state.status,
        "progress": done.current / done.total if done.total else 0.0,
        "current_task_id": state.current_task(actor),
        "total_tasks": done.total,
        "completed_tasks": counts["completed"],
        "failed_tasks": counts["failed"],
        "pending_tasks": counts["pending"],
        "in_progress_tasks": counts["in_progress"],
        "skipped_tasks": counts["skipped"],
        "blocked_tasks": counts["pending"] - len(state.graph.ready),
    }


def _task_list(state: PlanState, status: str | None) -> Json:
    tasks = [_task_json(state, task) for task in state.with_status(status)]
    return {"tasks": tasks, "total": len(state.tasks), "filtered": len(tasks)}


def _read_task_json(plan: Plan, task: Task) -> Json:
    if task.status != "pending":
        return task_object(task, ())
    return plan.core.read(lambda state: _task_json(state, task))


def _task_json(state: PlanState, task: Task) -> Json:
    return task_object(task, state.blocked_by(task))
