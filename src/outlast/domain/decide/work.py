"""Working on tasks: start, complete, fail, skip, reopen, progress, give back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import changes as c
from outlast.domain.decide.evidence import check_proof, proved, require_person
from outlast.domain.decide.fencing import fence, refuse_claimed
from outlast.domain.limits import (
    check_choice,
    check_flag,
    check_name,
    check_progress,
    check_ref,
    check_text,
)
from outlast.domain.model import FINISHED, HOWS, MAX_RETRIES, Progress
from outlast.errors import InvalidStatus, PlanNotActive

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain import commands
    from outlast.domain.model import How, Task
    from outlast.domain.state import PlanState

_SHOWN_IDS: Final = 20
_SAID: Final = ("reported", "assumed")


def start(state: PlanState, command: commands.Start, now: datetime) -> tuple[c.Change, ...]:
    """Begin a task that may run; without a task, the next one, if the actor is free."""
    actor = check_name(command.actor, "actor")
    if command.task is None:
        if state.hold or not state.tasks:
            require_active(state)
        found = None if actor in state.busy else state.next_executable()
        if found is None:
            raise _nothing_for(state, actor)
        started = c.TaskStarted(found, actor)
        return (started,) if state.begun else (c.PlanBegun(), started)
    check_ref(command.task, "task_id")
    require_active(state)
    task = state.task(command.task)
    require_unfinished(task)
    if task.status != "pending":
        refuse_claimed(state, task.id, now)
        raise InvalidStatus("task_already", task_id=task.id, status=task.status)
    require_executable(state, task)
    return taken_up(state, task, actor)


def complete(state: PlanState, command: commands.Complete, now: datetime) -> tuple[c.Change, ...]:
    """Finish a task in progress, or one that may run, which is started first."""
    if command.result is not None:
        check_text(command.result, "result")
    if command.how not in _SAID:
        check_choice(command.how, "how", _SAID if command.proof is None else HOWS)
    claims = command.force or command.amend or command.proof is not None
    if claims:
        _check_claims(command)
    if command.token is not None or state.ledger.leases:
        fence(state, command.task, command.token, now)
    task = _to_be_worked(state, command.task, amend=command.amend)
    done: tuple[c.Change, ...]
    if task.checks or task.protect:
        done = proved(state, command, task)
    else:
        how = _said(command) if claims else command.how
        done = (c.TaskCompleted(task.id, command.result, how),)
    if task.status == "in_progress" and state.begun:
        return done
    return (*taken_up(state, task, command.actor), *done)


def _said(command: commands.Complete) -> How:
    """Return how a task without checks is known to be done: as was said, proof or not."""
    return command.how if command.how in _SAID and not command.force else "reported"


def _check_claims(command: commands.Complete) -> None:
    """Refuse what is no proof, and what is a person's of somebody else."""
    if command.proof is not None:
        check_proof(command.proof)
    for argument in ("force", "amend"):
        if check_flag(getattr(command, argument), argument):
            require_person(command.actor, argument)


def fail(state: PlanState, command: commands.Fail, now: datetime) -> tuple[c.Change, ...]:
    """Put a task back for another try, or fail it when the tries are used up or unwanted."""
    error = check_text(command.error, "error_message")
    check_flag(command.retry, "should_retry")
    fence(state, command.task, command.token, now)
    task = _to_be_worked(state, command.task)
    before = taken_up(state, task, command.actor)
    if command.retry and task.retry_count < MAX_RETRIES:
        return (*before, c.TaskRetried(task.id, error, task.retry_count + 1))
    return (*before, c.TaskFailed(task.id, error))


def skip(state: PlanState, command: commands.Skip, _now: datetime) -> tuple[c.Change, ...]:
    """Leave out any task that is not finished."""
    check_ref(command.task, "task_id")
    reason = check_text(command.reason, "reason")
    task = state.task(command.task)
    require_unfinished(task)
    return (*revive(state), c.TaskSkipped(task.id, reason))


def reopen(state: PlanState, command: commands.Reopen, _now: datetime) -> tuple[c.Change, ...]:
    """Take up a failed or finished task again; what depends on it keeps its state."""
    check_ref(command.task, "task_id")
    task = state.task(command.task)
    if task.status not in FINISHED and task.status != "failed":
        raise InvalidStatus("task_not_ended", task_id=task.id, status=task.status)
    return (*revive(state), c.TaskReopened(task.id))


