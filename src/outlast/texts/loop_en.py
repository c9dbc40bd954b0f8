"""What people and models read about a loop and its plan, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "loop_completed": "Plan completed: {done}/{total} steps",
    "loop_failed": "The plan has failed: {done}/{total} steps done, and none of the others can run",
    "loop_paused": "The plan is paused; resume it, then run the loop again",
    "loop_limit": "Task in progress ({done}/{total} steps done). Type 'continue' to resume.",
    "loop_unsettled": (
        "Attempt {attempt} was interrupted and nobody knows whether it took place: {what}. "
        "Look, and answer: done, or not done"
    ),
    "loop_model_failed": "The model failed: {problem}",
    "loop_cancelled": "The loop was cancelled",
    "call_broken_off": "broken off",
    "loop_overtaken": "Another runner has taken the plan over; this one has stopped",
    "loop_limit_unplanned": "Stopped at the limit of iterations ({count}). Say how to go on.",
    "loop_budget": "{problem}. Then type 'continue' to resume.",
    "loop_waiting": "A question waits for an answer: {question}",
    "loop_dropped": "The current task was cancelled",
    "nothing_to_cancel": "There is no task to cancel",
    "loop_slow": "{count} iterations were spent on this step: {task}",
    "loop_let_go": (
        "The agent stopped although the plan is unfinished: {done}/{total} steps done. "
        "Type 'continue' to resume."
    ),
    "loop_help": (
        "/plan shows the plan, /cancel gives the current task up, /help shows this. "
        "'continue' resumes a paused plan, 'not done yet' reopens the step completed last; "
        "anything else is said to the agent."
    ),
    "unknown_command": "There is no command /{command}; there are: /plan, /cancel, /help",
    "block_head": "The plan as it stands:",
    "block_goal": "- Goal: {goal}",
    "block_progress": "- Progress of the step: {current}/{total}",
    "block_empty": (
        "- No steps yet. If there is much to do, declare them; "
        "if all that was asked for is done, answer the user."
    ),
    "block_next": (
        "Look at what was asked for and at what the tools have returned. Then take the one step "
        "that is missing, or, if none is, say to the user that it is done."
    ),
    "block_closing": "All steps are done: tell the user in a few sentences what came of them.",
    "block_foot": (
        "New steps can be declared like this:\n[Step] what is to be done\n"
        "When the current step is done, the next one begins by itself."
    ),
    "summary_goal": "Current task: {goal}",
    "summary_progress": "Progress: {done}/{total} steps done",
    "summary_step": "Current step: {id}. {name}",
    "summary_no_step": "Current step: none",
    "summary_iterations": "Iterations used: {used}/{limit}",
    "summary_steps": "Steps:",
    "summary_hidden": "({count} more)",
    "step_running": "(in progress)",
    "step_waiting": "(to do)",
    "already_done": "Done already for this step: {what}",
    "settled_done": "Interrupted, and had been done: {what}",
    "settled_not_done": "Interrupted, and had not been done: {what}",
    "answered_question": "Asked: {question} Answer: {answer}",
    "check_refused": "Step {id} ({name}) does not count as done yet:",
    "step_reopened": "The user says that step {id} is not done yet: it is to be worked on again.",
    "too_many_declared": (
        "Only the first {limit} of the declared steps were added, {count} were not; "
        "declare the others later."
    ),
    "result_tools": "tools: {tools}",
    "question_blank": "The question is empty",
    "resuming": "[Resuming task] {summary}",
    "instruction": "User instruction: {text}",
    "call_failed": "Failed: {problem}",
    "call_not_run": "Not carried out: the plan had ended or was paused before it",
    "call_cut": "({count} more characters were cut)",
    "call_unread": (
        "A tool call was not carried out: its arguments are not a JSON object. "
        "Call the tool again with arguments that are."
    ),
    "tool_not_offered": "There is no such tool; there are: {takes}",
    "tool_missing": "The tool {tool} cannot be run here",
    "degraded": "The plan cannot be used any more, so the work goes on without one: {problem}",
    "budget_warning": "{percent} % of the budget is used",
    "model_busy_again": "The model is busy or out of reach; asking again in {seconds} s",
    "time_used_up": (
        "The {seconds} s that were left of the budget are over, and what ran was broken off. "
        "Raise it to go on"
    ),
    "model_too_slow": "The model took longer than {seconds} s",
    "tool_too_slow": (
        "The tool took longer than {seconds} s and was broken off; look what it has done so far"
    ),
    "reply_too_large": "The reply of the model has more than {limit} characters",
    "reply_wrong": "The reply of the model is not a reply as it has to be ({problem})",
    "loop_runs_already": "This agent is at work already; wait until it has stopped",
    "price_unknown": (
        "{argument}: nobody knows what {model} costs, so a limit in dollars would not hold. "
        "Set its price under `prices`, or limit the tokens"
    ),
    "out_of_budget": (
        "The budget does not suffice: {what} {needs} may be needed, {used} of {limit} are used or "
        "set aside. Raise it to go on"
    ),
    "out_of_task_budget": (
        "The budget of task {task} does not suffice: {what} {needs} may be needed, {used} of "
        "{limit} are used or set aside. Raise it to go on"
    ),
    "bad_amount": "{argument}: expected a number from 0 to {limit}",
    "too_many_questions": "{limit} questions are open already; have some answered first",
    "too_many_said": "{limit} messages wait for the loop already; let it run first",
    "no_open_question": "No question is open",
    "question_not_found": "{argument}: there is no question {question}",
    "question_answered": "Question {question} has been answered already",
    "not_a_settlement": "{argument}: say whether it took place: {choices}",
}
