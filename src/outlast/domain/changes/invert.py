"""Invert: the changes that reverse a change, computed before it is applied.

They restore everything except the id counter, the revision, `updated_at`, the ledger and the notes.
The creation of a plan has no inverse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from outlast.domain import changes as c
from outlast.domain.changes import LoopChange, NoteChange
from outlast.domain.changes.apply import is_pristine, work_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.state import PlanState

FACTS: Final[frozenset[type[c.Change]]] = frozenset(
    (
        c.IterationCounted,
        c.TaskLeased,
        c.LeaseRenewed,
        c.LeaseEnded,
        c.AttemptBegan,
        c.AttemptEnded,
        c.IdsSkipped,
        c.Undone,
        *get_args(NoteChange),
        *get_args(LoopChange),
    )
)


def invert(state: PlanState, change: c.Change) -> tuple[c.Change, ...]:
    """Return the changes that reverse `change`, given the state before it."""
    return INVERSES[type(change)](state, change)


def _invert_plan_edited(state: PlanState, change: c.PlanEdited) -> tuple[c.Change, ...]:
    return (
        c.PlanEdited(
            goal=None if change.goal is None else state.goal,
            title=None if change.title is None else state.title,
            order=None if change.order is None else state.order,
        ),
    )


def _invert_phase_added(_state: PlanState, change: c.PhaseAdded) -> tuple[c.Change, ...]:
    return (c.PhaseRemoved(change.phase.id),)


def _invert_phase_edited(state: PlanState, change: c.PhaseEdited) -> tuple[c.Change, ...]:
    return (c.PhaseEdited(state.phases[change.phase.id]),)


def _invert_phase_moved(state: PlanState, change: c.PhaseMoved) -> tuple[c.Change, ...]:
    return (c.PhaseMoved(change.id, state.phase_positions[change.id]),)


def _invert_phase_removed(state: PlanState, change: c.PhaseRemoved) -> tuple[c.Change, ...]:
    return (c.PhaseAdded(state.phases[change.id], state.phase_positions[change.id]),)


def _invert_task_added(_state: PlanState, change: c.TaskAdded) -> tuple[c.Change, ...]:
    return (c.TaskRemoved(change.task.id),)


def _invert_task_removed(state: PlanState, change: c.TaskRemoved) -> tuple[c.Change, ...]:
    return (c.TaskAdded(state.tasks[change.id], state.graph.predecessor(change.id)),)


def _invert_task_edited(state: PlanState, change: c.TaskEdited) -> tuple[c.Change, ...]:
    old = state.tasks[change.id]
    return (
        c.TaskEdited(
            change.id,
            *(
                None if getattr(change, field) is None else getattr(old, field)
                for field in change.__struct_fields__[1:]
            ),
        ),
    )


def _invert_task_moved(state: PlanState, change: c.TaskMoved) -> tuple[c.Change, ...]:
    old = state.tasks[change.id]
    return (c.TaskMoved(change.id, old.phase, state.graph.predecessor(change.id)),)


def _restore_work(state: PlanState, change: Any) -> tuple[c.Change, ...]:  # noqa: ANN401 - any of nine changes with an id
    return (work_state(state.tasks[change.id]),)


def _restore_plan_status(state: PlanState, _change: c.Change) -> tuple[c.Change, ...]:
    return (c.PlanRestored(state.begun, state.hold),)


def _invert_plan_reset(state: PlanState, _change: c.PlanReset) -> tuple[c.Change, ...]:
    worked = tuple(work_state(task) for task in state.tasks_in_order() if not is_pristine(task))
    return (*worked, c.PlanRestored(state.begun, state.hold))


def _invert_iteration_counted(
    state: PlanState, _change: c.IterationCounted
) -> tuple[c.Change, ...]:
    return (c.IterationCounted(state.iteration_count),)


def _nothing(_state: PlanState, _change: c.Change) -> tuple[c.Change, ...]:
    return ()


INVERSES: Final[dict[type[c.Change], Callable[[PlanState, Any], tuple[c.Change, ...]]]] = {
    c.PlanEdited: _invert_plan_edited,
    c.PhaseAdded: _invert_phase_added,
    c.PhaseEdited: _invert_phase_edited,
    c.PhaseMoved: _invert_phase_moved,
    c.PhaseRemoved: _invert_phase_removed,
    c.TaskAdded: _invert_task_added,
    c.TaskRemoved: _invert_task_removed,
    c.TaskEdited: _invert_task_edited,
    c.TaskMoved: _invert_task_moved,
    c.TaskStarted: _restore_work,
    c.TaskCompleted: _restore_work,
    c.TaskRetried: _restore_work,
    c.TaskFailed: _restore_work,
    c.TaskSkipped: _restore_work,
    c.TaskReopened: _restore_work,
    c.TaskProgressed: _restore_work,
    c.TaskRestored: _restore_work,
    c.PlanBegun: _restore_plan_status,
    c.PlanPaused: _restore_plan_status,
    c.PlanResumed: _restore_plan_status,
    c.PlanAborted: _restore_plan_status,
    c.PlanReset: _invert_plan_reset,
    c.PlanRestored: _restore_plan_status,
    c.TaskReturned: _restore_work,
    c.TaskLeased: _nothing,
    c.LeaseRenewed: _nothing,
    c.LeaseEnded: _nothing,
    c.AttemptBegan: _nothing,
    c.AttemptEnded: _nothing,
    c.IdsSkipped: _nothing,
    c.Undone: _nothing,
    c.IterationCounted: _invert_iteration_counted,
    **dict.fromkeys(get_args(NoteChange), _nothing),
    **dict.fromkeys(get_args(LoopChange), _nothing),
}
