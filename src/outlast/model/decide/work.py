"""Work on tasks: start, complete, fail, skip, reopen, set progress, return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from outlast.errors import InvalidStatus
from outlast.model import changes as c
from outlast.model import commands
from outlast.model.decide.claims import check_fence, refuse_claimed
from outlast.model.decide.preconditions import (
    nothing_ready_error,
    require_active,
    require_approved,
    require_executable,
    require_in_progress,
    require_unfinished,
    revive_changes,
    start_changes,
)
from outlast.model.decide.proof import check_proof, prove, require_person
from outlast.model.limits import (
    LARGEST_ID,
    NAME_CHARACTERS,
    check_choice,
    check_flag,
    check_name,
    check_number,
    check_progress,
    check_ref,
    check_text,
)
from outlast.model.model import FINISHED, HOWS, ClaimedHow, How, Progress, Task

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.state import PlanState

_CLAIMED_HOWS: Final = get_args(ClaimedHow)


def start(state: PlanState, command: commands.Start, now: datetime) -> tuple[c.Change, ...]:
    """Start a ready task; without a task, the next one, if the actor has none in progress."""
    actor = command.actor
    if type(actor) is not str or not actor.isidentifier() or len(actor) > NAME_CHARACTERS:
        check_name(actor, "actor")  # most are identifiers
    if state.needs_approval:
        require_approved(state, actor)
    if command.task is None:
        if state.hold or not state.tasks:
            require_active(state)
        task_id = None
        if actor not in state.tasks_by_actor:  # `next_ready` without its call, which is felt here
            task_id = state.graph.first_ready() if state.order == "graph" else state.next_ready()
        if task_id is None:
            raise _not_startable_for(state, actor)
        started = c.TaskStarted(task_id, actor)
        return (started,) if state.begun else (c.PlanBegun(), started)
    check_ref(command.task, "task")
    require_active(state)
    task = state.task(command.task)
    require_unfinished(task)
    if task.status != "pending":
        refuse_claimed(state, task.id, now)
        raise InvalidStatus("task_already", task_id=task.id, status=task.status)
    require_executable(state, task)
    return start_changes(state, task, actor)


def complete(state: PlanState, command: commands.Complete, now: datetime) -> tuple[c.Change, ...]:
    """Complete a task in progress, or a ready one, which is started first.

    A task whose completion was assumed is confirmed.
    """
    ref, result, how = command.task, command.result, command.how
    if result is not None and (
        type(result) is not str or not result.isascii() or len(result) > NAME_CHARACTERS
    ):
        check_text(result, "result")  # most are short and ASCII
    if how != "reported":
        check_choice(how, "how", _CLAIMED_HOWS if command.proof is None else HOWS)
    has_claims = command.force or command.amend or command.proof is not None
    if has_claims:
        _check_proof_and_flags(command)
    if command.token is not None or state.ledger.leases:
        check_fence(state, ref, command.token, now)
    task = state.tasks.get(ref) if type(ref) is int else None
    is_held = state.hold or state.needs_approval
    if task is None or is_held or not (task.status == "in_progress" or state.is_ready(task.id)):
        require_approved(state, command.actor)
        assumed = state.find(check_ref(ref, "task"))
        if assumed is not None and assumed.is_assumed and how != "assumed":
            return _confirm(state, command, assumed)
        task = _require_workable(state, ref, command.actor, amend=command.amend)
    if how == "assumed":
        _refuse_partial(task)
    result = result or _made_result(state, task) or result
    done: tuple[c.Change, ...]
    if task.checks or task.protect:
        how, noted = prove(state, command, task)
        done = (*noted, c.TaskCompleted(task.id, result, how))
    else:
        how = _how_without_checks(command) if has_claims else how
        done = (c.TaskCompleted(task.id, result, how),)
    if task.status == "in_progress" and state.begun:
        return done
    return (*start_changes(state, task, command.actor), *done)


def _made_result(state: PlanState, task: Task) -> str | None:
    """Return a result of what was said and done in a task since it was started."""
    said, done = state.ledger.said.get(task.id, ()), state.ledger.done.get(task.id, ())
    if not said and not done:
        return None
    from outlast.model.replies.results import made_result  # few completions of a command need it

    language = state.last_run.language if state.last_run else "en"
    return made_result(said, done, "zh" if language == "zh" else "en")


def _confirm(state: PlanState, command: commands.Complete, task: Task) -> tuple[c.Change, ...]:
    """Confirm a completion that was assumed; a task with checks needs a proof for that too."""
    require_active(state, command.actor)
    if task.checks or task.protect:
        how, noted = prove(state, command, task)
        return (*noted, c.CompletionConfirmed(task.id, command.result, how))
    return (c.CompletionConfirmed(task.id, command.result, _how_without_checks(command)),)


def _refuse_partial(task: Task) -> None:
    """Refuse to assume that a task is done while its progress is below its total."""
    reached = task.progress
    if reached is not None and reached.current < reached.total:
        raise InvalidStatus(
            "assumed_too_early",
            task_id=task.id,
            status=task.status,
            current=reached.current,
            total=reached.total,
        )


def _how_without_checks(command: commands.Complete) -> How:
    """Return how the completion of a task without checks is established."""
    return command.how if command.how in _CLAIMED_HOWS and not command.force else "reported"


def _check_proof_and_flags(command: commands.Complete) -> None:
    """Refuse an invalid proof, and an agent's use of a person's flags."""
    if command.proof is not None:
        check_proof(command.proof)
    for argument in ("force", "amend"):
        if check_flag(getattr(command, argument), argument):
            require_person(command.actor, argument)


def fail(state: PlanState, command: commands.Fail, now: datetime) -> tuple[c.Change, ...]:
    """Return a task for another try, or fail it if no tries are left or wanted."""
    error = check_text(command.error, "error")
    check_flag(command.retry, "retry")
    retries = check_number(command.retries, "retries", 0, LARGEST_ID)
    check_fence(state, command.task, command.token, now)
    require_approved(state, command.actor)
    task = _require_workable(state, command.task)
    before = start_changes(state, task, command.actor)
    if command.retry and task.retry_count < retries:
        return (*before, c.TaskRetried(task.id, error, task.retry_count + 1))
    return (*before, c.TaskFailed(task.id, error))


def skip(state: PlanState, command: commands.Skip, _now: datetime) -> tuple[c.Change, ...]:
    """Skip an unfinished task."""
    check_ref(command.task, "task")
    reason = check_text(command.reason, "reason")
    task = state.task(command.task)
    require_unfinished(task)
    return (*revive_changes(state), c.TaskSkipped(task.id, reason))


def reopen(state: PlanState, command: commands.Reopen, _now: datetime) -> tuple[c.Change, ...]:
    """Reopen a failed or finished task; its dependents keep their status."""
    check_ref(command.task, "task")
    task = state.task(command.task)
    if task.status not in FINISHED and task.status != "failed":
        raise InvalidStatus("task_not_ended", task_id=task.id, status=task.status)
    return (*revive_changes(state), c.TaskReopened(task.id))


def set_progress(
    state: PlanState, command: commands.SetProgress, now: datetime
) -> tuple[c.Change, ...]:
    """Record the progress of an unfinished task."""
    check_ref(command.task, "task")
    reached = check_progress(Progress(command.current, command.total), "progress")
    check_fence(state, command.task, command.token, now)
    task = state.task(command.task)
    require_unfinished(task)
    return () if task.progress == reached else (c.TaskProgressed(task.id, reached),)


def return_task(state: PlanState, command: commands.Return, now: datetime) -> tuple[c.Change, ...]:
    """Return a task in progress to pending, in a paused plan too; its progress is kept."""
    check_ref(command.task, "task")
    check_text(command.reason, "reason")
    check_fence(state, command.task, command.token, now)
    task = state.task(command.task)
    require_in_progress(task)
    return (c.TaskReturned(task.id),)


def _require_workable(
    state: PlanState, ref: int | str, finisher: str = "", *, amend: bool = False
) -> Task:
    check_ref(ref, "task")
    require_active(state, finisher)
    task = state.task(ref)
    if task.status == "in_progress":
        return task
    require_unfinished(task)
    if task.status == "failed":
        raise InvalidStatus("task_failed", task_id=task.id, status=task.status)
    if not amend:
        require_executable(state, task)
    return task


def _not_startable_for(state: PlanState, actor: str) -> InvalidStatus:
    """Return the error that explains why an actor cannot start a next task."""
    own = state.current_task(actor)
    if own is not None:
        return InvalidStatus("actor_busy", task_id=own, actor=actor)
    return nothing_ready_error(state)
