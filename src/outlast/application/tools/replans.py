"""Which calls change the list of tasks of a plan on which work has begun (X4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.tools.envelope import named_only
from outlast.application.tools.sets import find_tool
from outlast.application.tools.todo_write import matched
from outlast.domain.costs import is_worked_on
from outlast.errors import OutlastError
from outlast.formats.redact.engine import redact_value

if TYPE_CHECKING:
    from outlast.application.tools.table import Tool
    from outlast.domain.state import PlanState
    from outlast.ports.model import Call

TODO_WRITE: Final = "todo_write"
LISTING: Final = (
    "add_tasks",
    TODO_WRITE,
    "addTask",
    "updateTask",
    "removeTask",
    "resetPlan",
    "initializePlan",
)


def is_replanning(state: PlanState, call: Call) -> bool:
    """Tell whether a call would change the list of tasks, or begin it anew, in the midst of work.

    A todo list does where it has something in it that the plan has not.
    """
    tool = find_tool(call.name) if call.name in LISTING else None
    if tool is None or not is_worked_on(state):
        return False
    return tool.name != TODO_WRITE or _adds(state, tool, call.params)


def _adds(state: PlanState, tool: Tool, params: object) -> bool:
    try:
        items, persist, _ = tool.read((), named_only(redact_value(params)))
    except OutlastError:  # which will be refused
        return False
    return persist and None in matched(state, items)
