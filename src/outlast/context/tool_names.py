"""The names under which a model is offered the plan's tools, for texts that mention them."""

from __future__ import annotations

from typing import Final

ToolNames = dict[str, str]

# The full set has no tool that saves a finding.
TOOL_NAMES: Final[dict[str, ToolNames]] = {
    "default": {
        "add": "add_tasks",
        "complete": "complete_task",
        "fail": "fail_task",
        "skip": "skip_task",
        "read": "plan_read",
        "details": "plan_details",
        "note": "findings_write",
    },
    "full": {
        "add": "addTask",
        "complete": "completeTask",
        "fail": "failTask",
        "skip": "skipTask",
        "read": "getTaskList",
        "details": "plan_details",
        "note": "",
    },
}
