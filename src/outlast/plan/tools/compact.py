"""The compact tools: few, with short schemas and one-line answers whatever the plan's size.

An answer names the next task by its number only: the plan block of every request has its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.errors import InvalidArgument, ToolFailed
from outlast.language import text
from outlast.model import commands as c
from outlast.model.changes import Commit, TaskAdded
from outlast.model.limits import check_flag, check_name, check_ref, check_text
from outlast.model.model import CATEGORIES, MAX_RETRIES, Category
from outlast.plan.tools import plan_tool as k
from outlast.plan.tools.advance import Position, commit_and_start_next, complete_and_start_next
from outlast.plan.tools.plan_read import cut, plan_details, plan_read, read_page
from outlast.plan.tools.plan_tool import Json, Parameter, PlanTool, Readers, Ref
from outlast.plan.tools.todo_write import TODOS, todo_write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

ASK_USER: Final = "ask_user"
PROPOSE_GOAL: Final = "propose_goal"


# Arguments


class RequestedTask(Struct, frozen=True):
    """A task to add; `needs` are ids of tasks, or names of others in the same call."""

    name: str
    needs: tuple[int | str, ...] = ()
    description: str = ""


def _read_requested(value: object, argument: str) -> tuple[RequestedTask, ...]:
    tasks = []
    for index, item in enumerate(k.read_list(value, argument)):
        where = f"{argument}[{index}]"
        fields: Json = {"name": item}
        if type(item) is not str:
            fields = k.read_fields(item, where, _REQUESTED_FIELDS)
        if "name" not in fields:
            raise InvalidArgument("field_missing", argument=f"{where}.name")
        fields["name"] = check_name(fields["name"], where)
        tasks.append(RequestedTask(**fields))
    return tuple(tasks)


_REQUESTED_FIELDS: Final[Readers] = {
    "name": check_name,
    "needs": k.read_needs,
    "description": check_text,
}

NUMBER: Final = k.Kind({"type": "integer"})
FALSE: Final = k.Kind({"type": "boolean", "default": False}, check_flag)
TOPIC: Final = k.Kind({"type": "string"}, check_ref)
PAGE: Final = k.Kind({"type": "integer"}, read_page)
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
                        "description": {"type": "string"},
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
    """Add tasks, and start the next one if the actor has none in progress.

    A task with the name of an open one is not added again.
    """
    if not tasks:
        raise InvalidArgument("field_missing", argument="tasks[0].name")
    order, kept, new = plan.core.read(lambda state: _compare(state, tasks))
    commands = (*order, c.AddTasks(new, insert_after))
    ids, position = commit_and_start_next(plan.core, commands, _new_ids)
    added = _delta("delta_added" if ids else "delta_completed", position, ids=_range(ids))
    return " ".join((text("delta_kept", ids=kept), added)) if kept else added


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
    """Save a finding (R4.10); the answer names the file, if the plan has it."""
    finding = plan.notes.add_finding(category, title, content, source)
    has_file = any(path.endswith("findings.md") for path in plan.files.paths())
    key = "finding_saved" if has_file else "finding_kept"
    return text(key, category=finding.category, title=cut(finding.title), id=finding.id)


def ask_user(_plan: Plan, _question: str) -> str:
    """Fail: only a loop knows whether a person can answer, so it handles this tool itself."""
    raise ToolFailed("tool_missing", tool=ASK_USER)


def propose_goal(_plan: Plan, _goal: str) -> str:
    """Fail: a loop asks a person itself."""
    raise ToolFailed("tool_missing", tool=PROPOSE_GOAL)


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
    if position.assumed_end is not None:
        return text("delta_assumed", task=position.assumed_end.id)
    return text("delta_stuck" if position.status == "failed" else "delta_waiting")


def _new_ids(_state: PlanState, commit: Commit) -> list[int]:
    return [change.task.id for change in commit.changes if isinstance(change, TaskAdded)]


def _range(ids: Sequence[int]) -> str:
    return f"{ids[0]}-{ids[-1]}" if len(ids) > 1 else "".join(map(str, ids))


def _compare(
    state: PlanState, tasks: Sequence[RequestedTask]
) -> tuple[tuple[c.Command, ...], list[int], tuple[c.NewTask, ...]]:
    """Return how to set the plan's order, which open tasks are asked for again, and the new ones.

    The first tasks of an agent's plan are done in turn, unless one says what it needs.
    """
    is_first = state.begun and not state.tasks
    in_turn = is_first and not any(task.needs for task in tasks)
    order = (c.EditPlan(order="sequential"),) if in_turn else ()
    known = open_tasks(state)
    kept = sorted({known[task.name] for task in tasks if task.name in known})
    return order, kept, _new_tasks(state, [task for task in tasks if task.name not in known])


def open_tasks(state: PlanState) -> dict[str, int]:
    """Return the numbers of the unfinished tasks by their names."""
    return {task.name: task.id for task in state.tasks.values() if not task.finished}


def _new_tasks(state: PlanState, tasks: Sequence[RequestedTask]) -> tuple[c.NewTask, ...]:
    """Resolve what the tasks need: each other, or tasks of the plan, by id or name."""
    peers = k.peer_positions((task.name for task in tasks), state.next_id)
    existing = k.ids_by_name(state, (ref for task in tasks for ref in task.needs))
    new = []
    for index, task in enumerate(tasks):
        needs, positions = k.split_needs(task.needs, peers, existing, f"tasks[{index}].needs")
        new.append(
            c.NewTask(name=task.name, needs=needs, peers=positions, description=task.description)
        )
    return tuple(new)


# The table

_TASK: Final = Parameter("task", NUMBER, "")  # a name that needs no description

DETAILS: Final = PlanTool(
    "plan_details",
    "Read whole texts of the plan: descriptions, results, findings, errors, what people said.",
    plan_details,
    (
        Parameter(
            "about",
            TOPIC,
            "A task number, or goal, tasks, findings, errors, messages.",
            other_name="task",
        ),
        Parameter("page", PAGE, "", 1),
    ),
    lean=True,
)

COMPACT: Final = (
    PlanTool(
        "add_tasks",
        "Add tasks to the plan. `needs`: ids or names of tasks to be done first.",
        add_tasks,
        (
            Parameter("tasks", REQUESTED_TASKS, ""),
            Parameter("insert_after", NUMBER, "Default: at the end.", None),
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
            Parameter("retry", k.FLAG, "Default: true.", default=True),
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
    DETAILS,
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
)

# Only a loop knows whether a person can answer: it offers these tools and handles them itself.
LOOP_TOOLS: Final = (
    PlanTool(
        ASK_USER,
        "Ask the user a question that only they can answer; the work waits.",
        ask_user,
        (Parameter("question", k.TEXT, ""),),
        lean=True,
    ),
    PlanTool(
        PROPOSE_GOAL,
        "Propose a new goal for the plan when the user changes it; the user confirms.",
        propose_goal,
        (Parameter("goal", k.TEXT, "The whole new goal."),),
        lean=True,
    ),
)
