"""The status of a phase: as it was marked, else derived from its tasks (R4.02, R4.03)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.model.model import PhaseStatus, Task
    from outlast.model.state import PlanState


def phase_status(state: PlanState, phase_id: str) -> PhaseStatus:
    """Return the status of a phase."""
    phase = state.phase(phase_id).id
    return state.ledger.phase_marks.get(phase) or _status_of_tasks(state, phase_tasks(state, phase))


def drawn_status(state: PlanState, phase_id: str, tasks: list[Task] | None = None) -> PhaseStatus:
    """Return the status that a phase is drawn with: one that merely waits is not blocked.

    `tasks` are those of the phase, from a caller who has them.
    """
    marked = state.ledger.phase_marks.get(phase_id)
    if marked:
        return marked
    tasks = phase_tasks(state, phase_id) if tasks is None else tasks
    status = _status_of_tasks(state, tasks)
    if status != "blocked" or any(task.status == "failed" for task in tasks):
        return status
    return "in_progress" if any(task.finished for task in tasks) else "pending"


def phase_tasks(state: PlanState, phase_id: str) -> list[Task]:
    """Return the tasks of a phase in list order."""
    graph, place = state.graph, state.phase_positions[phase_id]
    first = graph.end_of_phase(place - 1, state.phase_position)
    last = graph.end_of_phase(place, state.phase_position)
    return [state.tasks[task] for task in graph.order[first:last]]


def _status_of_tasks(state: PlanState, tasks: list[Task]) -> PhaseStatus:
    if not tasks:
        return "pending"
    left = [task for task in tasks if not task.finished]
    if not left:
        return "completed"
    if any(task.status == "in_progress" for task in left):
        return "in_progress"
    if all(task.status == "failed" or state.unmet_needs(task) for task in left):
        return "blocked"
    return "in_progress" if len(left) < len(tasks) else "pending"
