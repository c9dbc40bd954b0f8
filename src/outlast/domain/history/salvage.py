"""Salvage commits that follow a gap in the journal: apply what still fits the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.domain import changes as c
from outlast.domain.changes.apply import APPLY
from outlast.domain.dependencies import refuse_cycle, refuse_later_needs_in_sequence
from outlast.domain.model import FINISHED
from outlast.errors import CircularDependency, InvalidDependency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.domain.model import Task
    from outlast.domain.state import PlanState


def salvage(state: PlanState, commit: c.Commit, revisions: dict[int, int]) -> c.Commit | None:
    """Apply the changes of a commit that fit, and return them under the next revision.

    None if no change fits. `revisions` maps old revisions to new ones; this commit is added to it.
    """
    applied: list[c.Change] = []
    before = state.updated_at
    state.updated_at = commit.at
    for change_read in commit.changes:
        change = _adapt(state, change_read, revisions)
        for step in (*_preceding_changes(state, change), change):
            if is_applicable(state, step):
                APPLY[type(step)](state, step, commit.at)
                applied.append(step)
    if all(isinstance(change, c.Undone) for change in applied) and len(applied) < len(
        commit.changes
    ):
        state.updated_at = before
        return None
    if applied:
        state.revision += 1
        revisions[commit.revision] = state.revision
    else:
        state.updated_at = before
    return replace(commit, revision=state.revision, changes=tuple(applied))


def is_applicable(state: PlanState, change: c.Change) -> bool:
    """Return whether a change fits the plan as it is; a plan can be created at any time."""
    if isinstance(change, c.PlanCreated):
        return True
    return bool(state.id) and _APPLICABLE.get(type(change), _always)(state, change)


# How a change is adapted, and what must precede it


def _adapt(state: PlanState, change: c.Change, revisions: dict[int, int]) -> c.Change:
    if isinstance(change, c.Undone):
        return c.Undone(revisions.get(change.revision, 0))
    if isinstance(change, c.TaskAdded) and not _has_valid_position(state, change):
        return c.TaskAdded(change.task)
    return change


def _has_valid_position(state: PlanState, change: c.TaskAdded) -> bool:
    return change.after is None or _fits_after(
        state, change.task.phase, change.after, change.task.id
    )


def _preceding_changes(state: PlanState, change: c.Change) -> tuple[c.Change, ...]:
    """Return the changes that must have come before a change, since it happened."""
    if isinstance(change, c.AttemptBegan):
        before = _attempt_number(change.id) - 1
        return (c.IdsSkipped(before, 0),) if before > state.ledger.attempts_begun else ()
    if not isinstance(change, _WORK) or change.id not in state.tasks:
        return ()
    status = state.tasks[change.id].status
    if isinstance(change, c.TaskSkipped):
        return (c.TaskReopened(change.id),) if status in FINISHED else ()
    begun = () if state.begun else (c.PlanBegun(),)
    if status in FINISHED or status == "failed":
        return (*begun, c.TaskReopened(change.id))
    if status == "in_progress" and isinstance(change, c.TaskStarted):
        return (*begun, c.TaskReturned(change.id))
    return begun


def _attempt_number(attempt: str) -> int:
    return int(attempt.partition("#")[2])


# When each change is applicable


def _always(_state: PlanState, _change: c.Change) -> bool:
    return True


def _fits_plan_edited(state: PlanState, change: c.PlanEdited) -> bool:
    return change.order != "sequential" or _is_sequence(state, state.graph.order)


def _fits_phase_added(state: PlanState, change: c.PhaseAdded) -> bool:
    return change.phase.id not in state.phases


def _fits_phase_edited(state: PlanState, change: c.PhaseEdited) -> bool:
    return change.phase.id in state.phases


def _fits_phase_moved(state: PlanState, change: c.PhaseMoved) -> bool:
    if change.id not in state.phases:
        return False
    if state.order == "graph":
        return True
    phases = [phase for phase in state.phases if phase != change.id]
    phases.insert(change.place, change.id)
    return _is_sequence(
        state, sorted(state.graph.order, key=lambda task: phases.index(state.tasks[task].phase))
    )


def _fits_phase_removed(state: PlanState, change: c.PhaseRemoved) -> bool:
    used = any(task.phase == change.id for task in state.tasks.values())
    return change.id in state.phases and len(state.phases) > 1 and not used


def _fits_task_added(state: PlanState, change: c.TaskAdded) -> bool:
    task = change.task
    new = task.id not in state.tasks and task.alias not in state.aliases
    if not new or task.phase not in state.phases or not _has_tasks(state, task.needs):
        return False
    return _has_valid_position(state, change) and (
        state.order == "graph" or _is_after_its_needs(state, task, change.after)
    )


def _is_after_its_needs(state: PlanState, task: Task, after: int | None) -> bool:
    """Return whether a new task would stand after the tasks it needs."""
    position = state.graph.position
    if after is None:
        index = state.graph.end_of_phase(state.phase_positions[task.phase], state.phase_position)
    else:
        index = position(after) + 1 if after else 0
    return all(position(d) < index for d in task.needs)


def _fits_task_removed(state: PlanState, change: c.TaskRemoved) -> bool:
    task = state.tasks.get(change.id)
    if task is None or task.status == "in_progress":
        return False
    return task.id not in state.graph.dependents


def _fits_task_edited(state: PlanState, change: c.TaskEdited) -> bool:
    if change.id not in state.tasks or not _has_tasks(state, change.needs or ()):
        return False
    try:
        refuse_cycle(state, change.id, change.needs or ())
    except CircularDependency:
        return False
    return state.order == "graph" or all(
        state.graph.is_before(d, change.id) for d in change.needs or ()
    )


def _fits_task_moved(state: PlanState, change: c.TaskMoved) -> bool:
    if change.id not in state.tasks or not _fits_after(
        state, change.phase, change.after, change.id
    ):
        return False
    if state.order == "graph":
        return True
    order = [task for task in state.graph.order if task != change.id]
    order.insert(order.index(change.after) + 1 if change.after else 0, change.id)
    return _is_sequence(state, order)


def _fits_task_started(state: PlanState, change: c.TaskStarted) -> bool:
    return change.id in state.tasks and state.tasks[change.id].status == "pending"


def _fits_task_ended(
    state: PlanState, change: c.TaskCompleted | c.TaskRetried | c.TaskFailed
) -> bool:
    task = state.tasks.get(change.id)
    return task is not None and task.status in ("pending", "in_progress")


def _fits_task_skipped(state: PlanState, change: c.TaskSkipped) -> bool:
    return change.id in state.tasks and state.tasks[change.id].status not in FINISHED


def _has_task(
    state: PlanState, change: c.TaskReopened | c.TaskProgressed | c.CheckConfirmed
) -> bool:
    return change.id in state.tasks


def _fits_task_restored(state: PlanState, change: c.TaskRestored) -> bool:
    lease = state.ledger.leases.get(change.id)
    keeps_lease = lease is None or change.status != "in_progress" or change.actor == lease.holder
    return change.id in state.tasks and keeps_lease


def _fits_task_returned(state: PlanState, change: c.TaskReturned) -> bool:
    return change.id in state.tasks and state.tasks[change.id].status == "in_progress"


def _fits_task_leased(state: PlanState, change: c.TaskLeased) -> bool:
    if change.token <= state.ledger.last_token:
        return False
    task = state.tasks.get(change.id)
    if task is None:
        return change.id == 0
    return task.status == "in_progress" and task.actor == change.holder


def _has_lease(state: PlanState, change: c.LeaseRenewed | c.LeaseEnded) -> bool:
    return change.id in state.ledger.leases


def _fits_attempt_began(state: PlanState, change: c.AttemptBegan) -> bool:
    exists = change.task == 0 or change.task in state.tasks
    return exists and _attempt_number(change.id) not in map(_attempt_number, state.ledger.attempts)


def _fits_attempt_ended(state: PlanState, change: c.AttemptEnded) -> bool:
    return change.id in state.ledger.attempts


def _fits_proof_noted(state: PlanState, change: c.ProofNoted) -> bool:
    return change.proof.task in state.tasks


def _fits_phase_marked(state: PlanState, change: c.PhaseMarked) -> bool:
    return change.id in state.phases


def _fits_finding_forgotten(state: PlanState, change: c.FindingForgotten) -> bool:
    return change.id in state.notes.findings


def _has_scope(state: PlanState, change: c.BudgetSet | c.Charged) -> bool:
    return change.task == 0 or change.task in state.tasks


def _fits_question_asked(state: PlanState, change: c.QuestionAsked) -> bool:
    return change.question.id > state.ledger.conversation.last_question


def _fits_question_answered(state: PlanState, change: c.QuestionAnswered) -> bool:
    question = state.ledger.conversation.questions.get(change.id)
    return question is not None and question.answer is None


def _fits_interjected(state: PlanState, change: c.Interjected) -> bool:
    return change.interjection.id > state.ledger.conversation.last_interjection


def _fits_undone(_state: PlanState, change: c.Undone) -> bool:
    return change.revision > 0


def _has_tasks(state: PlanState, tasks: Iterable[int]) -> bool:
    return all(task in state.tasks for task in tasks)


def _fits_after(state: PlanState, phase: str, after: int, task_id: int) -> bool:
    """Return whether a task of a phase may stand after another task (0: at the front)."""
    graph = state.graph
    if after == task_id or phase not in state.phases or (after and after not in state.tasks):
        return False
    index = graph.position(after) + 1 if after else 0
    following = [task for task in graph.order[index : index + 2] if task != task_id][:1]
    place = state.phase_positions[phase]
    if after and state.phase_position(after) > place:
        return False
    return all(state.phase_position(task) >= place for task in following)


def _is_sequence(state: PlanState, order: list[int]) -> bool:
    positions = {task: index for index, task in enumerate(order)}
    try:
        refuse_later_needs_in_sequence(state.tasks.values(), positions.__getitem__)
    except InvalidDependency:
        return False
    return True


_WORK: Final = (c.TaskStarted, c.TaskCompleted, c.TaskRetried, c.TaskFailed, c.TaskSkipped)
_APPLICABLE: Final[dict[type[c.Change], Callable[[PlanState, Any], bool]]] = {
    c.PlanEdited: _fits_plan_edited,
    c.PhaseAdded: _fits_phase_added,
    c.PhaseEdited: _fits_phase_edited,
    c.PhaseMoved: _fits_phase_moved,
    c.PhaseRemoved: _fits_phase_removed,
    c.TaskAdded: _fits_task_added,
    c.TaskRemoved: _fits_task_removed,
    c.TaskEdited: _fits_task_edited,
    c.TaskMoved: _fits_task_moved,
    c.TaskStarted: _fits_task_started,
    c.TaskCompleted: _fits_task_ended,
    c.TaskRetried: _fits_task_ended,
    c.TaskFailed: _fits_task_ended,
    c.TaskSkipped: _fits_task_skipped,
    c.TaskReopened: _has_task,
    c.TaskProgressed: _has_task,
    c.TaskRestored: _fits_task_restored,
    c.TaskReturned: _fits_task_returned,
    c.TaskLeased: _fits_task_leased,
    c.LeaseRenewed: _has_lease,
    c.LeaseEnded: _has_lease,
    c.AttemptBegan: _fits_attempt_began,
    c.AttemptEnded: _fits_attempt_ended,
    c.Undone: _fits_undone,
    c.ProofNoted: _fits_proof_noted,
    c.CheckConfirmed: _has_task,
    c.PhaseMarked: _fits_phase_marked,
    c.FindingForgotten: _fits_finding_forgotten,
    c.BudgetSet: _has_scope,
    c.Charged: _has_scope,
    c.QuestionAsked: _fits_question_asked,
    c.QuestionAnswered: _fits_question_answered,
    c.Interjected: _fits_interjected,
}
