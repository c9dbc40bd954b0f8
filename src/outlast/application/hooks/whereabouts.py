"""Where a plan stands: the phase and the step in progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.domain.state import PlanState


def whereabouts(state: PlanState, actor: str) -> tuple[str, str] | None:
    """Return the phase and the name of what an actor, else anybody, has in progress."""
    current = state.current(actor) or next(iter(state.in_progress()), None)
    if current is None:
        return None
    task = state.tasks[current]
    return state.phases[task.phase].title, task.name
