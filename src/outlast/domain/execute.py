"""Execute commands on a plan, all or none: what every store does under its lock."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outlast.domain.changes import AttemptEnded, Charged, PlanCreated, Undone
from outlast.domain.changes.apply import APPLY, fold
from outlast.domain.commands import Fence
from outlast.domain.decide import DECISIONS
from outlast.errors import InvalidArgument, OutlastError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.domain.changes import Change, Commit
    from outlast.domain.commands import Command
    from outlast.domain.state import PlanState


def execute(state: PlanState, commands: Sequence[Command], now: datetime) -> tuple[Change, ...]:
    """Decide and apply commands one after the other; roll back if one is refused.

    A command that must stand alone in its commit may follow a `Fence`.
    """
    if len(commands) == 1:
        command = commands[0]
        changes = DECISIONS[type(command)](state, command, now)
        if changes:
            fold(state, changes, state.revision + 1, now)
        return changes
    if commands and isinstance(commands[0], Fence):
        execute(state, commands[:1], now)
        return execute(state, commands[1:], now)
    return _execute_together(state, commands, now)


def return_commit(_state: PlanState, commit: Commit) -> Commit:
    """Return the commit itself: the `then` of callers that want nothing else."""
    return commit


def _execute_together(
    state: PlanState, commands: Sequence[Command], now: datetime
) -> tuple[Change, ...]:
    done: list[Change] = []
    undo: list[tuple[Change, ...]] = []
    next_id, ledger, notes = state.next_id, state.ledger.copy(), state.notes.copy()
    try:
        for command in commands:
            for change in DECISIONS[type(command)](state, command, now):
                undo.append(_invert(state, change))
                if isinstance(change, AttemptEnded | Charged):
                    state.ledger.detach_spent()
                APPLY[type(change)](state, change, now)
                done.append(change)
    except BaseException as error:
        # After a bug or an interrupt within a change the rollback may fail; raise the first error.
        suppressed = () if isinstance(error, OutlastError) else (Exception,)
        with suppress(*suppressed):
            for change in (change for inverse in reversed(undo) for change in inverse):
                APPLY[type(change)](state, change, now)
        state.next_id, state.ledger, state.notes = next_id, ledger, notes
        raise
    if done:
        state.revision += 1
        state.updated_at = now
    return tuple(done)


def _invert(state: PlanState, change: Change) -> tuple[Change, ...]:
    if isinstance(change, PlanCreated):
        raise InvalidArgument("create_alone", argument="commands")
    if isinstance(change, Undone):
        raise InvalidArgument("undo_alone", argument="commands")
    from outlast.domain.changes.invert import invert

    return invert(state, change)
