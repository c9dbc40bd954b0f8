"""Commits read behind a gap in the history: what of them makes sense on the plan as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.domain import changes as c
from outlast.domain import loop_changes as loop
from outlast.domain import note_changes as n
from outlast.domain.apply import APPLY
from outlast.domain.dependencies import refuse_cycle, refuse_later_anywhere
from outlast.domain.model import FINISHED
from outlast.errors import CircularDependency, InvalidDependency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.domain.model import Task
    from outlast.domain.state import PlanState


def salvage(state: PlanState, commit: c.Commit, numbers: dict[int, int]) -> c.Commit | None:
    """Apply what of a commit applies, and return that under the next revision; None if nothing.

    `numbers` is which revision each commit has now, by the one it had; this one is added.
    """
    kept: list[c.Change] = []
    before = state.updated_at
    state.updated_at = commit.at
    for found in commit.changes:
        change = _fitted(state, found, numbers)
        for step in (*_led_up(state, change), change):
            if applies(state, step):
                APPLY[type(step)](state, step, commit.at)
                kept.append(step)
    if all(isinstance(change, c.Undone) for change in kept) and len(kept) < len(commit.changes):
        state.updated_at = before
        return None
    if kept:
        state.revision += 1
        numbers[commit.revision] = state.revision
    else:
        state.updated_at = before
    return replace(commit, revision=state.revision, changes=tuple(kept))


def applies(state: PlanState, change: c.Change) -> bool:
    """Tell whether a change makes sense on the plan as it is; a plan can begin at any time."""
    if isinstance(change, c.PlanCreated):
        return True
    return bool(state.id) and _CHECKS.get(type(change), _always)(state, change)


# What a change is preceded by, and how it is fitted in


def _fitted(state: PlanState, change: c.Change, numbers: dict[int, int]) -> c.Change:
    if isinstance(change, c.Undone):
        return c.Undone(numbers.get(change.revision, 0))
    if isinstance(change, c.TaskAdded) and not _has_place(state, change):
        return c.TaskAdded(change.task)
    return change


def _has_place(state: PlanState, change: c.TaskAdded) -> bool:
    return change.after is None or _fits(state, change.task.phase, change.after, change.task.id)


def _led_up(state: PlanState, change: c.Change) -> tuple[c.Change, ...]:
    """Return what must have happened before a change, since the change did."""
    if isinstance(change, c.AttemptBegan):
        before = _number(change.id) - 1
        return (c.NumbersPassed(before, 0),) if before > state.ledger.attempts_begun else ()
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


def _number(attempt: str) -> int:
    return int(attempt.partition("#")[2])


# What each change needs


def _always(_state: PlanState, _change: c.Change) -> bool:
    return True


def _plan_edited(state: PlanState, change: c.PlanEdited) -> bool:
    return change.order != "sequential" or _in_sequence(state, state.graph.order)


def _phase_added(state: PlanState, change: c.PhaseAdded) -> bool:
    return change.phase.id not in state.phases


def _phase_edited(state: PlanState, change: c.PhaseEdited) -> bool:
    return change.phase.id in state.phases


def _phase_moved(state: PlanState, change: c.PhaseMoved) -> bool:
    if change.id not in state.phases:
        return False
    if state.order == "graph":
        return True
    phases = [phase for phase in state.phases if phase != change.id]
    phases.insert(change.place, change.id)
    return _in_sequence(
        state, sorted(state.graph.order, key=lambda task: phases.index(state.tasks[task].phase))
    )


def _phase_removed(state: PlanState, change: c.PhaseRemoved) -> bool:
    used = any(task.phase == change.id for task in state.tasks.values())
    return change.id in state.phases and len(state.phases) > 1 and not used


def _task_added(state: PlanState, change: c.TaskAdded) -> bool:
    task = change.task
    new = task.id not in state.tasks and task.alias not in state.aliases
    if not new or task.phase not in state.phases or not _known(state, task.needs):
        return False
    return _has_place(state, change) and (
        state.order == "graph" or _comes_after(state, task, change.after)
    )


def _comes_after(state: PlanState, task: Task, after: int | None) -> bool:
    """Tell whether a new task would stand behind what it depends on."""
    position = state.graph.position
    if after is None:
        index = state.graph.end_of(state.places[task.phase], state.place_of)
    else:
        index = position(after) + 1 if after else 0
    return all(position(d) < index for d in task.needs)


def _task_removed(state: PlanState, change: c.TaskRemoved) -> bool:
    task = state.tasks.get(change.id)
    if task is None or task.status == "in_progress":
        return False
    return task.id not in state.graph.dependents


def _task_edited(state: PlanState, change: c.TaskEdited) -> bool:
    if change.id not in state.tasks or not _known(state, change.needs or ()):
        return False
    try:
        refuse_cycle(state, change.id, change.needs or ())
    except CircularDependency:
        return False
    return state.order == "graph" or all(
        state.graph.precedes(d, change.id) for d in change.needs or ()
    )


def _task_moved(state: PlanState, change: c.TaskMoved) -> bool:
    if change.id not in state.tasks or not _fits(state, change.phase, change.after, change.id):
        return False
    if state.order == "graph":
        return True
    order = [task for task in state.graph.order if task != change.id]
    order.insert(order.index(change.after) + 1 if change.after else 0, change.id)
    return _in_sequence(state, order)


def _task_started(state: PlanState, change: c.TaskStarted) -> bool:
    return change.id in state.tasks and state.tasks[change.id].status == "pending"


def _task_ended(state: PlanState, change: c.TaskCompleted | c.TaskRetried | c.TaskFailed) -> bool:
    found = state.tasks.get(change.id)
    return found is not None and found.status in ("pending", "in_progress")


def _task_skipped(state: PlanState, change: c.TaskSkipped) -> bool:
    return change.id in state.tasks and state.tasks[change.id].status not in FINISHED


def _task_there(
    state: PlanState, change: c.TaskReopened | c.TaskProgressed | n.CheckConfirmed
) -> bool:
    return change.id in state.tasks


def _task_restored(state: PlanState, change: c.TaskRestored) -> bool:
    lease = state.ledger.leases.get(change.id)
    stays = lease is None or change.status != "in_progress" or change.actor == lease.holder
    return change.id in state.tasks and stays


def _task_returned(state: PlanState, change: c.TaskReturned) -> bool:
    return change.id in state.tasks and state.tasks[change.id].status == "in_progress"


def _task_leased(state: PlanState, change: c.TaskLeased) -> bool:
    if change.token <= state.ledger.last_token:
        return False
    task = state.tasks.get(change.id)
    if task is None:
        return change.id == 0
    return task.status == "in_progress" and task.actor == change.holder


def _leased(state: PlanState, change: c.LeaseRenewed | c.LeaseEnded) -> bool:
    return change.id in state.ledger.leases


def _attempt_began(state: PlanState, change: c.AttemptBegan) -> bool:
    there = change.task == 0 or change.task in state.tasks
    return there and _number(change.id) not in map(_number, state.ledger.attempts)


def _attempt_ended(state: PlanState, change: c.AttemptEnded) -> bool:
    return change.id in state.ledger.attempts


def _proof_noted(state: PlanState, change: n.ProofNoted) -> bool:
    return change.proof.task in state.tasks


def _phase_marked(state: PlanState, change: n.PhaseMarked) -> bool:
    return change.id in state.phases


def _finding_forgotten(state: PlanState, change: n.FindingForgotten) -> bool:
    return change.id in state.notes.findings


def _paid_for(state: PlanState, change: loop.BudgetSet | loop.Charged) -> bool:
    return change.task == 0 or change.task in state.tasks


def _question_asked(state: PlanState, change: loop.QuestionAsked) -> bool:
    return change.question.id > state.ledger.talk.asked


def _question_answered(state: PlanState, change: loop.QuestionAnswered) -> bool:
    found = state.ledger.talk.questions.get(change.id)
    return found is not None and found.answer is None


def _interjected(state: PlanState, change: loop.Interjected) -> bool:
    return change.said.id > state.ledger.talk.spoken


def _undone(_state: PlanState, change: c.Undone) -> bool:
    return change.revision > 0


def _known(state: PlanState, tasks: Iterable[int]) -> bool:
    return all(task in state.tasks for task in tasks)


def _fits(state: PlanState, phase: str, after: int, task_id: int) -> bool:
    """Tell whether a task of a phase may stand behind another one (0: at the front)."""
    graph = state.graph
    if after == task_id or phase not in state.phases or (after and after not in state.tasks):
        return False
    behind = graph.position(after) + 1 if after else 0
    following = [task for task in graph.order[behind : behind + 2] if task != task_id][:1]
    place = state.places[phase]
    if after and state.place_of(after) > place:
        return False
    return all(state.place_of(task) >= place for task in following)


def _in_sequence(state: PlanState, order: list[int]) -> bool:
    positions = {task: index for index, task in enumerate(order)}
    try:
        refuse_later_anywhere(state.tasks.values(), positions.__getitem__)
    except InvalidDependency:
        return False
    return True


_WORK: Final = (c.TaskStarted, c.TaskCompleted, c.TaskRetried, c.TaskFailed, c.TaskSkipped)
_CHECKS: Final[dict[type[c.Change], Callable[[PlanState, Any], bool]]] = {
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
    c.TaskCompleted: _task_ended,
    c.TaskRetried: _task_ended,
    c.TaskFailed: _task_ended,
    c.TaskSkipped: _task_skipped,
    c.TaskReopened: _task_there,
    c.TaskProgressed: _task_there,
    c.TaskRestored: _task_restored,
    c.TaskReturned: _task_returned,
    c.TaskLeased: _task_leased,
    c.LeaseRenewed: _leased,
    c.LeaseEnded: _leased,
    c.AttemptBegan: _attempt_began,
    c.AttemptEnded: _attempt_ended,
    c.Undone: _undone,
    n.ProofNoted: _proof_noted,
    n.CheckConfirmed: _task_there,
    n.PhaseMarked: _phase_marked,
    n.FindingForgotten: _finding_forgotten,
    loop.BudgetSet: _paid_for,
    loop.Charged: _paid_for,
    loop.QuestionAsked: _question_asked,
    loop.QuestionAnswered: _question_answered,
    loop.Interjected: _interjected,
}
