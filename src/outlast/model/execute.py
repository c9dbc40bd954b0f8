"""Execute commands on a plan, all or none: what every store does under its lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from outlast.errors import InvalidArgument, OutlastError
from outlast.model.changes import Change, Commit, PlanCreated, Undone
from outlast.model.commands import Command, Fence
from outlast.model.decide import DECISIONS
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from datetime import datetime


Attempt = Callable[[Sequence[Command]], tuple[Change, ...]]
Compose = Callable[[PlanState, Attempt], None]

_ALONE: Final[dict[type, str]] = {PlanCreated: "create_alone", Undone: "undo_alone"}


def execute(state: PlanState, commands: Sequence[Command], now: datetime) -> tuple[Change, ...]:
    """Decide and apply commands one after the other; roll back if one is refused.

    A command that must stand alone in its commit may follow a `Fence`.
    """
    if len(commands) == 1:
        command = commands[0]
        changes = DECISIONS[type(command)](state, command, now)
        if changes:
            state.revision += 1
            state.updated_at = now
            for change in changes:
                change.apply(state, now)
        return changes
    if len(commands) == 2 and type(commands[0]) is Fence:  # noqa: PLR2004 - a fence and a command
        DECISIONS[Fence](state, commands[0], now)
        return execute(state, commands[1:], now)
    return _execute_together(state, commands, now) if commands else ()


def execute_composed(state: PlanState, compose: Compose, now: datetime) -> tuple[Change, ...]:
    """Execute what `compose` attempts on the state, as one commit.

    It gets the state and a function that executes commands, all or none: what is refused leaves the
    state as it was, and the error is raised to `compose`, which may go on without it.
    """
    from outlast.model.transaction import Transaction

    made: list[Change] = []

    def attempt(commands: Sequence[Command]) -> tuple[Change, ...]:
        changes = _execute_together(state, commands, now)
        made.extend(changes)
        return changes

    revision = state.revision
    transaction = Transaction(state)
    try:
        transaction.begin()
        compose(state, attempt)
        state.revision = revision + bool(made)
        transaction.commit()
        return tuple(made)
    except BaseException as error:
        transaction.roll_back(is_intact=isinstance(error, OutlastError))
        raise


def return_commit(_state: PlanState, commit: Commit) -> Commit:
    """Return the commit itself: the `then` of callers that want nothing else."""
    return commit


def _execute_together(
    state: PlanState, commands: Sequence[Command], now: datetime
) -> tuple[Change, ...]:
    from outlast.model.transaction import Transaction

    made: list[Change] = []
    transaction = Transaction(state)
    try:
        transaction.begin()
        for command in commands:
            for change in DECISIONS[type(command)](state, command, now):
                if type(change) in _ALONE:
                    _refuse_together(change)
                change.apply(state, now)
                made.append(change)
        if made:
            state.revision += 1
            state.updated_at = now
        transaction.commit()
        return tuple(made)  # an interrupt is rolled back here, too
    except BaseException as error:
        transaction.roll_back(is_intact=isinstance(error, OutlastError))
        raise


def _refuse_together(change: Change) -> NoReturn:
    raise InvalidArgument(_ALONE[type(change)], argument="commands")
