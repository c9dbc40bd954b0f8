"""What a commit changed, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import changes as c
from outlast.domain.limits import default_title
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.domain.changes import Change, Commit
    from outlast.interfaces.cli.call import Call

_SHOWN: Final = 5
_THE_PLAN: Final = 0  # where a task is meant and there is none


def narrated(call: Call, commit: Commit, names: Mapping[int, str]) -> str:
    """Return what a commit changed; of many changes the first. `names` are those of the tasks."""
    shown = commit.changes[:_SHOWN]
    said = list(dict.fromkeys(_words(call, change, names) for change in shown))
    more = len(commit.changes) - len(shown)
    return "; ".join([*said, call.say("log_more", more=more)] if more else said)


def _words(call: Call, change: Change, names: Mapping[int, str]) -> str:
    about = _about(change)
    if isinstance(about, int):
        about = _task(call, about, names)
    elif isinstance(change, c.TaskLeased):
        about = f"{_task(call, change.id, names)} ({about})"
    if isinstance(change, c.AttemptEnded) and change.settled_by:
        about = call.say("log_settled", what=about, by=change.settled_by)
    return call.say(WORDS[type(change)], what=visible(about))


def _about(change: Change) -> int | str:
    """Return what a change is about: the id of a task, else a phase, an attempt, a number."""
    about: int | str = getattr(change, "id", "")
    match change:
        case c.PlanCreated():
            about = change.title or default_title(change.goal)
        case c.PhaseAdded() | c.PhaseEdited():
            about = change.phase.title
        case c.TaskAdded():
            about = f"{change.task.id} {change.task.name}"
        case c.TaskLeased():
            about = change.holder
        case c.AttemptBegan():
            about = f"{change.id} {change.what}"
        case c.AttemptEnded():
            about = f"{change.id} {change.outcome}"
        case c.IterationCounted():
            about = str(change.total)
        case c.Undone():
            about = str(change.revision)
    return about


def _task(call: Call, task_id: int, names: Mapping[int, str]) -> str:
    if task_id == _THE_PLAN:
        return call.say("log_the_plan")
    return f"{task_id} {names[task_id]}" if task_id in names else str(task_id)


WORDS: Final = {
    c.PlanCreated: "log_plan_created",
    c.PlanEdited: "log_plan_edited",
    c.PhaseAdded: "log_phase_added",
    c.PhaseEdited: "log_phase_edited",
    c.PhaseMoved: "log_phase_moved",
    c.PhaseRemoved: "log_phase_removed",
    c.TaskAdded: "log_task_added",
    c.TaskRemoved: "log_task_removed",
    c.TaskEdited: "log_task_edited",
    c.TaskMoved: "log_task_moved",
    c.TaskStarted: "log_task_started",
    c.TaskCompleted: "log_task_completed",
    c.TaskRetried: "log_task_retried",
    c.TaskFailed: "log_task_failed",
    c.TaskSkipped: "log_task_skipped",
    c.TaskReopened: "log_task_reopened",
    c.TaskReturned: "log_task_returned",
    c.TaskProgressed: "log_task_progressed",
    c.TaskRestored: "log_task_restored",
    c.TaskLeased: "log_task_leased",
    c.LeaseRenewed: "log_lease_renewed",
    c.LeaseEnded: "log_lease_ended",
    c.AttemptBegan: "log_attempt_began",
    c.AttemptEnded: "log_attempt_ended",
    c.PlanBegun: "log_plan_begun",
    c.PlanPaused: "log_plan_paused",
    c.PlanResumed: "log_plan_resumed",
    c.PlanAborted: "log_plan_aborted",
    c.PlanReset: "log_plan_reset",
    c.PlanRestored: "log_plan_restored",
    c.IterationCounted: "log_iteration_counted",
    c.NumbersPassed: "log_numbers_passed",
    c.Undone: "log_undone",
}
