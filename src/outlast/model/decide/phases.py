"""Phases: add, edit, move, remove, mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model import changes as c
from outlast.model.changes import PhaseMarked
from outlast.model.dependencies import refuse_later_needs_in_sequence
from outlast.model.limits import check_choice, check_name, check_text, make_slug
from outlast.model.model import PHASE_STATUSES, Phase

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.commands import AddPhase, EditPhase, MarkPhase, MovePhase, RemovePhase
    from outlast.model.state import PlanState


def add(state: PlanState, command: AddPhase, _now: datetime) -> tuple[c.Change, ...]:
    """Add a phase with the id that it is given, else with one made from its title."""
    title = check_name(command.title, "title")
    notes = check_text(command.notes, "notes")
    if command.id != "" and check_name(command.id, "id") in state.phases:
        raise InvalidArgument("phase_twice", argument="id")
    phase = Phase(command.id or make_slug(title, state.phases), title, notes)
    return (c.PhaseAdded(phase, _place_after(state, command.insert_after, len(state.phases))),)


def edit(state: PlanState, command: EditPhase, _now: datetime) -> tuple[c.Change, ...]:
    """Edit title or notes; the id stays."""
    title = None if command.title is None else check_name(command.title, "title")
    notes = None if command.notes is None else check_text(command.notes, "notes")
    old = state.phase(command.phase)
    new = Phase(
        old.id, old.title if title is None else title, old.notes if notes is None else notes
    )
    return () if new == old else (c.PhaseEdited(new),)


def move(state: PlanState, command: MovePhase, _now: datetime) -> tuple[c.Change, ...]:
    """Move a phase and its tasks to another place among the phases."""
    phase = state.phase(command.phase)
    place = _place_after(state, command.insert_after, 0)
    if command.insert_after == phase.id:
        raise InvalidArgument("phase_after_itself", argument="insert_after", phase=phase.id)
    if (
        command.insert_after is not None
        and state.phase_positions[command.insert_after] > state.phase_positions[phase.id]
    ):
        place -= 1
    if place == state.phase_positions[phase.id]:
        return ()
    if state.order == "sequential":
        ids = [other for other in state.phases if other != phase.id]
        ids.insert(place, phase.id)
        places = {other: number for number, other in enumerate(ids)}
        order = sorted(state.graph.order, key=lambda task: places[state.tasks[task].phase])
        positions = {task: index for index, task in enumerate(order)}
        refuse_later_needs_in_sequence(state.tasks.values(), positions.__getitem__)
    return (c.PhaseMoved(phase.id, place),)


def remove(state: PlanState, command: RemovePhase, _now: datetime) -> tuple[c.Change, ...]:
    """Remove a phase without tasks, unless it is the last phase."""
    phase = state.phase(command.phase)
    tasks = [task.id for task in state.tasks_in_order() if task.phase == phase.id]
    if tasks:
        raise InvalidStatus("phase_not_empty", phase=phase.id, tasks=tasks)
    if len(state.phases) == 1:
        raise InvalidStatus("phase_last", phase=phase.id)
    return (c.PhaseRemoved(phase.id),)


def mark(state: PlanState, command: MarkPhase, _now: datetime) -> tuple[c.Change, ...]:
    """Set the status of a phase explicitly, or derive it from its tasks again."""
    if command.status is not None:
        check_choice(command.status, "status", PHASE_STATUSES)
    phase = state.phase(command.phase)
    if state.ledger.phase_marks.get(phase.id) == command.status:
        return ()
    return (PhaseMarked(phase.id, command.status),)


def _place_after(state: PlanState, after: str | None, default: int) -> int:
    return default if after is None else state.phase_positions[state.phase(after).id] + 1
