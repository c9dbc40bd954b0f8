"""Replans: calls that change the task list of a plan after work has begun (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.errors import OutlastError
from outlast.model.costs import has_work_started
from outlast.plan.tools.arguments import check_arguments
from outlast.plan.tools.compact import open_tasks
from outlast.plan.tools.todo_write import match_tasks
from outlast.plan.tools.tool_sets import find_tool

if TYPE_CHECKING:
    from outlast.context.chat_model import Call
    from outlast.model.state import PlanState
    from outlast.plan.tools.table import PlanTool

TODO_WRITE: Final = "todo_write"
ADD_TASKS: Final = "add_tasks"
LIST_TOOLS: Final = (
    ADD_TASKS,
    TODO_WRITE,
    "addTask",
    "updateTask",
    "removeTask",
    "resetPlan",
    "initializePlan",
)


def is_replan(state: PlanState, call: Call) -> bool:
    """Return whether a call would change the task list after work has begun.

    A todo list and `add_tasks` do if they have an item that the plan does not have.
    """
    tool = find_tool(call.name) if call.name in LIST_TOOLS else None
    if tool is None or not has_work_started(state):
        return False
    return tool.name not in (TODO_WRITE, ADD_TASKS) or _adds_tasks(state, tool, call.params)


def _adds_tasks(state: PlanState, tool: PlanTool, params: object) -> bool:
    try:
        items, persist, *_ = tool.read_call(check_arguments(params))
    except OutlastError:  # the call will be refused
        return False
    if tool.name == ADD_TASKS:
        known = open_tasks(state)
        return any(task.name not in known for task in items)
    return persist and None in match_tasks(state, items)
