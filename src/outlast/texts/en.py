"""What people read, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # arguments
    "wrong_type": "{argument}: expected {expected}, got {got}",
    "not_a_choice": "{argument}: expected one of {choices}",
    "not_a_task_id": '{argument}: expected a task id such as 3, "3" or "step_3"',
    "name_blank": "{argument}: expected some text, got a blank string",
    "name_too_long": "{argument}: expected at most {limit} characters, got {length}",
    "name_not_one_line": "{argument}: expected a single line, got a line break",
    "text_too_long": "{argument}: expected at most {limit} bytes of UTF-8, got {length}",
    "lone_surrogate": (
        "{argument}: expected valid Unicode, got a lone surrogate at position {position}"
    ),
    "bad_progress": "{argument}: expected whole numbers with 0 <= current <= total and total > 0",
    "bad_retries": "{argument}: expected a whole number from 0 to {limit}",
    "argument_missing": "{argument}: missing; {tool} takes {takes}",
    "argument_unknown": "{argument}: unknown argument; {tool} takes {takes}",
    "argument_twice": "{argument}: given twice; {tool} takes {takes}",
    "arguments_too_many": "{tool} takes {takes}; got {got} arguments",
    "field_unknown": "{argument}: unknown field; expected {takes}",
    "field_missing": "{argument}: missing",
    "nothing_to_update": "{argument}: expected at least one of {takes}",
    "name_twice": (
        "{argument}: two tasks are called {name}; give the dependency by position instead"
    ),
    "tool_unknown": "{argument}: no tool has this name; the nearest is {nearest}",
    "id_twice": "{argument}: the id {id} is given twice",
    "phase_twice": "{argument}: two phases have the same id",
    "after_itself": "{argument}: task {task_id} cannot stand behind itself",
    "after_in_other_phase": "{argument}: task {task_id} is in another phase ({phase})",
    "phase_after_itself": "{argument}: phase {phase} cannot stand behind itself",
    "goal_of_other_plan": "{argument}: the plan that is given has a goal already",
    "create_alone": "{argument}: a plan is created in a commit of its own",
    "key_reused": "{argument}: {key} was used for another command",
    "commit_in_question": "A plan cannot be changed while a question about it is answered",
    "type_string": "string",
    "type_integer": "integer",
    "type_number": "number",
    "type_boolean": "boolean",
    "type_array": "array",
    "type_object": "object",
    "type_null": "null",
    "type_task id": "task id",
    # looking things up
    "task_not_found": "Task with ID {task_id} not found",
    "phase_not_found": "Phase {phase} not found; there are: {known}",
    # dependencies
    "dependency_unknown": "{argument}: there is no task {unknown}",
    "dependency_later": (
        "Task {task_id} depends on {later}, which comes later: it could never run in this order"
    ),
    "cycle": "Circular dependency: {cycle}; leave one of these dependencies out",
    "task_needed": (
        "Task {task_id} cannot be removed: {dependents} depend on it; "
        "change their dependencies first, or skip the task"
    ),
    # states of a task
    "task_not_editable": (
        "Task {task_id} cannot be edited: it is {status}; only pending and failed tasks can"
    ),
    "task_not_removable": "Task {task_id} cannot be removed: it is {status}; skip it instead",
    "task_already": "Task {task_id} is already {status}",
    "task_failed": "Task {task_id} is failed; reopen it first",
    "task_not_ended": "Task {task_id} is {status}; only failed or finished tasks can be reopened",
    "task_blocked": "Task {task_id} is blocked by unfinished dependencies: {unmet_dependencies}",
    "task_not_its_turn": "Task {task_id} has to wait: task {waits_for} comes first",
    "actor_busy": "Task {task_id} is already in progress; end it before starting the next one",
    "nothing_left": "All tasks are finished",
    "nothing_ready_waiting": "No task can start yet: waiting for {ids}",
    "nothing_ready_failed": "No task can start: {ids} failed; reopen or skip them",
    # states of a phase
    "phase_not_empty": "Phase {phase} cannot be removed: it has the tasks {tasks}",
    "phase_last": "Phase {phase} cannot be removed: it is the only one",
    # states of the plan
    "plan_empty": "The plan has no tasks; add some first",
    "plan_paused": "The plan is paused; resume it first",
    "plan_aborted": "The plan was aborted; reopen or add a task to take it up again",
    "plan_exists": "The plan {plan} exists already",
    "plan_unfinished": "The plan is {status} and has unfinished tasks; add tasks to it instead",
    "plan_cannot_pause": "The plan is {status}; only an idle or running plan can be paused",
    "plan_cannot_resume": "The plan is {status}; only a paused plan can be resumed",
    "plan_cannot_abort": "The plan is {status}; only an unfinished plan can be aborted",
    # documents from outside
    "document_wrong_type": "{where}: expected {expected}, got {got}",
    "document_missing": "{where}: missing",
    "document_not_json": "{where}: expected what JSON can say, got {got}",
    "document_bad_choice": "{where}: expected one of {choices}",
    "document_negative": "{where}: expected a number that is not negative",
    "document_unknown_task": "{where}: no task has the id {task_id}",
    "document_id_twice": "{where}: the id {id} is given twice",
    "document_unknown_field": "{where}: unknown field",
    "document_bad_time": "{where}: expected a time such as 2024-01-01T00:00:00Z",
    # what the tools answer
    "started": "Started task {task_id}: {name}",
    "completed": "Task completed successfully",
    "retried": "Task failed, will retry",
    "failed": "Task failed",
    "added": "Task added successfully",
    "updated": "Task updated successfully",
    "skipped": "Task skipped: {reason}",
    "removed": "Task removed successfully",
    "reopened": "Task reopened successfully",
    "initialized": "Plan initialized successfully",
    "paused": "Plan paused successfully",
    "resumed": "Plan resumed successfully",
    "reset": "Plan reset successfully",
    # the tree
    "waits": "waits for {ids}",
    # the command line
    "usage": (
        "Outlast {version}: plans that outlast the context window.\n"
        "\n"
        "Use it from Python:\n"
        "    from outlast import PlanManager\n"
        "\n"
        "Options:\n"
        "    --version  show the version\n"
        "    --help     show this text\n"
        "    --lang     en or zh (also OUTLAST_LANG)"
    ),
    "command_unknown": "outlast: unknown command {command}; try: outlast --help",
    "language_unknown": "outlast: --lang takes one of {choices}",
}
