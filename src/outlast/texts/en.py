"""What people read, in English."""

from __future__ import annotations

from typing import Final

from outlast.texts.command_line_en import TEXTS as COMMAND_LINE
from outlast.texts.edits_en import TEXTS as EDITS
from outlast.texts.proof_en import TEXTS as PROOF

TEXTS: Final = {
    # arguments
    "wrong_type": "{argument}: expected {expected}, got {got}",
    "not_a_choice": "{argument}: expected one of {choices}",
    "not_a_task_id": '{argument}: expected a task id such as 3, "3" or "step_3"',
    "name_blank": "{argument}: expected some text, got a blank string",
    "name_too_long": "{argument}: expected at most {limit} characters, got {length}",
    "too_many": "{argument}: expected at most {limit}, got {count}",
    "pattern_outside": (
        "{argument}: {pattern} leads out of the workspace, where nothing is looked at; "
        "give a path from the root of the workspace on"
    ),
    "only_a_person": "{argument}: only a person may ask for this, as {person}",
    "not_a_person_check": "{argument}: task {task_id} has no check for a person like this one",
    "finding_not_found": "{argument}: there is no finding {finding}",
    "name_not_one_line": "{argument}: expected a single line, got a line break",
    "text_too_long": "{argument}: expected at most {limit} bytes of UTF-8, got {length}",
    "lone_surrogate": (
        "{argument}: expected valid Unicode, got a lone surrogate at position {position}"
    ),
    "bad_progress": "{argument}: expected whole numbers with 0 <= current <= total and total > 0",
    "bad_number": "{argument}: expected a whole number from {least} to {limit}",
    "not_an_attempt_id": "{argument}: expected the id of an attempt such as 3#1",
    "undo_alone": "{argument}: a commit is taken back in a commit of its own",
    "bad_retries": "{argument}: expected a whole number from 0 to {limit}",
    "argument_missing": "{argument}: missing; {tool} takes {takes}",
    "argument_unknown": "{argument}: unknown argument; {tool} takes {takes}",
    "argument_twice": "{argument}: given twice; {tool} takes {takes}",
    "arguments_too_many": "{tool} takes {takes}; got {got} arguments",
    "field_unknown": "{argument}: unknown field; expected {takes}",
    "field_missing": "{argument}: missing",
    "nothing_to_update": "{argument}: expected at least one of {takes}",
    "name_twice": (
        "{argument}: two tasks are called {name}; give the dependency by its number instead"
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
    "nothing": "none",
    "status_idle": "idle",
    "status_running": "running",
    "status_paused": "paused",
    "status_aborted": "aborted",
    "status_pending": "pending",
    "status_in_progress": "in_progress",
    "status_completed": "completed",
    "status_failed": "failed",
    "status_skipped": "skipped",
    "status_blocked": "blocked",
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
    "checks_under_way": (
        "Task {task_id} is {status}: what it has to pass cannot be changed meanwhile; give it back "
        "first"
    ),
    "task_already": "Task {task_id} is already {status}",
    "task_failed": "Task {task_id} is failed; reopen it first",
    "task_not_ended": "Task {task_id} is {status}; only failed or finished tasks can be reopened",
    "task_blocked": "Task {task_id} is blocked by unfinished dependencies: {unmet_dependencies}",
    "task_not_its_turn": "Task {task_id} has to wait: task {waits_for} comes first",
    "task_not_in_progress": "Task {task_id} is {status}; nobody works on it now",
    "task_claimed": "Task {task_id} is claimed by {holder} until {until}; take another or wait",
    "claim_lost": (
        "The claim {token} on task {task_id} no longer holds; stop working on it and claim again"
    ),
    "plan_claimed": (
        "Another runner, {holder}, works on this plan until {until}; wait until it has ended"
    ),
    "plan_claim_lost": (
        "The claim {token} on the plan no longer holds: another runner may work on it now"
    ),
    "attempt_not_open": "Attempt {attempt} is not open: it was never begun or has ended already",
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
    "plan_moved_on": "The plan has changed since ({at}, now {revision}); look again, then undo",
    "cannot_undo_creation": "A plan began at revision {revision}; that cannot be undone",
    "nothing_to_undo": "There is nothing to undo",
    "cannot_undo_since": (
        "Revision {revision} cannot be undone any more: {what} changed since, last in revision"
        " {by}; undo that first"
    ),
    "already_undone": (
        "Revision {revision} is undone already, by revision {by}; undo that to have it back"
    ),
    "only_facts": (
        "Revision {revision} has only facts in it, such as claims, attempts or notes; they stay"
    ),
    "plan_of_the_past": "This is the plan as it was at revision {revision}; it cannot be changed",
    "no_past": "What the plan was at revision {revision} has not been kept",
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
    "document_unmerged": "{where}: two versions of the file were not merged; choose one first",
    "document_id_twice": "{where}: the id {id} is given twice",
    "document_unknown_field": "{where}: unknown field",
    "document_bad_time": "{where}: expected a time such as 2024-01-01T00:00:00Z",
    "document_field_twice": "{where}: the field is given twice",
    "document_too_deep": "{where}: nested more than {limit} levels deep",
    "document_too_large": "{where}: larger than {limit} bytes",
    "document_not_text": "{where}: expected text in UTF-8, got something else at byte {offset}",
    "document_no_file": "{where}: expected a plain file",
    "document_no_plan": "{where}: there is no plan in it, neither a goal nor a task",
    # keeping a plan
    "no_directory": "There is no directory {where}",
    "which_plan": "{count} plans are open; name one of: {candidates}",
    "no_open_plan": "No plan is open here; there are: {candidates}",
    "plan_not_found": "There is no plan at {where}; there are: {candidates}",
    "no_plan_there": "There is no plan at {where}",
    "plan_exists_already": "There is a plan at {where} already; open it, or take another key",
    "unsuitable_file_system": (
        "{where} is on a file system ({kind}) whose locks do not hold between machines; "
        "choose a local directory"
    ),
    "no_locks": "{where} is on a file system without locks; choose a local directory",
    "newer_format": (
        "The files have the form {found}, this Outlast knows up to {known}; update Outlast"
    ),
    "journal_without_header": (
        "{path} does not begin as a journal does; it was left as it is; "
        "`outlast doctor --mend` looks for the plan in it"
    ),
    "journal_damaged": (
        "{path} is damaged at byte {offset}, with good lines behind it; "
        "the plan can be read up to there and is not changed; "
        "`outlast doctor --mend` keeps the file and goes on with all that is good in it"
    ),
    "journal_not_whole": (
        "{path} is damaged before its end; `outlast doctor --mend` keeps the file and goes on with "
        "all that is good in it"
    ),
    "journal_unreadable": "{path}: nothing in it can be read; it was left as it is",
    "journal_mended": (
        "{where}: a new journal has the {kept_commits} commits that are good; {lost_commits} could "
        "not be read or no longer fit; the damaged file is kept: {kept}"
    ),
    "row_damaged": (
        "{path}: the plan {key} is damaged at its commit {row}; "
        "it can be read up to there and is not changed; "
        "`outlast doctor --mend sqlite:///{path}` keeps the database and goes on with all that is "
        "good in it"
    ),
    "database_mended": (
        "{where}: the plan {key} goes on with the {kept_commits} commits that are good; "
        "{lost_commits} could not be read or no longer fit; the damaged database is kept: {kept}"
    ),
    "log_without_database": (
        "{where} belongs to a database that is no longer beside it, and was left as it is; "
        "put that back, or move this elsewhere"
    ),
    "database_damaged": (
        "{path}: {problem}; the file was left as it is; keep it, and put a good copy of it back"
    ),
    "not_a_database": "{where} is no database of plans; it was left as it is; name another file",
    "no_plain_file": "{where} is no plain file; a database of plans is neither a link nor a device",
    "database_locked": (
        "{where}: another program keeps the database locked; the plan is as it was, try again"
    ),
    "store_inherited": (
        "{where}: this process was forked while its parent was using the database; "
        "open the plan in a process of its own"
    ),
    "bad_database_url": (
        "{value} names no database: sqlite:///FILE is one in the current directory, "
        "sqlite:////DIRECTORY/FILE one anywhere, and neither has anything behind it"
    ),
    "write_failed": "{where}: {problem}; the plan is as it was, try again when that is mended",
    "not_writable": "{where}: no permission to write; the plan can only be read",
    "store_failed": "{where}: {problem}; nothing was changed, try again when that is mended",
    "no_plan_yet": 'There is no plan in {where} or above it; begin one with: outlast new "GOAL"',
    "store_busy": "{where}: the plan's files are being exchanged again and again; try again",
    "write_unknown": (
        "{where}: {problem}; whether the change was kept shows when the plan is read again"
    ),
    "plan_went_back": (
        "{where}: the journal was put back from revision {before} to {now} by somebody else"
    ),
    "not_mended": "{where}: what an interrupted writer left could not be cleared up ({problem})",
    "snapshot_failed": "{where}: no snapshot was written ({problem}); opening will take longer",
    "tail_cut": "An unfinished line of {bytes} bytes was put aside: {kept}",
    "leftover_removed": "A file that was never finished was removed: {name}",
    "plan_not_ended": "The plan is {status}; only a plan that has ended can be archived",
    # the plan of a session
    "no_plan_exists": "No plan exists",
    "no_such_phase": "Phase {phase} not found",
    "no_such_step": "Step {task_id} not found",
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
    # tools and models
    "path_outside": "{path}: expected the path of a file within the workspace",
    "path_of_plans": "{path}: the files of plans are changed by the plan's own tools only",
    "not_a_file": "{path}: expected a plain file",
    "file_too_large": "{path}: larger than {limit} bytes",
    "file_not_text": "{path}: expected text in UTF-8",
    "file_failed": "{path}: {problem}",
    "content_too_large": "content: expected at most {limit} bytes of UTF-8, got {size}",
    "script_exhausted": "None of the {turns} turns of the script fits the conversation",
    # the tree
    "waits": "waits for {ids}",
    **PROOF,
    **EDITS,
    **COMMAND_LINE,
}
