"""What a loop keeps so that it survives a restart: its counts, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain import loop_changes as c
from outlast.domain.limits import (
    LARGEST_ID,
    REF_CHARACTERS,
    check_flag,
    check_length,
    check_name,
    check_number,
)

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.domain.changes import Change
    from outlast.domain.loop_commands import ClearStrikes, NoteLoop, Strike
    from outlast.domain.state import PlanState


def note(state: PlanState, command: NoteLoop, _now: datetime) -> tuple[Change, ...]:
    """Keep the counts that are different now."""
    managed, stops, books = command.managed, command.stops, state.ledger.books
    if managed is not None:
        check_flag(managed, "managed")
    if stops is not None:
        check_number(stops, "stops", 0, LARGEST_ID)
    new = c.LoopNoted(
        None if managed == books.managed else managed, None if stops == books.stops else stops
    )
    return () if new == c.LoopNoted() else (new,)


def strike(state: PlanState, command: Strike, _now: datetime) -> tuple[Change, ...]:
    """Refuse a tool with these parameters from now on."""
    tool = check_name(command.tool, "tool")
    params = check_length(command.params, "params", REF_CHARACTERS)
    known = params in state.ledger.struck.get(tool, ())
    return () if known else (c.StruckOut(tool, params),)


def clear_strikes(state: PlanState, command: ClearStrikes, _now: datetime) -> tuple[Change, ...]:
    """Allow again what was refused."""
    struck = state.ledger.struck
    known = struck if command.tool is None else check_name(command.tool, "tool") in struck
    return (c.StrikesCleared(command.tool),) if known else ()
