"""The changes that take a change back, computed before it is applied.

Identity up to the id counter, the revision, `updated_at`, the ledger and the notes. The creation of
a plan has no inverse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from outlast.domain import changes as c
from outlast.domain.apply import is_pristine, standing
from outlast.domain.loop_changes import LoopChange
from outlast.domain.note_changes import NoteChange

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
        c.NumbersPassed,
        c.Undone,
        *get_args(NoteChange),
        *get_args(LoopChange),
    )
)


def invert(state: PlanState, change: c.Change) -> tuple[c.Change, ...]:
    """Return what takes `change` back on the state that it leads to."""
    return INVERSES[type(change)](state, change)


def _plan_edited(state: PlanState, change: c.PlanEdited) -> tuple[c.Change, ...]:
    return (
        c.PlanEdited(
            goal=None if change.goal is None else state.goal,
            title=None if change.title is None else state.title,
            order=None if change.order is None else state.order,
        ),
    )


def _phase_added(_state: PlanState, change: c.PhaseAdded) -> tuple[c.Change, ...]:
    return (c.PhaseRemoved(change.phase.id),)


def _phase_edited(state: PlanState, change: c.PhaseEdited) -> tuple[c.Change, ...]:
    return (c.PhaseEdited(state.phases[change.phase.id]),)


def _phase_moved(state: PlanState, change: c.PhaseMoved) -> tuple[c.Change, ...]:
    return (c.PhaseMoved(change.id, state.places[change.id]),)


def _phase_removed(state: PlanState, change: c.PhaseRemoved) -> tuple[c.Change, ...]:
    return (c.PhaseAdded(state.phases[change.id], state.places[change.id]),)


def _task_added(_state: PlanState, change: c.TaskAdded) -> tuple[c.Change, ...]:
    return (c.TaskRemoved(change.task.id),)


def _task_removed(state: PlanState, change: c.TaskRemoved) -> tuple[c.Change, ...]:
    return (c.TaskAdded(state.tasks[change.id], state.graph.before(change.id)),)


def _task_edited(state: PlanState, change: c.TaskEdited) -> tuple[c.Change, ...]:
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


def _task_moved(state: PlanState, change: c.TaskMoved) -> tuple[c.Change, ...]:
    old = state.tasks[change.id]
    return (c.TaskMoved(change.id, old.phase, state.graph.before(change.id)),)


def _task_worked(state: PlanState, change: Any) -> tuple[c.Change, ...]:  # noqa: ANN401 - any of nine changes with an id
    return (standing(state.tasks[change.id]),)


def _plan_turned(state: PlanState, _change: c.Change) -> tuple[c.Change, ...]:
    return (c.PlanRestored(state.begun, state.hold),)


def _plan_reset(state: PlanState, _change: c.PlanReset) -> tuple[c.Change, ...]:
    worked = tuple(standing(task) for task in state.in_order() if not is_pristine(task))
    return (*worked, c.PlanRestored(state.begun, state.hold))


def _iteration_counted(state: PlanState, _change: c.IterationCounted) -> tuple[c.Change, ...]:
    return (c.IterationCounted(state.iteration_count),)


def _stays(_state: PlanState, _change: c.Change) -> tuple[c.Change, ...]:
    return ()


INVERSES: Final[dict[type[c.Change], Callable[[PlanState, Any], tuple[c.Change, ...]]]] = {
    c.PlanEdited: _plan_edited,
    c.PhaseAdded: _phase_added,
    c.PhaseEdited: _phase_edited,
    c.PhaseMoved: _phase_moved,
    c.PhaseRemoved: _phase_removed,
    c.TaskAdded: _task_added,
    c.TaskRemoved: _task_removed,
    c.TaskEdited: _task_edited,
    c.TaskMoved: _task_moved,
    c.TaskStarted: _task_worked,
    c.TaskCompleted: _task_worked,
    c.TaskRetried: _task_worked,
    c.TaskFailed: _task_worked,
    c.TaskSkipped: _task_worked,
    c.TaskReopened: _task_worked,
    c.TaskProgressed: _task_worked,
    c.TaskRestored: _task_worked,
    c.PlanBegun: _plan_turned,
    c.PlanPaused: _plan_turned,
    c.PlanResumed: _plan_turned,
    c.PlanAborted: _plan_turned,
    c.PlanReset: _plan_reset,
    c.PlanRestored: _plan_turned,
    c.TaskReturned: _task_worked,
    c.TaskLeased: _stays,
    c.LeaseRenewed: _stays,
    c.LeaseEnded: _stays,
    c.AttemptBegan: _stays,
    c.AttemptEnded: _stays,
    c.NumbersPassed: _stays,
    c.Undone: _stays,
    c.IterationCounted: _iteration_counted,
    **dict.fromkeys(get_args(NoteChange), _stays),
    **dict.fromkeys(get_args(LoopChange), _stays),
}
