"""Which phases there are: add, edit, move, remove, mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain import changes as c
from outlast.domain.dependencies import refuse_later_anywhere
from outlast.domain.limits import check_choice, check_name, check_text, slug
from outlast.domain.model import PHASE_STATUSES, Phase
from outlast.domain.note_changes import PhaseMarked
from outlast.errors import InvalidArgument, InvalidStatus

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.commands import AddPhase, EditPhase, MovePhase, RemovePhase
    from outlast.domain.note_commands import MarkPhase
    from outlast.domain.state import PlanState


def add(state: PlanState, command: AddPhase, _now: datetime) -> tuple[c.Change, ...]:
    """Add a phase under an id made from its title."""
    title = check_name(command.title, "title")
    notes = check_text(command.notes, "notes")
    phase = Phase(slug(title, state.phases), title, notes)
    return (c.PhaseAdded(phase, _place_behind(state, command.insert_after, len(state.phases))),)


def edit(state: PlanState, command: EditPhase, _now: datetime) -> tuple[c.Change, ...]:
    """Change title or notes; the id stays."""
    title = None if command.title is None else check_name(command.title, "title")
    notes = None if command.notes is None else check_text(command.notes, "notes")
    old = state.phase(command.phase)
    new = Phase(
        old.id, old.title if title is None else title, old.notes if notes is None else notes
    )
    return () if new == old else (c.PhaseEdited(new),)


def move(state: PlanState, command: MovePhase, _now: datetime) -> tuple[c.Change, ...]:
    """Give a phase, with its tasks, another place among the phases."""
    phase = state.phase(command.phase)
    place = _place_behind(state, command.insert_after, 0)
    if command.insert_after == phase.id:
        raise InvalidArgument("phase_after_itself", argument="after", phase=phase.id)
    if (
        command.insert_after is not None
        and state.places[command.insert_after] > state.places[phase.id]
    ):
        place -= 1
    if place == state.places[phase.id]:
        return ()
    if state.order == "sequential":
        ids = [other for other in state.phases if other != phase.id]
        ids.insert(place, phase.id)
        places = {other: number for number, other in enumerate(ids)}
        order = sorted(state.graph.order, key=lambda task: places[state.tasks[task].phase])
        positions = {task: index for index, task in enumerate(order)}
        refuse_later_anywhere(state.tasks.values(), positions.__getitem__)
    return (c.PhaseMoved(phase.id, place),)


def remove(state: PlanState, command: RemovePhase, _now: datetime) -> tuple[c.Change, ...]:
    """Remove a phase without tasks; the last one stays."""
    phase = state.phase(command.phase)
    tasks = [task.id for task in state.in_order() if task.phase == phase.id]
    if tasks:
        raise InvalidStatus("phase_not_empty", phase=phase.id, tasks=tasks)
    if len(state.phases) == 1:
        raise InvalidStatus("phase_last", phase=phase.id)
    return (c.PhaseRemoved(phase.id),)


def mark(state: PlanState, command: MarkPhase, _now: datetime) -> tuple[c.Change, ...]:
    """Show a phase in a state of somebody's own, or again as its tasks are."""
    if command.status is not None:
        check_choice(command.status, "status", PHASE_STATUSES)
    phase = state.phase(command.phase)
    if state.ledger.marked.get(phase.id) == command.status:
        return ()
    return (PhaseMarked(phase.id, command.status),)


def _place_behind(state: PlanState, after: str | None, default: int) -> int:
    return default if after is None else state.places[state.phase(after).id] + 1
