"""What people and models read about hooks, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "hook_plan": "Plan: {title}",
    "hook_objective": "Objective: {objective}",
    "hook_progress": "Progress: {done}/{total}",
    "hook_current": "Current task:",
    "hook_phase": "Phase: {phase}",
    "hook_step": "Step: {step}",
    "hook_continue": "Please continue from where you left off.",
    "hook_paused": "It is paused: leave it alone until the user says to continue.",
    "hook_found": "Found existing plan: {title}",
    "hook_failures": "Previous failures with {tool}:",
    "hook_failure": "- {message} ({count} times)",
    "hook_avoid": "Avoid repeating these mistakes.",
    "hook_views": (
        "You've performed {count} view operations. "
        "Consider saving important findings to findings.md before continuing."
    ),
    "hook_written": (
        "File operation completed. Consider updating task_plan.md status if a step was completed."
    ),
    "hook_strikes": (
        "This error has occurred {count} times!\n"
        "You must try a DIFFERENT approach. Do not repeat the same action.\n"
        "Consider:\n"
        "1. Checking error history in errors.md\n"
        "2. Re-reading the task_plan.md for alternative approaches\n"
        "3. Asking the user for guidance"
    ),
    "hook_struck": (
        "{tool} with these parameters has failed too often in the same way and was not run again.\n"
        "You must try a DIFFERENT approach, or ask the user for guidance."
    ),
    "hook_struck_told": (
        "{tool} keeps failing in the same way and was refused; "
        "`outlast note --error {tool} --allow` allows it again"
    ),
    "hook_unknown_error": "Unknown error",
    "hook_incomplete": "WARNING: Plan is not complete!",
    "hook_items": "Incomplete items:",
    "hook_complete_all": (
        "Please complete all tasks or explicitly mark them as skipped before stopping."
    ),
    "hook_verify": "Plan incomplete - verification required",
    "hook_refused": "The call was refused before it ran; if a reason was given, it is told below",
    "hook_failed": "The hook {name} failed ({problem}) and was left out; the log says more",
    "hook_missing": "no entry point outlast.hooks is called {name}; there are: {known}",
}