def progress(
    state: PlanState, command: commands.SetProgress, now: datetime
) -> tuple[c.Change, ...]:
    """Note how far an unfinished task has come."""
    check_ref(command.task, "task_id")
    reached = check_progress(Progress(command.current, command.total), "progress")
    fence(state, command.task, command.token, now)
    task = state.task(command.task)
    require_unfinished(task)
    return () if task.progress == reached else (c.TaskProgressed(task.id, reached),)


def revive(state: PlanState) -> tuple[c.Change, ...]:
    """Return what brings an aborted plan back, since somebody works on it again."""
    return (c.PlanResumed(),) if state.hold == "aborted" else ()


def give_back(state: PlanState, command: commands.Return, now: datetime) -> tuple[c.Change, ...]:
    """Put a task in progress back, in a paused plan too; what it has come to is kept."""
    check_ref(command.task, "task_id")
    check_text(command.reason, "reason")
    fence(state, command.task, command.token, now)
    task = state.task(command.task)
    require_in_progress(task)
    return (c.TaskReturned(task.id),)


def taken_up(state: PlanState, task: Task, actor: str) -> tuple[c.Change, ...]:
    """Return what has to happen before an attempt at a task can end."""
    begun = () if state.begun else (c.PlanBegun(),)
    if task.status == "in_progress":
        return begun
    return (*begun, c.TaskStarted(task.id, check_name(actor, "actor")))


def _to_be_worked(state: PlanState, ref: int | str, *, amend: bool = False) -> Task:
    task = state.tasks.get(ref) if type(ref) is int else None
    if (
        task is not None
        and not state.hold
        and (task.status == "in_progress" or state.is_executable(task.id))
    ):
        return task  # most are quick to tell
    check_ref(ref, "task_id")
    require_active(state)
    task = state.task(ref)
    if task.status == "in_progress":
        return task
    require_unfinished(task)
    if task.status == "failed":
        raise InvalidStatus("task_failed", task_id=task.id, status=task.status)
    if not amend:
        require_executable(state, task)
    return task


def require_active(state: PlanState) -> None:
    """Refuse work on a plan that is empty, paused or aborted."""
    if not state.tasks:
        raise PlanNotActive("plan_empty", reason="empty")
    if state.hold and state.status != "completed":
        raise PlanNotActive(f"plan_{state.hold}", reason=state.hold)


def require_unfinished(task: Task) -> None:
    """Refuse a task that is completed or skipped."""
    if task.status in FINISHED:
        raise InvalidStatus("task_already", task_id=task.id, status=task.status)


def require_in_progress(task: Task) -> None:
    """Refuse a task that nobody works on."""
    if task.status != "in_progress":
        raise InvalidStatus("task_not_in_progress", task_id=task.id, status=task.status)


def require_executable(state: PlanState, task: Task) -> None:
    """Refuse a task that has to wait for others."""
    unmet = state.unmet(task)
    if unmet:
        raise InvalidStatus(
            "task_blocked", task_id=task.id, unmet_dependencies=unmet, status=task.status
        )
    if not state.is_executable(task.id):
        first = state.first_open()
        raise InvalidStatus(
            "task_not_its_turn", task_id=task.id, waits_for=first, status=task.status
        )


def _nothing_for(state: PlanState, actor: str) -> InvalidStatus:
    """Say why an actor cannot start a next task."""
    own = state.current(actor)
    if own is not None:
        return InvalidStatus("actor_busy", task_id=own, actor=actor)
    return nothing_ready(state)


def nothing_ready(state: PlanState) -> InvalidStatus:
    """Say why no task can be started."""
    if state.status == "completed":
        return InvalidStatus("nothing_left", reason="all_done", ids=[], count=0)
    if state.counts["in_progress"]:
        return _nothing_to_start("waiting", state.in_progress())
    return _nothing_to_start(
        "failed", [task.id for task in state.in_order() if task.status == "failed"]
    )


def _nothing_to_start(reason: str, ids: list[int]) -> InvalidStatus:
    return InvalidStatus(
        f"nothing_ready_{reason}", reason=reason, ids=ids[:_SHOWN_IDS], count=len(ids)
    )
