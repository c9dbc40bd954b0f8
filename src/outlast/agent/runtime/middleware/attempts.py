"""Record each attempt before it starts, and how it ended."""

from __future__ import annotations

from asyncio import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Delegated, Outcome, Settled, Thought
from outlast.agent.runtime.attempt_costs import attempt_cost, planning_cost
from outlast.agent.runtime.delegation import describe_order, report_command, uses_lane
from outlast.agent.runtime.guards import is_cancelling
from outlast.context.tool import JournalParams, Settlement
from outlast.errors import OutOfBudget, Refused
from outlast.model.budget import NOTHING
from outlast.model.changes import AttemptBegan, Commit
from outlast.model.commands import BeginAttempt, EndAttempt
from outlast.model.execute import return_commit
from outlast.model.ledger import THINK
from outlast.model.replies.results import words_about
from outlast.plan.tools.call_record import json_digest, record_call
from outlast.redact.secrets import redact
from outlast.system.threads import call_in_thread

if TYPE_CHECKING:
    from outlast.agent.runtime.lane import CallNext, Lane
    from outlast.model.state import PlanState

_NOTE_CHARACTERS: Final = 200
_OUTCOMES: Final[dict[Settlement, Literal["done", "lost"]]] = {
    "done": "done",
    "not_done": "lost",
    "unknown": "lost",
}


async def record_attempt(
    effect: e.Think | e.Act | e.Delegate, lane: Lane, call_next: CallNext
) -> Outcome:
    """Commit the start of an attempt, carry the effect out, and let its end wait in the lane.

    An effect that dies half-way leaves its attempt open: its outcome is unknown, and the next run
    settles it. So does a cancellation, unless the effect has come to its end all the same: the
    report of an agent is kept then, and what a tool did. Only a thought that is cancelled has no
    outcome that matters: it ends as lost.
    """
    try:
        attempt = await _begin(effect, lane)
    except OutOfBudget:
        raise  # to who made the reservation
    except Refused as error:
        return effect.failure(lane.run.error_text(error), error.code)
    monotonic = lane.run.resources.monotonic
    started = monotonic()
    try:
        outcome = await call_next(replace(effect, attempt=attempt))
    except CancelledError:
        if effect.kind == THINK:
            lane.defer(EndAttempt(attempt, "lost", token=lane.run.token))
        raise
    if not isinstance(outcome, Thought | Acted | Delegated):
        raise TypeError(outcome)
    if isinstance(outcome, Delegated) and outcome.result.report is None and is_cancelling():
        raise CancelledError  # an interruption is no failed attempt
    seconds = 0.0 if uses_lane(effect, lane) else monotonic() - started
    lane.end_attempt(_end_command(effect, attempt, outcome, lane, seconds))
    if isinstance(effect, e.Delegate) and isinstance(outcome, Delegated):
        agent = describe_order(effect, lane).partition(" ")[0]
        report = report_command(attempt, agent, outcome.result)
        if report is not None:
            lane.defer(report)
    return outcome


async def end_settled(effect: e.Settle, lane: Lane, call_next: CallNext) -> Outcome:
    """Commit the end of an attempt that needs no person to settle it, with what it is known by.

    Other lanes may begin the next attempt at once, so this end must not wait.
    """
    await lane.flush()  # so that only this end and what follows from it are in the commit
    outcome = await call_next(effect)
    if not isinstance(outcome, Settled):
        raise TypeError(outcome)
    commands = effect.commands.get(outcome.settlement)
    if outcome.settlement != "unknown" or not outcome.needed or commands is not None:
        result = _OUTCOMES[outcome.settlement]
        about = (outcome.by, "", lane.run.token, outcome.spent)
        lane.defer(EndAttempt(effect.attempt.id, result, *about), *(commands or ()))
        await lane.flush()
    return outcome


async def _begin(effect: e.Think | e.Act | e.Delegate, lane: Lane) -> str:
    """Commit the start of an attempt and return its id."""
    begin, before, begun = await _begin_command(effect, lane), effect.commands, list[str]()
    start = (*before, *effect.on_start, begin)

    def remember(_state: PlanState, commit: Commit) -> str:
        begun.append(
            next(change.id for change in commit.changes if isinstance(change, AttemptBegan))
        )
        return begun[0]

    try:
        attempt = await lane.commit(start, remember)
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


async def _begin_command(effect: e.Think | e.Act | e.Delegate, lane: Lane) -> BeginAttempt:
    token = lane.run.token
    if isinstance(effect, e.Act):
        tool = lane.run.resources.tool(effect.call.name)
        record = partial(record_call, effect.call, tool)
        line = await call_in_thread(record) if isinstance(tool, JournalParams) else record()
        digest = json_digest(effect.call.params)
    elif isinstance(effect, e.Delegate):
        line, digest = describe_order(effect, lane), ""
    else:
        line, digest = f"{len(effect.messages)} messages", lane.requests.last.digest
    return BeginAttempt(effect.task, effect.kind, line, digest, token, effect.reserve)


def _end_command(
    effect: e.Think | e.Act | e.Delegate,
    attempt: str,
    outcome: Thought | Acted | Delegated,
    lane: Lane,
    seconds: float,
) -> EndAttempt:
    spent = attempt_cost(effect, outcome, seconds)
    planning, said = NOTHING, ""
    if isinstance(effect, e.Think) and isinstance(outcome, Thought):
        said = _words_about_task(effect, outcome, lane)
        planning = planning_cost(effect, outcome, spent, lane.requests.last.characters)
    error = outcome.error
    if isinstance(outcome, Delegated):
        error = error or outcome.result.error
    note = redact(error)[:_NOTE_CHARACTERS]
    result: Literal["failed", "done"] = "failed" if error else "done"
    return EndAttempt(attempt, result, "", note, lane.run.token, spent, planning, said)


def _words_about_task(effect: e.Think, thought: Thought, lane: Lane) -> str:
    """Return what a reply says about its task, for the result of the task."""
    current = lane.snapshot.view.current
    if not effect.keeps_words or current is None or current.id != effect.task:
        return ""
    others = [task.name for task in lane.snapshot.view.tasks if task.id != current.id]
    return words_about(redact(thought.text), current.name, others)
