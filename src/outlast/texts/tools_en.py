"""What people and models read about tools, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # What came of the plan's own tools, in one line
    "delta_added": "Added {ids}, {done}/{total} done.",
    "delta_completed": "{done}/{total} done.",
    "delta_retried": "Failed {task}, retry {tries} of {limit}.",
    "delta_failed": "Failed {task} for good, {done}/{total} done.",
    "delta_skipped": "Skipped {task}, {done}/{total}.",
    "delta_progress": "Task {task}: {current}/{total}",
    "delta_now": "Now {task}.",
    "delta_finished": "The plan is complete.",
    "delta_paused": "The plan is paused.",
    "delta_waiting": "Nothing to start until others have finished.",
    "delta_stuck": "Nothing left can run.",
    "riding_foot": "When the current step is done, call {complete} with its number.",
    "riding_next": (
        "No step of yours is in progress: take the next that can be done, "
        "then call {complete} with its number."
    ),
    "riding_empty": "There are no steps yet: make them with {add}.",
    "riding_paused": "The plan is paused: leave it until somebody resumes it.",
    "riding_ended": "The plan has ended: there is nothing to do in it now.",
    "not_json": "{argument}: not JSON: {problem}",
    "todos_not_array": "{argument} must be an array",
    "plan_title_needed": "{argument} is required when creating a new persistent plan",
    "persist_failed": "Failed to persist plan: {problem}",
    "todo_objective": "Task objectives extracted from todos",
    "todo_created": "Plan created and saved to task_plan.md:\nTitle: {title}\nSteps: {steps}",
    "todo_updated": "Todo list updated ({done}/{total} completed):",
    "todo_saved": "(Saved to task_plan.md)",
    "todo_refused": "Refused:",
    "no_plan_to_read": "No plan exists. Use todo_write with persist=true to create one.",
    "plan_read": "# {title}\n\n**Objective:** {goal}\n**Progress:** {done}/{total}\n",
    "finding_saved": (
        "Finding saved to findings.md:\nCategory: {category}\nTitle: {title}\nID: {id}"
    ),
    "file_edited": "{count} replaced",
    "edit_changes_nothing": "old and new: expected two different texts, old not empty",
    "old_not_found": "{path}: old is not in the file; read it again and copy it exactly",
    "old_not_unique": (
        "{path}: old is there {count} times; take more of its surroundings, or replace_all"
    ),
    "part_too_large": "{path}: more than {limit} bytes; read fewer lines with offset and limit",
    "not_a_directory": "{path}: expected a directory",
    "nothing_found": "(nothing found)",
    "more_left_out": "(and {count} more)",
    "search_cut": "(only the first {count}; narrow the search)",
    "search_too_long": (
        "The search took more than {seconds} s; take a simpler pattern or a smaller path"
    ),
    "search_failed": "The search ended with {code}",
    "pattern_wrong": "pattern: {problem}",
    "command_not_started": "The command could not be started: {problem}",
    "command_too_long": "Ended after {seconds} s. Output:\n{output}",
    "command_killed": "Killed by signal {signal}. Output:\n{output}",
    "command_failed": "Exit code {code}. Output:\n{output}",
    "no_output": "(no output)",
    "output_cut": "[… {count} bytes left out …]",
    "left_out": "[… {count} characters left out …]",
    "permit_outside": "{tool} wants to leave the workspace: `{what}`. Allow? (yes / no / always)",
    "permit_destructive": (
        "{tool} wants to do what may destroy something: `{what}`. Allow? (yes / no / always)"
    ),
    "permit_nobody": "(nobody answered)",
    "not_permitted": (
        "Not allowed, and nobody is there to ask: `{what}`. Find another way within the workspace; "
        "a person permits it beforehand with --allow or --yes"
    ),
    "not_permitted_said": "Not allowed: `{what}`. The answer was: {answer}",
    "question_at_terminal": "\n? {id}  {text}\nAnswer (an empty line leaves it open): ",
    "tool_twice": "{argument}: two tools are called {name}",
    "tool_taken": "{argument}: the plan has a tool called {name} itself; give yours another name",
    "tool_lacks": "{argument}: {name} is no whole tool; it lacks {lacks}",
    "tool_name_wrong": "{argument}: expected up to 64 letters, digits, _ or -, got {name}",
    "tool_signature": (
        "{name}: a tool takes parameters by name with types that JSON has: {problem}"
    ),
    "tool_entry_missing": (
        "{name}: no installed package offers a tool of this name; there are {choices}"
    ),
    "tool_entry_broken": "{name}: the package of this tool cannot be loaded: {problem}",
    "tool_arguments": "{tool}: {problem}",
}
