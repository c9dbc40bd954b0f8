"""What people read about checks and proof, in English."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "proof_needed": (
        "Task {task_id} is not done before it is seen to pass what was set for it: {checks}"
    ),
    "proof_of_other_checks": (
        "Task {task_id}: the proof is not of the checks that the task has now; run them again"
    ),
    "check_failed": "Task {task_id} is not done: {shows}",
    "tampered": (
        "Task {task_id}: its {what} changed since it was given out or begun; a person looks at it, "
        "and takes it as it is with `outlast check {task_id} --approve`"
    ),
    "not_seen_here": (
        "Task {task_id}: how it stood before was not seen by Outlast here, but elsewhere (was the "
        "project moved or copied?), or was written by hand; a person looks at it, and takes it as "
        "it is with `outlast check {task_id} --approve`"
    ),
    "check_not_approved": (
        "Task {task_id} has checks that nobody has allowed for this plan: "
        "{checks}; a person allows them with `outlast check --approve`"
    ),
    "check_stopped": "The checks were broken off; nothing was recorded",
    "no_checker": "{argument}: nobody can run checks for this handle on a plan",
    "state_home_failed": (
        "{where}: {problem}; what you allow and what was seen is kept there, or where "
        "XDG_STATE_HOME says"
    ),
    "state_home_open": (
        "{where}: others may write there too; what you allow and what was seen is kept there, "
        "so let only yourself write to it"
    ),
    "said_passed": "passed",
    "said_exit": "ended with code {value}",
    "said_signal": "was killed by signal {value}",
    "said_timeout": "did not end within {value} s",
    "said_not_started": "could not be started: {value}",
    "said_missing": "there is no such file",
    "said_outside": "leads out of the workspace",
    "said_no_file": "is no plain file",
    "said_large": "has more than {value} bytes",
    "said_unreadable": "cannot be read: {value}",
    "said_no_match": "nothing in it matches",
    "said_bad_pattern": "the pattern is no regular expression",
    "said_slow_pattern": "the search did not end within {value} s",
    "said_confirmed": "confirmed by a person",
    "said_unconfirmed": "a person has to confirm it",
    "not_proved_here": (
        "task {tasks}: said to be proved, but not by Outlast here: the proof was made elsewhere "
        "(was the project moved or copied?) or written by hand; `outlast check N` looks anew"
    ),
    "label_proved": "proved",
    "label_was_green": "proved (was green)",
    "label_not_seen_red": "proved, not seen red",
    "label_stale": "stale",
    "label_tampered": "tampered",
    "label_forged": "not proved here",
    "label_unproved": "unproved",
    "label_unproved_fails": "unproved, fails now",
    "label_reported": "reported",
    "label_assumed": "assumed",
    "label_fails_now": "fails now",
    "label_passes_now": "passes now",
    "label_not_approved": "not approved",
}
