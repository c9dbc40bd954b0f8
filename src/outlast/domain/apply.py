"""How each change alters the fold. Nothing else does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from msgspec.structs import replace

from outlast.domain import changes as c
from outlast.domain.budget import NOTHING
from outlast.domain.loop_changes import LoopChange
from outlast.domain.model import Attempt, Lease
from outlast.domain.note_changes import NoteChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from outlast.domain.model import Phase, Task
    from outlast.domain.state import PlanState


def fold(state: PlanState, changes: Iterable[c.Change], revision: int, at: datetime) -> None:
    """Take the changes of one commit into the fold."""
    state.revision = revision
    state.updated_at = at
    for change in changes:
        APPLY[type(change)](state, change, at)


def standing(task: Task) -> c.TaskRestored:
    """Return how a task stands: all that work on it can change."""
    return c.TaskRestored(*(getattr(task, field) for field in c.TaskRestored.__struct_fields__))


def is_pristine(task: Task) -> bool:
    """Tell whether a task is as if nobody had ever worked on it."""
    return standing(task) == c.TaskRestored(task.id)


def _plan_created(state: PlanState, change: c.PlanCreated, at: datetime) -> None:
    revision, ledger = state.revision, state.ledger
    state.clear(at)
    state.revision, state.ledger = revision, ledger.followed()
    state.id, state.key = change.id, change.key
    state.goal, state.title, state.order = change.goal, change.title, change.order
    state.begun, state.hold = change.begun, change.hold
    state.created_at, state.updated_at = change.created_at, change.updated_at
    state.iteration_count, state.next_id = change.iteration_count, change.next_id
    state.extra = change.extra
    state.arrange({phase.id: phase for phase in change.phases})


def _plan_edited(state: PlanState, change: c.PlanEdited, _at: datetime) -> None:
    if change.goal is not None:
        state.goal = change.goal
    if change.title is not None:
        state.title = change.title
    if change.order is not None:
        state.order = change.order


def _phase_added(state: PlanState, change: c.PhaseAdded, _at: datetime) -> None:
    phases = list(state.phases.values())
    phases.insert(change.place, change.phase)
    _arrange(state, phases)


def _phase_edited(state: PlanState, change: c.PhaseEdited, _at: datetime) -> None:
    state.phases[change.phase.id] = change.phase


def _phase_moved(state: PlanState, change: c.PhaseMoved, _at: datetime) -> None:
    phases = [phase for phase in state.phases.values() if phase.id != change.id]
    phases.insert(change.place, state.phases[change.id])
    _arrange(state, phases)


def _phase_removed(state: PlanState, change: c.PhaseRemoved, _at: datetime) -> None:
    state.ledger.marked.pop(change.id, None)
    _arrange(state, [phase for phase in state.phases.values() if phase.id != change.id])


def _arrange(state: PlanState, phases: list[Phase]) -> None:
    state.arrange({phase.id: phase for phase in phases})


def _task_added(state: PlanState, change: c.TaskAdded, _at: datetime) -> None:
    state.insert(change.task, change.after)


def _task_removed(state: PlanState, change: c.TaskRemoved, _at: datetime) -> None:
    state.remove(state.tasks[change.id])


def _task_edited(state: PlanState, change: c.TaskEdited, _at: datetime) -> None:
    old = state.tasks[change.id]
    given = {
        field: value
        for field in change.__struct_fields__[1:]
        if (value := getattr(change, field)) is not None
    }
    state.tasks[change.id] = new = replace(old, **given)
    state.guard(new)
    if change.needs is not None:
        state.relink(change.id, old.needs, change.needs)
    state.ledger.marked.pop(old.phase, None)


def _task_moved(state: PlanState, change: c.TaskMoved, _at: datetime) -> None:
    state.move(replace(state.tasks[change.id], phase=change.phase), change.after)


def _task_started(state: PlanState, change: c.TaskStarted, at: datetime) -> None:
    old = state.tasks[change.id]
    state.put(old, replace(old, status="in_progress", actor=change.actor, started_at=at))


def _task_completed(state: PlanState, change: c.TaskCompleted, at: datetime) -> None:
    old = state.tasks[change.id]
    new = replace(
        old, status="completed", result=change.result, error=None, how=change.how, ended_at=at
    )
    state.put(old, new)


def _task_retried(state: PlanState, change: c.TaskRetried, _at: datetime) -> None:
    old = state.tasks[change.id]
    new = replace(
        old,
        status="pending",
        error=change.error,
        retry_count=change.retry_count,
        actor="",
        started_at=None,
    )
    state.put(old, new)
    state.ledger.doubt(change.id)


def _task_failed(state: PlanState, change: c.TaskFailed, at: datetime) -> None:
    old = state.tasks[change.id]
    state.put(old, replace(old, status="failed", error=change.error, ended_at=at))


def _task_skipped(state: PlanState, change: c.TaskSkipped, at: datetime) -> None:
    old = state.tasks[change.id]
    state.put(old, replace(old, status="skipped", result=change.reason or None, ended_at=at))


def _task_reopened(state: PlanState, change: c.TaskReopened, _at: datetime) -> None:
    old = state.tasks[change.id]
    new = replace(
        old,
        status="pending",
        result=None,
        retry_count=0,
        how="",
        actor="",
        started_at=None,
        ended_at=None,
    )
    state.put(old, new)
    state.ledger.doubt(change.id)


def _task_progressed(state: PlanState, change: c.TaskProgressed, _at: datetime) -> None:
    state.tasks[change.id] = replace(state.tasks[change.id], progress=change.progress)


def _task_restored(state: PlanState, change: c.TaskRestored, _at: datetime) -> None:
    old = state.tasks[change.id]
    stand = {field: getattr(change, field) for field in change.__struct_fields__}
    state.put(old, replace(old, **stand))


def _task_returned(state: PlanState, change: c.TaskReturned, _at: datetime) -> None:
    old = state.tasks[change.id]
    state.put(old, replace(old, status="pending", actor="", started_at=None))
    state.ledger.doubt(change.id)


def _task_leased(state: PlanState, change: c.TaskLeased, _at: datetime) -> None:
    lease = Lease(change.id, change.holder, change.token, change.until)
    state.ledger.leases[change.id] = lease
    state.ledger.last_token = change.token


def _lease_renewed(state: PlanState, change: c.LeaseRenewed, _at: datetime) -> None:
    leases = state.ledger.leases
    leases[change.id] = replace(leases[change.id], until=change.until)


def _lease_ended(state: PlanState, change: c.LeaseEnded, _at: datetime) -> None:
    del state.ledger.leases[change.id]


def _attempt_began(state: PlanState, change: c.AttemptBegan, at: datetime) -> None:
    state.ledger.attempts[change.id] = Attempt(
        change.id,
        change.task,
        change.kind,
        change.what,
        change.digest,
        at,
        change.token,
        change.reserve,
    )
    state.ledger.attempts_begun += 1


def _attempt_ended(state: PlanState, change: c.AttemptEnded, _at: datetime) -> None:
    attempt = state.ledger.attempts.pop(change.id)
    task = state.tasks.get(attempt.task)
    if change.outcome == "done" and task is not None and task.status == "in_progress":
        state.ledger.note(attempt, change.settled_by)
    if change.spent != NOTHING:
        state.ledger.charge(attempt.task, change.spent, change.planning)


def _undone(_state: PlanState, _change: c.Undone, _at: datetime) -> None:
    """Leave the plan as it is: the changes that follow do the work."""


def _numbers_passed(state: PlanState, change: c.NumbersPassed, _at: datetime) -> None:
    ledger = state.ledger
    ledger.attempts_begun = max(ledger.attempts_begun, change.attempts)
    ledger.last_token = max(ledger.last_token, change.token)
    notes = state.notes
    notes.noted = max(notes.noted, change.findings)
    notes.logged = max(notes.logged, change.errors)


def _plan_begun(state: PlanState, _change: c.PlanBegun, _at: datetime) -> None:
    state.begun = True


def _plan_paused(state: PlanState, change: c.PlanPaused, _at: datetime) -> None:
    state.hold = "paused"
    state.ledger.rest(change.why)


def _plan_resumed(state: PlanState, _change: c.PlanResumed, _at: datetime) -> None:
    state.hold = ""
    state.ledger.rest("")


def _plan_aborted(state: PlanState, _change: c.PlanAborted, _at: datetime) -> None:
    state.hold = "aborted"
    state.ledger.rest("")


def _plan_reset(state: PlanState, _change: c.PlanReset, at: datetime) -> None:
    for task_id in state.graph.order:
        _task_restored(state, c.TaskRestored(task_id), at)
        state.ledger.doubt(task_id)
    state.begun, state.hold = False, ""
    state.ledger.rest("")


def _plan_restored(state: PlanState, change: c.PlanRestored, _at: datetime) -> None:
    if change.hold != state.hold:
        state.ledger.rest("")
    state.begun, state.hold = change.begun, change.hold


def _iteration_counted(state: PlanState, change: c.IterationCounted, _at: datetime) -> None:
    state.iteration_count = change.total
    if change.task:
        from outlast.domain.apply_loop import count_in

        count_in(state, change.task)


def _noted(state: PlanState, change: NoteChange, at: datetime) -> None:
    from outlast.domain.apply_notes import APPLY_NOTES  # late, as many a plan has no notes

    APPLY_NOTES[type(change)](state, change, at)


def _looped(state: PlanState, change: LoopChange, at: datetime) -> None:
    from outlast.domain.apply_loop import APPLY_LOOP  # late, as many a plan has no loop

    APPLY_LOOP[type(change)](state, change, at)


APPLY: Final[dict[type[c.Change], Callable[[PlanState, Any, datetime], None]]] = {
    **dict.fromkeys(get_args(NoteChange), _noted),
    **dict.fromkeys(get_args(LoopChange), _looped),
    c.PlanCreated: _plan_created,
    c.PlanEdited: _plan_edited,
    c.PhaseAdded: _phase_added,
    c.PhaseEdited: _phase_edited,
    c.PhaseMoved: _phase_moved,
    c.PhaseRemoved: _phase_removed,
    c.TaskAdded: _task_added,
    c.TaskRemoved: _task_removed,
    c.TaskEdited: _task_edited,
    c.TaskMoved: _task_moved,
    c.TaskStarted: _task_started,
    c.TaskCompleted: _task_completed,
    c.TaskRetried: _task_retried,
    c.TaskFailed: _task_failed,
    c.TaskSkipped: _task_skipped,
    c.TaskReopened: _task_reopened,
    c.TaskProgressed: _task_progressed,
    c.TaskRestored: _task_restored,
    c.PlanBegun: _plan_begun,
    c.PlanPaused: _plan_paused,
    c.PlanResumed: _plan_resumed,
    c.PlanAborted: _plan_aborted,
    c.PlanReset: _plan_reset,
    c.PlanRestored: _plan_restored,
    c.TaskReturned: _task_returned,
    c.TaskLeased: _task_leased,
    c.LeaseRenewed: _lease_renewed,
    c.LeaseEnded: _lease_ended,
    c.AttemptBegan: _attempt_began,
    c.AttemptEnded: _attempt_ended,
    c.NumbersPassed: _numbers_passed,
    c.Undone: _undone,
    c.IterationCounted: _iteration_counted,
}
