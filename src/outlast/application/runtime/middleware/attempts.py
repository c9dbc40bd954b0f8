"""Record each attempt before it starts, and how it ended."""

from __future__ import annotations

from asyncio import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.runtime.call_record import json_digest, record_call
from outlast.application.runtime.costs import attempt_cost, planning_cost
from outlast.domain.budget import NOTHING
from outlast.domain.changes import AttemptBegan
from outlast.domain.commands import BeginAttempt, EndAttempt
from outlast.domain.execute import return_commit
from outlast.domain.ledger import THINK
from outlast.errors import OutOfBudget, Refused
from outlast.formats.redact.secrets import redact
from outlast.ports import effects as e
from outlast.ports.tool import JournalParams
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from outlast.application.runtime.lane import CallNext, Lane
    from outlast.domain.changes import Commit
    from outlast.domain.model import Outcome
    from outlast.domain.state import PlanState
    from outlast.ports.tool import Settlement

_NOTE_CHARACTERS: Final = 200
_OUTCOMES: Final[dict[Settlement, Outcome]] = {
    "done": "done",
    "not_done": "lost",
    "unknown": "lost",
}


async def record_attempt(effect: e.Think | e.Act, lane: Lane, call_next: CallNext) -> e.Outcome:
    """Commit the start of an attempt, carry the effect out, and let its end wait in the lane.

    An effect that dies half-way leaves its attempt open: its outcome is unknown, and the next run
    settles it. A thought that is cancelled has no outcome that matters, so it ends as lost.
    """
    try:
        attempt = await _begin(effect, lane)
    except OutOfBudget:
        raise  # to who made the reservation
    except Refused as error:
        return effect.failure(lane.run.error_text(error), error.code)
    started = lane.run.now()
    try:
        outcome = await call_next(replace(effect, attempt=attempt))
    except CancelledError:
        if effect.kind == THINK:
            lane.defer(EndAttempt(attempt, "lost", token=lane.run.token))
        raise
    if not isinstance(outcome, e.Thought | e.Acted):
        raise TypeError(outcome)
    seconds = (lane.run.now() - started).total_seconds()
    lane.end_attempt(_end_command(effect, attempt, outcome, lane, seconds))
    return outcome


async def end_settled(effect: e.Settle, lane: Lane, call_next: CallNext) -> e.Outcome:
    """Let the end of an attempt that needs no person to settle it wait in the lane."""
    outcome = await call_next(effect)
    if isinstance(outcome, e.Settled) and not (outcome.settlement == "unknown" and outcome.needed):
        result = _OUTCOMES[outcome.settlement]
        lane.defer(EndAttempt(effect.attempt.id, result, outcome.by, "", lane.run.token))
    return outcome


async def _begin(effect: e.Think | e.Act, lane: Lane) -> str:
    """Commit the start of an attempt and return its id."""
    begin, before, begun = await _begin_command(effect, lane), effect.commands, list[str]()

    def remember(_state: PlanState, commit: Commit) -> str:
        begun.append(
            next(change.id for change in commit.changes if isinstance(change, AttemptBegan))
        )
        return begun[0]

    try:
        attempt = await lane.commit((*before, begin), remember)
    except Refused:
        if before:
            await lane.commit(before, return_commit)
        raise
    except CancelledError:
        if begun:  # and never run
            lane.defer(EndAttempt(begun[0], "lost", "", "", lane.run.token, NOTHING))
        raise
    lane.attempt_began(attempt)
    return attempt


async def _begin_command(effect: e.Think | e.Act, lane: Lane) -> BeginAttempt:
    token = lane.run.token
    if isinstance(effect, e.Act):
        tool = lane.run.dependencies.tool(effect.call.name)
        record = partial(record_call, effect.call, tool)
        line = await call_in_thread(record) if isinstance(tool, JournalParams) else record()
        digest = json_digest(effect.call.params)
    else:
        line, digest = f"{len(effect.messages)} messages", lane.requests.last.digest
    return BeginAttempt(effect.task, effect.kind, line, digest, token, effect.reserve)


def _end_command(
    effect: e.Think | e.Act, attempt: str, outcome: e.Thought | e.Acted, lane: Lane, seconds: float
) -> EndAttempt:
    spent = attempt_cost(effect, outcome, seconds)
    planning = NOTHING
    if isinstance(effect, e.Think) and isinstance(outcome, e.Thought):
        planning = planning_cost(effect, outcome, spent, lane.requests.last.characters)
    note = redact(outcome.error)[:_NOTE_CHARACTERS]
    result: Outcome = "failed" if outcome.error else "done"
    return EndAttempt(attempt, result, "", note, lane.run.token, spent, planning)
