"""What people read about files that they edit, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    # files that people edit
    "view_failed": "{where}: the view was not written ({problem}); the plan is safe",
    "view_put_aside": "{name} had been changed by somebody else; what it said was kept: {kept}",
    "edit_refused": "{name}, line {line}: not taken in ({problem}): {said}",
    "edit_waits": "{name} was edited and could not be taken in yet ({problem}); it stays as it is",
    "edit_taken": "took in changes of {name}: {count}",
    "edit_more": "{name}: there is more to say, {count} times",
    "view_odd": "{name} is no ordinary file, or too large: it was left alone and not written anew",
    "view_damaged": "{name} could not be read and was put aside: {kept}; it was written anew",
    # what was noted beside the tasks
    "note_line_unknown": (
        "{name}, line {line}: this could not be taken in; the file as it was edited is kept"
    ),
    "note_category_unknown": (
        "{name}, line {line}: there is no such category; expected one of {choices}"
    ),
    "note_clash": "{name}, line {line}: {title} was changed by somebody else too; both are kept",
    "note_kept": "{name}: {title} is kept, because somebody else has changed it meanwhile",
    "notes_gone": (
        "{name}: {count} entries are missing; more than {limit} at a time are not taken out"
    ),
    "notes_blank": "{name} was emptied; all {count} entries are kept",
    "notes_newer": (
        "{name}: {titles} came last, and may have come after you opened the file: kept"
    ),
    "findings_total": "Total findings: {count}",
    # an edited task_plan.md
    "plan_md_line": "task_plan.md, line {line}: not understood, kept as it is: {said}",
    "plan_md_run_twice": (
        "task_plan.md, line {line}: a task has one run line; this one is kept as a comment: {said}"
    ),
    "plan_md_unmerged": (
        "task_plan.md, line {line}: two versions of the file were not merged; it is taken in when "
        "the marks around them are gone"
    ),
    "plan_md_unclosed": (
        "task_plan.md, line {line}: nothing ends the block that begins here; "
        "it was taken for an ordinary line: {said}"
    ),
    "plan_md_conflict": (
        "task_plan.md, line {line}: somebody else has changed the {what} too; theirs stands, "
        "what you wrote is kept as a comment: {said}"
    ),
    "plan_md_box_icon": (
        "task_plan.md, line {line}: box and icon say different things; the task stays as it was: "
        "{said}"
    ),
    "plan_md_reference": (
        "task_plan.md, line {line}: no task, or more than one, is called {unknown}; "
        "what you wrote is kept as a comment: {said}"
    ),
    "plan_md_gone": (
        "task_plan.md, line {line}: somebody else has taken task {task_id} out meanwhile; "
        "what you wrote is kept as a comment: {said}"
    ),
    "plan_md_id_unknown": (
        "task_plan.md, line {line}: there is no task {id} here; the line is taken for a new task"
    ),
    "plan_md_id_twice": (
        "task_plan.md, line {line}: another line has the id of task {id} too; "
        "this one is taken for a new task"
    ),
    "plan_md_hidden": (
        "Task {task_id} has no line of its own in task_plan.md, but other text names it: it stays"
    ),
    "plan_md_missing": (
        "Task {task_id} has no line in task_plan.md, but nobody knows what that file was made "
        "from: it stays"
    ),
    "plan_md_missing_changed": (
        "Task {task_id} has no line in task_plan.md any more, but somebody else has changed it "
        "meanwhile: it stays"
    ),
    "plan_md_asked": (
        "task_plan.md was not taken in: these tasks would go: {removed}; these would be open "
        "again: {reopened}; put their lines right, or say that it is meant (outlast help accept)"
    ),
}
