"""The handlers of R2: call `Plan` and return the document's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.documents.json.extension import task_object
from outlast.language import text
from outlast.model.limits import check_ref, check_text, json_words
from outlast.model.model import PERSON, Task
from outlast.plan.tools import plan_tool as k
from outlast.plan.tools.plan_tool import Parameter, PlanTool, resolve_needs

if TYPE_CHECKING:
    from outlast.errors import OutlastError
    from outlast.model.commands import NewTask
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

Envelope = dict[str, Any]
# Parameters that R2 names differently from the commands.
_PARAMETERS: Final = {
    "error": "error_message",
    "insert_after": "after_task_id",
    "needs": "dependencies",
    "retry": "should_retry",
    "status": "status_filter",
    "task": "task_id",
}
Json = dict[str, Any]
Ref = int | str


def refusal(error: OutlastError) -> Envelope:
    """Return the envelope of a refused call."""
    error = _with_parameter_name(json_words(error))
    return {
        "success": False,
        "error": {"code": error.code, "message": str(error), "details": error.short_details()},
    }


def _with_parameter_name(error: OutlastError) -> OutlastError:
    """Name the argument as R2 does, in the details and so in the message.

    An error with `takes` is about the call itself and has the name that the caller used.
    """
    place, dot, name = str(error.details.get("argument", "")).rpartition(".")
    if name not in _PARAMETERS or "takes" in error.details:
        return error
    details = {**error.details, "argument": f"{place}{dot}{_PARAMETERS[name]}"}
    return type(error)(error.text, **details)


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


_TASK: Final = Parameter("task_id", k.TASK_ID, "Id of the task.")

TOOLS: Final = (
    PlanTool("getCurrentTask", "Get the task you have in progress.", get_current_task),
    PlanTool(
        "startNextTask",
        "Start the first task whose dependencies are finished. You can have one task in progress.",
        start_next_task,
    ),
    PlanTool(
        "completeTask",
        "Mark a task as completed.",
        complete_task,
        (_TASK, Parameter("result", k.TEXT, "What was achieved.")),
    ),
    PlanTool(
        "failTask",
        "Report a failed attempt. By default the task is retried up to three times.",
        fail_task,
        (
            _TASK,
            Parameter("error_message", k.TEXT, "What went wrong."),
            Parameter("should_retry", k.FLAG, "Whether to try again.", default=True),
        ),
    ),
    PlanTool(
        "addTask",
        "Add a task to the plan.",
        add_task,
        (
            Parameter("name", k.NAME, "What to do, in one line."),
            Parameter("dependencies", k.TASK_IDS, "Tasks that must be finished first.", ()),
            Parameter("reasoning", k.TEXT, "Why it is needed.", ""),
            Parameter("after_task_id", k.TASK_ID, "Task to insert it after in the list.", None),
            Parameter("description", k.TEXT, "More about it, in any number of lines.", ""),
        ),
    ),
    PlanTool(
        "updateTask",
        "Change name, dependencies, reasoning or description of a task not in progress.",
        update_task,
        (_TASK, Parameter("updates", k.UPDATES, "The fields to change.")),
    ),
    PlanTool(
        "skipTask",
        "Skip a task; tasks that depend on it can start.",
        skip_task,
        (_TASK, Parameter("reason", k.TEXT, "Why it is not needed.")),
    ),
    PlanTool(
        "removeTask", "Remove a pending task that no other depends on.", remove_task, (_TASK,)
    ),
    PlanTool(
        "getTaskList",
        "List all tasks, or those with one status.",
        get_task_list,
        (Parameter("status_filter", k.FILTER, "Only tasks with this status.", None),),
    ),
    PlanTool("getPlanStatus", "Get the status and progress of the plan.", get_plan_status),
    PlanTool("getTaskById", "Get one task.", get_task_by_id, (_TASK,)),
    PlanTool(
        "getExecutableTaskList", "List the tasks that can be started now.", get_executable_task_list
    ),
    PlanTool("pausePlan", "Pause the plan.", pause_plan),
    PlanTool("resumePlan", "Resume a paused plan.", resume_plan),
    PlanTool("resetPlan", "Put every task back to pending and clear all results.", reset_plan),
    PlanTool(
        "initializePlan",
        "Set the goal and the tasks of a new plan. "
        "Dependencies name other tasks of the list by 1-based position or by name.",
        initialize_plan,
        (
            Parameter("goal", k.TEXT, "What the plan is to achieve."),
            Parameter("tasks", k.NEW_TASKS, "The tasks, in order."),
        ),
    ),
    PlanTool(
        "reopenTask",
        "Reopen a failed, completed or skipped task.",
        reopen_task,
        (_TASK, Parameter("reason", k.TEXT, "Why it is needed again.")),
    ),
)
