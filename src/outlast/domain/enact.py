"""Carry commands out on a plan, all or none: what every store does under its lock."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outlast.domain.apply import APPLY, fold
from outlast.domain.changes import AttemptEnded, PlanCreated, Undone
from outlast.domain.commands import Fence
from outlast.domain.decide import DECISIONS
from outlast.domain.loop_changes import Charged
from outlast.errors import InvalidArgument, OutlastError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.domain.changes import Change, Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState


def enact(state: PlanState, commands: Sequence[Command], now: datetime) -> tuple[Change, ...]:
    """Decide each command on what the ones before it left; apply all, or none if one is refused.

    A fence in front changes nothing, so what has to stand alone may stand behind one.
    """
    if len(commands) == 1:
        command = commands[0]
        changes = DECISIONS[type(command)](state, command, now)
        if changes:
            fold(state, changes, state.revision + 1, now)
        return changes
    if commands and isinstance(commands[0], Fence):
        enact(state, commands[:1], now)
        return enact(state, commands[1:], now)
    return _enact_together(state, commands, now)


def receipt(_state: PlanState, commit: Commit) -> Commit:
    """Answer a commit with itself."""
    return commit


def _enact_together(
    state: PlanState, commands: Sequence[Command], now: datetime
) -> tuple[Change, ...]:
    done: list[Change] = []
    undo: list[tuple[Change, ...]] = []
    next_id, ledger, notes = state.next_id, state.ledger.copy(), state.notes.copy()
    try:
        for command in commands:
            for change in DECISIONS[type(command)](state, command, now):
                undo.append(_inverse(state, change))
                if isinstance(change, AttemptEnded | Charged):
                    state.ledger.part()
                APPLY[type(change)](state, change, now)
                done.append(change)
    except BaseException as error:
        # What broke or was interrupted within a change may not be undone; that is not what to tell.
        troubles = () if isinstance(error, OutlastError) else (Exception,)
        with suppress(*troubles):
            for change in (change for inverse in reversed(undo) for change in inverse):
                APPLY[type(change)](state, change, now)
        state.next_id, state.ledger, state.notes = next_id, ledger, notes
        raise
    if done:
        state.revision += 1
        state.updated_at = now
    return tuple(done)


def _inverse(state: PlanState, change: Change) -> tuple[Change, ...]:
    if isinstance(change, PlanCreated):
        raise InvalidArgument("create_alone", argument="commands")
    if isinstance(change, Undone):
        raise InvalidArgument("undo_alone", argument="commands")
    from outlast.domain.invert import invert

    return invert(state, change)
