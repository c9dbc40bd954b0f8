"""The compact tools: few, with short schemas and one-line answers whatever the plan's size.

An answer names the next task by its number only: the plan block of every request has its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.application.tools import arguments as k
from outlast.application.tools.advance import commit_and_start_next, complete_and_start_next
from outlast.application.tools.plan_read import cut, plan_read
from outlast.application.tools.table import Parameter, PlanTool
from outlast.application.tools.todo_write import TODOS, todo_write
from outlast.domain import commands as c
from outlast.domain.changes import TaskAdded
from outlast.domain.limits import check_flag, check_name, check_ref
from outlast.domain.model import CATEGORIES, MAX_RETRIES
from outlast.errors import InvalidArgument, ToolFailed
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.application.plan.plan import Plan
    from outlast.application.tools.advance import Position
    from outlast.application.tools.arguments import Json, Readers, Ref
    from outlast.domain.changes import Commit
    from outlast.domain.model import Category
    from outlast.domain.state import PlanState

ASK_USER: Final = "ask_user"


# Arguments


class RequestedTask(Struct, frozen=True):
    """A task to add; `needs` are ids of tasks, or names of others in the same call."""

    name: str
    needs: tuple[int | str, ...] = ()


def _read_requested(value: object, argument: str) -> tuple[RequestedTask, ...]:
    tasks = []
    for index, item in enumerate(k.read_list(value, argument)):
        where = f"{argument}[{index}]"
        fields: Json = {"name": item}
        if type(item) is not str:
            fields = k.read_fields(item, where, _REQUESTED_FIELDS)
        if "name" not in fields:
            raise InvalidArgument("field_missing", argument=f"{where}.name")
        tasks.append(RequestedTask(check_name(fields["name"], where), fields.get("needs", ())))
    return tuple(tasks)


_REQUESTED_FIELDS: Final[Readers] = {"name": check_name, "needs": k.read_needs}

NUMBER: Final = k.Kind({"type": "integer"})
FALSE: Final = k.Kind({"type": "boolean", "default": False}, check_flag)
CATEGORY: Final = k.Kind({"type": "string", "enum": list(CATEGORIES)})
REQUESTED_TASKS: Final = k.Kind(
    {
        "type": "array",
        "items": {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "needs": {"type": "array", "items": {"type": ["integer", "string"]}},
                    },
                    "required": ["name"],
                },
            ]
        },
    },
    _read_requested,
)


# Handlers


def add_tasks(plan: Plan, tasks: tuple[RequestedTask, ...], insert_after: Ref | None) -> str:
    """Add tasks, and start the next one if the actor has none in progress."""
    if not tasks:
        raise InvalidArgument("field_missing", argument="tasks[0].name")
    new = c.AddTasks(plan.core.read(lambda state: _new_tasks(state, tasks)), insert_after)
    ids, position = commit_and_start_next(plan.core, (new,), _new_ids)
    return _delta("delta_added", position, ids=_range(ids))


def complete_task(plan: Plan, task: Ref, result: str) -> str:
    """Complete a task and start the next one."""
    position = complete_and_start_next(plan.core, check_ref(task, "task"), result)
    return _delta("delta_completed", position)


def fail_task(plan: Plan, task: Ref, error: str, retry: bool) -> str:  # noqa: FBT001 - as the table says
    """Record a failed attempt and start the next task, which may be the same one."""
    command = c.Fail(task, plan.actor, error, retry)
    failed, position = commit_and_start_next(
        plan.core, (command,), lambda state, _: state.task(task)
    )
    if failed.status == "failed":
        return _delta("delta_failed", position, task=failed.id)
    tries = {"tries": failed.retry_count, "limit": MAX_RETRIES}
    return _delta("delta_retried", position, task=failed.id, **tries)


def skip_task(plan: Plan, task: Ref, reason: str) -> str:
    """Skip a task and start the next one."""
    command = c.Skip(task, reason)
    skipped, position = commit_and_start_next(
        plan.core, (command,), lambda state, _: state.task(task)
    )
    return _delta("delta_skipped", position, task=skipped.id)


def set_progress(plan: Plan, task: Ref, current: int, total: int) -> str:
    """Record how many parts of a task are done."""
    changed = plan.set_progress(task, current, total)
    return text("delta_progress", task=changed.id, current=current, total=total)


def findings_write(plan: Plan, category: Category, title: str, content: str, source: str) -> str:
    """Save a finding (R4.10)."""
    finding = plan.notes.add_finding(category, title, content, source)
    return text("finding_saved", category=finding.category, title=cut(finding.title), id=finding.id)


def ask_user(_plan: Plan, _question: str) -> str:
    """Fail: only a loop knows whether a person can answer, so it handles this tool itself."""
    raise ToolFailed("tool_missing", tool=ASK_USER)


def _delta(key: str, position: Position, **values: object) -> str:
    """Return one line: what changed, how much of the plan is done, and the next task."""
    done, total = position.progress.current, position.progress.total
    return f"{text(key, done=done, total=total, **values)} {_next_task(position)}"


def _next_task(position: Position) -> str:
    if position.status == "paused":
        return text("delta_paused")
    if position.current is not None:
        return text("delta_now", task=position.current.id)
    if position.status == "completed":
        return text("delta_finished")
    return text("delta_stuck" if position.status == "failed" else "delta_waiting")


def _new_ids(_state: PlanState, commit: Commit) -> list[int]:
    return [change.task.id for change in commit.changes if isinstance(change, TaskAdded)]


def _range(ids: Sequence[int]) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{ids[0]}-{ids[-1]}"


def _new_tasks(state: PlanState, tasks: Sequence[RequestedTask]) -> tuple[c.NewTask, ...]:
    """Resolve what the tasks need: each other, or tasks of the plan, by id or name."""
    peers = k.peer_positions((task.name for task in tasks), state.next_id)
    existing = k.ids_by_name(state, (ref for task in tasks for ref in task.needs))
    new = []
    for index, task in enumerate(tasks):
        needs, positions = k.split_needs(task.needs, peers, existing, f"tasks[{index}].needs")
        new.append(c.NewTask(name=task.name, needs=needs, peers=positions))
    return tuple(new)


# The table

_TASK: Final = Parameter("task", NUMBER, "Number of the task.")

COMPACT: Final = (
    PlanTool(
        "add_tasks",
        "Add tasks to the plan. `needs`: ids or names of tasks to be done first.",
        add_tasks,
        (
            Parameter("tasks", REQUESTED_TASKS, ""),
            Parameter(
                "insert_after", NUMBER, "Id of the task to insert after; default: at the end.", None
            ),
        ),
        lean=True,
    ),
    PlanTool(
        "complete_task",
        "Mark a task as done; the next one is started.",
        complete_task,
        (_TASK, Parameter("result", k.TEXT, "The outcome, in short.")),
        lean=True,
    ),
    PlanTool(
        "fail_task",
        "Report that an attempt at a task failed.",
        fail_task,
        (
            _TASK,
            Parameter("error", k.TEXT, ""),
            Parameter("retry", k.FLAG, "Whether to try again; default true.", default=True),
        ),
        lean=True,
    ),
    PlanTool(
        "skip_task",
        "Skip a task that is not needed.",
        skip_task,
        (_TASK, Parameter("reason", k.TEXT, "")),
        lean=True,
    ),
    PlanTool(
        "set_progress",
        "Record that `current` of `total` parts of a task are done.",
        set_progress,
        (_TASK, Parameter("current", NUMBER, ""), Parameter("total", NUMBER, "")),
        lean=True,
    ),
    PlanTool(
        "plan_read",
        "Read the current task plan from task_plan.md. "
        "Use this to review your progress and objectives.",
        plan_read,
        (
            Parameter(
                "includeCompleted",
                FALSE,
                "Include completed steps in output (default: false)",
                default=False,
            ),
        ),
        lean=True,
    ),
    PlanTool(
        "findings_write",
        "Save important findings and research notes to findings.md. "
        "Use this to persist discoveries that should not be lost.",
        findings_write,
        (
            Parameter("category", CATEGORY, "Category of the finding"),
            Parameter("title", k.TEXT, "Brief title for the finding"),
            Parameter("content", k.TEXT, "Detailed content of the finding"),
            Parameter("source", k.TEXT, "Source file or URL (optional)", ""),
        ),
        lean=True,
    ),
    PlanTool(
        "todo_write",
        "Create or update a todo list to track task progress. "
        "Set persist=true to save to task_plan.md file for long-term tracking.",
        todo_write,
        (
            Parameter("todos", TODOS, "Array of todo items"),
            Parameter(
                "persist", FALSE, "Save to task_plan.md file (default: false)", default=False
            ),
            Parameter(
                "planTitle",
                k.TEXT,
                "Title for the plan (required when persist=true for new plans)",
                None,
            ),
        ),
        lean=True,
        keyed=False,
    ),
    PlanTool(
        ASK_USER,
        "Ask the user a question that only they can answer; the work waits.",
        ask_user,
        (Parameter("question", k.TEXT, ""),),
        lean=True,
    ),
)
