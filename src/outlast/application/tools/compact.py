"""The other half of the table: few tools with short names, which answer in one line."""

from __future__ import annotations

from typing import Final

from outlast.application.tools import arguments as k
from outlast.application.tools import compact_arguments as x
from outlast.application.tools import compact_handlers as d
from outlast.application.tools.plan_read import findings_write, plan_read
from outlast.application.tools.table import Parameter, Tool
from outlast.application.tools.todo_write import todo_write

ASK_USER: Final = "ask_user"
_TASK: Final = Parameter("task", x.NUMBER, "Number of the task.")

COMPACT: Final = (
    Tool(
        "add_tasks",
        "Add tasks to the plan. `after`: ids or names of tasks to be done first.",
        d.add_tasks,
        (
            Parameter("tasks", x.WANTED, ""),
            Parameter("behind", x.NUMBER, "Id to insert behind; default: at the end.", None),
        ),
        lean=True,
    ),
    Tool(
        "complete_task",
        "Mark a task as done; the next one is started.",
        d.complete_task,
        (_TASK, Parameter("result", k.TEXT, "What came of it, in short.")),
        lean=True,
    ),
    Tool(
        "fail_task",
        "Report that an attempt at a task failed.",
        d.fail_task,
        (
            _TASK,
            Parameter("error", k.TEXT, ""),
            Parameter("retry", k.FLAG, "Whether to try again; default true.", default=True),
        ),
        lean=True,
    ),
    Tool(
        "skip_task",
        "Leave out a task that is not needed.",
        d.skip_task,
        (_TASK, Parameter("reason", k.TEXT, "")),
        lean=True,
    ),
    Tool(
        "set_progress",
        "Note that `current` of `total` parts of a task are done.",
        d.set_progress,
        (_TASK, Parameter("current", x.NUMBER, ""), Parameter("total", x.NUMBER, "")),
        lean=True,
    ),
    Tool(
        "plan_read",
        "Read the current task plan from task_plan.md. "
        "Use this to review your progress and objectives.",
        plan_read,
        (
            Parameter(
                "includeCompleted",
                x.FALSE,
                "Include completed steps in output (default: false)",
                default=False,
            ),
        ),
        lean=True,
    ),
    Tool(
        "findings_write",
        "Save important findings and research notes to findings.md. "
        "Use this to persist discoveries that should not be lost.",
        findings_write,
        (
            Parameter("category", x.CATEGORY, "Category of the finding"),
            Parameter("title", k.TEXT, "Brief title for the finding"),
            Parameter("content", k.TEXT, "Detailed content of the finding"),
            Parameter("source", k.TEXT, "Source file or URL (optional)", ""),
        ),
        lean=True,
    ),
    Tool(
        "todo_write",
        "Create or update a todo list to track task progress. "
        "Set persist=true to save to task_plan.md file for long-term tracking.",
        todo_write,
        (
            Parameter("todos", x.TODOS, "Array of todo items"),
            Parameter(
                "persist", x.FALSE, "Save to task_plan.md file (default: false)", default=False
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
    Tool(
        ASK_USER,
        "Ask the user a question that only they can answer; the work waits.",
        d.ask_user,
        (Parameter("question", k.TEXT, ""),),
        lean=True,
    ),
)
